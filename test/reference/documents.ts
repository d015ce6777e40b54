/** All that is generated, by its path from the top of the repository. */
import { agentProgramsPage } from './agent-programs-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { gitVerbsShell } from './git-verbs-shell.ts';
import { harnessesPage } from './harnesses-page.ts';
import { harnessesShell } from './harnesses-shell.ts';
import { hooksAlone } from './hooks-alone.ts';
import { jsonPage } from './json-page.ts';
import { coordManual, gitCoordManual } from './manual.ts';
import { jsonSchemas } from './schemas.ts';
import { settingsPage } from './settings-page.ts';
import { shimsPage } from './shims-page.ts';
import { toolsPage } from './tools-page.ts';
import { verbsPage } from './verbs-page.ts';

/** Nothing else stands in these, which hold what is only for reading. */
export const folders: readonly string[] = ['docs/reference', 'docs/man', 'schema', 'hooks/alone'];

export function documents(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/reference/verbs.md', verbsPage()],
    ['docs/reference/settings.md', settingsPage()],
    ['docs/reference/shims.md', shimsPage()],
    ['docs/reference/harnesses.md', harnessesPage()],
    ['docs/reference/agent-programs.md', agentProgramsPage()],
    ['docs/reference/events.md', eventsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/json.md', jsonPage()],
    ['docs/reference/tools.md', toolsPage()],
    ['hooks/git-verbs', gitVerbsShell()],
    ['hooks/harnesses', harnessesShell()],
    ...hooksAlone(),
    ['docs/man/coord.1', coordManual()],
    ['docs/man/git-coord.1', gitCoordManual()],
    ...[...jsonSchemas()].map(
      ([name, schema]) => [`schema/${name}.json`, `${JSON.stringify(schema, null, 2)}\n`] as const,
    ),
  ]);
}
