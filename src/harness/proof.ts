/**
 * The hooks of harnesses as they are installed, tried: the very command that stands in the
 * configuration, run by a shell in a throw-away repository that has the launcher of this one. Of
 * two sessions the second has to be refused the file, at the top and in a folder below; and what one
 * reads has to be noted.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { coordCommand, type Harness, type Places } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';
import type { EventName } from '../adapter/hook-event.ts';
import { limits } from '../core/limits.ts';
import { shellQuote } from '../core/shell-line.ts';
import { copyLauncher } from '../git/launcher.ts';
import { listLocal } from '../git/local.ts';
import { readRegular } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import { runPlain } from '../git/run-git.ts';
import { temporaryFolder } from '../git/temporary-folder.ts';
import { shellOutput } from '../work/shell.ts';
import { hasOurs, isOfOneMachine, isOurs } from './settings-file.ts';

interface HarnessProof {
  readonly harness: string;
  readonly file: string;
  /** It names places of this machine, and goes to others. */
  readonly isOfOneMachine: boolean;
  /** What is wrong; nothing if a denial denies. */
  readonly wrong: readonly string[];
  /** Why it could not be tried. */
  readonly untried?: string;
  /** Why the harness does not run them. */
  readonly notInForce?: string;
}

/** All texts in a configuration that run our shim for this moment. */
function commandsIn(text: string, harness: string, moment: EventName): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (
      typeof value === 'string' &&
      isOurs(value) &&
      new RegExp(` ${harness} ${moment}\\b`).test(value)
    )
      found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(parse(text));
  // A plugin runs within the harness, and asks the shim or the launcher itself.
  const shim = /"shim":"([^"]+)"/.exec(text)?.[1];
  if (shim !== undefined) found.push(`${shellQuote(shim)} ${harness} ${moment}`);
  else if (text.includes("'coord-hook', '--where'"))
    found.push(coordCommand(`${harness} ${moment}`, null));
  return [...new Set(found)];
}

/** Where it is installed at all: as far as files say so. */
export function proveHarnesses(
  repository: Repository,
  places: Omit<Places, 'isUser'>,
): readonly HarnessProof[] {
  return [false, true].flatMap((isUser) =>
    harnesses.flatMap((harness): HarnessProof[] => {
      const { name } = harness;
      const file = harness.file({ ...places, isUser });
      const content = readRegular(file, limits.projectFileBytes);
      if (content.kind === 'unread')
        return [{ harness: name, file, isOfOneMachine: false, wrong: [], untried: content.why }];
      const text = content.kind === 'file' ? content.bytes.toString('utf8') : '';
      if (!hasOurs(text)) return [];
      const off = /"disableAllHooks"\s*:\s*true/.test(text)
        ? ['disableAllHooks switches them off']
        : [];
      const commands = commandsIn(text, name, 'before-edit');
      const reads = commandsIn(text, name, 'before-read');
      const wrong = [
        ...(commands.length === 0 ? ['no hook looks at edits'] : []),
        ...(harness.reads !== undefined && reads.length === 0
          ? [`${name}: no hook notes what is read; coord install adds it`]
          : []),
        ...commands.flatMap((command, i) =>
          tried(repository, places.env, harness, command, reads[i] ?? reads[0]),
        ),
      ];
      const notInForce = harness.notInForce?.({ ...places, isUser }) ?? null;
      return [
        {
          harness: name,
          file,
          isOfOneMachine: !isUser && isOfOneMachine(text),
          wrong: [...off, ...wrong],
          ...(notInForce === null ? {} : { notInForce }),
        },
      ];
    }),
  );
}

function tried(
  repository: Repository,
  env: NodeJS.ProcessEnv,
  { name, sample, reads }: Harness,
  command: string,
  readCommand: string | undefined,
): readonly string[] {
  const top = temporaryFolder('coord-doctor-');
  try {
    runPlain(repository.git, ['init', '-q', top]);
    copyLauncher(repository, top);
    writeFileSync(join(top, 'held'), '');
    const below = join(top, 'below');
    mkdirSync(below);
    const { COORD_AGENT: _agent, COORD_SESSION: _session, COORD_STAGE: _stage, ...clean } = env;
    const run = (what: string, cwd: string, payload: unknown): string =>
      shellOutput(what, {
        cwd,
        env: { ...clean, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
        input: JSON.stringify(payload),
        maxMs: 30_000,
      });
    const ask = (session: string, cwd: string): string =>
      run(command, cwd, sample(session, cwd, join(top, 'held')));
    const first = ask('doctor-one', top);
    const others = [ask('doctor-two', top), ask('doctor-two', below)];
    if (reads !== undefined && readCommand !== undefined)
      run(readCommand, top, {
        [reads.session]: 'doctor-one',
        cwd: top,
        input: { [reads.path]: join(top, 'held') },
      });
    const isNoted =
      listLocal(join(top, '.git'), `reads/${name}+doctor-one`).length > 0 ||
      readCommand === undefined;
    const denies = (said: string): boolean => /"(deny)"/.test(said) && said.includes('held by');
    return [
      ...(denies(first) ? [`${name}: the edit of a free file is refused`] : []),
      ...(others.every(denies)
        ? []
        : [`${name}: the edit of a file that another session holds is let through`]),
      ...(isNoted ? [] : [`${name}: what is read is not noted`]),
    ];
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
