/**
 * The hooks of harnesses as they are installed, tried: the very command that stands in the
 * configuration, run by a shell in a throw-away repository. Of two sessions the second has to be
 * refused the file.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import type { Harness, Places } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';
import { limits } from '../core/limits.ts';
import { shellQuote } from '../core/shell-line.ts';
import { readRegular } from '../git/regular-file.ts';
import { type GitProgram, runPlain } from '../git/run-git.ts';
import { temporaryFolder } from '../git/temporary-folder.ts';
import { shellOutput } from '../work/shell.ts';

interface HarnessProof {
  readonly harness: string;
  readonly file: string;
  /** What is wrong; nothing if a denial denies. */
  readonly wrong: readonly string[];
  /** Why it could not be tried. */
  readonly untried?: string;
  /** Why the harness does not run them. */
  readonly notInForce?: string;
}

/** All texts in a configuration that run our shim for this moment. */
function commandsIn(text: string, harness: string): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (
      typeof value === 'string' &&
      value.includes('/hooks/agent-hook') &&
      new RegExp(` ${harness} before-edit\\b`).test(value)
    )
      found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(parse(text));
  // A plugin runs within the harness, and asks the shim itself.
  const shim = /"shim":"([^"]+)"/.exec(text)?.[1];
  if (shim !== undefined) found.push(`${shellQuote(shim)} ${harness} before-edit`);
  return [...new Set(found)];
}

/** Where it is installed at all: as far as files say so. */
export function proveHarnesses(
  git: GitProgram,
  places: Omit<Places, 'isUser'>,
): readonly HarnessProof[] {
  return [false, true].flatMap((isUser) =>
    harnesses.flatMap((harness): HarnessProof[] => {
      const { name } = harness;
      const file = harness.file({ ...places, isUser });
      const content = readRegular(file, limits.projectFileBytes);
      if (content.kind === 'unread')
        return [{ harness: name, file, wrong: [], untried: content.why }];
      const text = content.kind === 'file' ? content.bytes.toString('utf8') : '';
      if (!text.includes('/hooks/agent-hook')) return [];
      const off = /"disableAllHooks"\s*:\s*true/.test(text)
        ? ['disableAllHooks switches them off']
        : [];
      const commands = commandsIn(text, name);
      const wrong =
        commands.length === 0
          ? ['no hook looks at edits']
          : commands.flatMap((command) => tried(git, places.env, harness, command));
      const notInForce = harness.notInForce?.({ ...places, isUser }) ?? null;
      return [
        {
          harness: name,
          file,
          wrong: [...off, ...wrong],
          ...(notInForce === null ? {} : { notInForce }),
        },
      ];
    }),
  );
}

function tried(
  git: GitProgram,
  env: NodeJS.ProcessEnv,
  { name, sample }: Harness,
  command: string,
): readonly string[] {
  const top = temporaryFolder('coord-doctor-');
  try {
    runPlain(git, ['init', '-q', top]);
    writeFileSync(join(top, 'held'), '');
    const { COORD_AGENT: _agent, COORD_SESSION: _session, COORD_STAGE: _stage, ...clean } = env;
    const ask = (session: string): string =>
      shellOutput(command, {
        cwd: top,
        env: { ...clean, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
        input: JSON.stringify(sample(session, top, join(top, 'held'))),
        maxMs: 30_000,
      });
    const [first, second] = [ask('doctor-one'), ask('doctor-two')];
    const denies = (said: string): boolean => /"(deny)"/.test(said) && said.includes('held by');
    return [
      ...(denies(first) ? [`${name}: the edit of a free file is refused`] : []),
      ...(denies(second)
        ? []
        : [`${name}: the edit of a file that another session holds is let through`]),
    ];
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
