/**
 * What coord puts into a repository, made once by coord itself, in repositories of its own, from
 * where the wrapper copies it into each repository of the tests.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isInert, modes } from './modes.ts';
import { environment, installedOf, linesOf, type Place, seedOf } from './place.ts';

const shell = '#!/bin/sh\n';

/** The trailer of the session, under a message that says something. */
const signing = `[ -n "$(git stripspace --strip-comments < "$1")" ] || exit 0
read -r trailer < "\${COORD_STAGE%/*}/trailer" || exit 0
git interpret-trailers --no-divider --in-place --if-exists doNothing --trailer "$trailer" "$1"
`;

/** Logs in which something is held and in which nothing is, and what `coord install` makes. */
export function prepareSeeds(place: Place): void {
  for (const format of ['sha1', 'sha256']) {
    for (let at = 0; at < place.logs; at++) {
      const scratch = newRepository(place, format);
      const what = ['reserved/path/nobody/uses', '--ttl', '24h', '--reason', 'a test'];
      coord(place, scratch, '--agent', 'other', 'reserve', ...what);
      keep(scratch, join(seedOf(place, 'beside'), format, String(at)));
      coord(place, scratch, '--agent', 'other', 'release', '--all');
      // What a lease leaves behind for a while would be listed by fsck in all of them.
      const env = environment(place);
      execFileSync(place.git, ['prune', '--expire=now'], { cwd: scratch.top, env });
      keep(scratch, join(seedOf(place, 'idle'), format, String(at)));
      rmSync(scratch.top, { recursive: true });
    }
  }
  const scratch = newRepository(place, 'sha1');
  coord(place, scratch, 'install', '--harness', 'none');
  const installed = installedOf(place, 'beside');
  keep(scratch, installed);
  rmSync(scratch.top, { recursive: true });
  keepLines(place, readdirSync(join(installed, 'hooks')));
  for (const mode of modes.filter(isInert)) {
    const inert = installedOf(place, mode);
    cpSync(installed, inert, { recursive: true });
    for (const event of readdirSync(join(inert, 'hooks'))) {
      const signs = mode === 'inert-session' && event === 'commit-msg';
      const text = `${shell}${signs ? signing : '# Decides nothing.\n'}`;
      writeFileSync(join(inert, 'hooks', event), text);
    }
  }
}

interface Scratch {
  readonly top: string;
  readonly folder: string;
  /** The files of its git directory before coord came. */
  readonly before: ReadonlyMap<string, string>;
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names.filter((name) => statSync(join(folder, name)).isFile());
}

function newRepository(place: Place, format: string): Scratch {
  const top = join(place.run, 'scratch');
  const folder = join(top, '.git');
  const args = ['init', '-q', `--object-format=${format}`, top];
  execFileSync(place.git, args, { env: environment(place) });
  const texts = filesIn(folder).map((name): [string, string] => [name, textOf(folder, name)]);
  return { top, folder, before: new Map(texts) };
}

function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'latin1');
}

function coord(place: Place, { top }: Scratch, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(place.coord, 'dist', 'coord.cjs'), ...args], {
    cwd: top,
    env: environment(place),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Every file that is new; what is new in the configuration as `more-config`. */
function keep({ top, folder, before }: Scratch, seed: string): void {
  for (const name of filesIn(folder)) {
    const text = textOf(folder, name);
    const was = before.get(name);
    if (was === text) continue;
    if (text.includes(top)) throw new Error(`${name} names the repository that it was made in`);
    if (was !== undefined && !(name === 'config' && text.startsWith(was))) {
      throw new Error(`coord has changed ${name} of a new repository`);
    }
    const target = join(seed, was === undefined ? name : 'more-config');
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(folder, name), target);
    if (was !== undefined) writeFileSync(target, text.slice(was.length));
  }
}

/** What `coord install` puts into a hook that it finds. */
function keepLines(place: Place, events: readonly string[]): void {
  const scratch = newRepository(place, 'sha1');
  const folder = join(scratch.folder, 'hooks');
  for (const event of events) writeFileSync(join(folder, event), shell, { mode: 0o755 });
  coord(place, scratch, 'install', '--harness', 'none');
  const lines = linesOf(place);
  mkdirSync(lines, { recursive: true });
  for (const event of events) {
    writeFileSync(join(lines, event), textOf(folder, event).slice(shell.length));
  }
  rmSync(scratch.top, { recursive: true });
}
