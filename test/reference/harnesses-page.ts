/** docs/reference/harnesses.md: every harness that coord plugs into, from its record. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../../src/adapter/harness.ts';
import { harnesses } from '../../src/adapter/harnesses.ts';
import { code, page, table } from './markdown.ts';

/** Where one place stands for all that it may be. */
function fileOf(harness: Harness, isUser: boolean): string {
  const file = (top: string, mainTop: string): string =>
    harness.file({ top, mainTop, home: '~', env: {}, isUser });
  return file('', '') === file('', 'main')
    ? code(file('', ''))
    : `${code(file('', ''))}, of the main checkout also from a linked work tree`;
}

function found({ signs, homeSigns }: Harness): string {
  return [...signs, ...homeSigns.map((sign) => `~/${sign}`)].map(code).join(', ');
}

// From the top, where both npm and vitest run.
const agents = 'test/agents';

/** With which programs test/agents runs, read as test/support/agent-programs.sh does. */
const versions: ReadonlyMap<string, string> = new Map(
  readdirSync(agents)
    .filter((file) => file.includes('program'))
    .flatMap((file) => [
      ...readFileSync(join(agents, file), 'utf8').matchAll(
        /^ {2}name: '(.*)',\n {2}version: '(.*)',/gm,
      ),
    ])
    .map(([, name = '', version = '']) => [name, version]),
);

export function harnessesPage(): string {
  return page('Harnesses', [
    '`coord install` adds hooks to those that it finds in use, or that `--harness` names. [Coding agents](../agents.md) says what that means for an agent. Tests run the programs themselves, in the version that is named, with a model that follows a script; where none can be had, they send what it is documented and recorded to send.',
    table(
      [
        'harness',
        '`--harness`',
        'found by',
        'hooks are written to',
        'with `--user`',
        'instructions are added to',
        'tested with',
      ],
      harnesses.map((harness) => [
        harness.title,
        code(harness.name),
        found(harness),
        fileOf(harness, false),
        fileOf(harness, true),
        code(harness.instructions),
        versions.get(harness.name) ?? 'by recorded payloads',
      ]),
    ),
  ]);
}
