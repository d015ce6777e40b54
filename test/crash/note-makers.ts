/**
 * Who leaves notes for the log in a walk of kills, each with something that no other note has: a
 * refused reservation, a refused commit, an override past the hooks, a commit of a session. And
 * what is told of them in the log.
 */
import { type Environment, runAsync, type TestRepository } from '../support/repository.ts';
import type { Session } from '../support/sessions.ts';

/** A note is left where its maker has said so, and may be left where its maker was killed. */
export interface Left {
  readonly event: string;
  readonly mark: string;
  readonly isSure: boolean;
}

export interface Place {
  readonly repo: TestRepository;
  readonly program: string;
  readonly session: Session;
  /** For whom the maker of the note is to be killed, empty where it is not. */
  readonly kill: Environment;
}

type Maker = (place: Place, who: string, mark: string) => Promise<readonly Left[]>;

/** Where a commit was refused nothing stays staged. */
function takeBack({ repo }: Place, path: string): void {
  repo.git('-c', 'core.hooksPath=/dev/null', 'rm', '-qf', '--ignore-unmatch', '--', path);
}

function stage({ repo }: Place, path: string): void {
  repo.write(path, `${path}\n`);
  repo.git('add', '--', path);
}

async function refusedReserve(place: Place, who: string, mark: string): Promise<readonly Left[]> {
  const { repo, program, kill } = place;
  const command = [process.execPath, program, '--agent', who, '--json', 'reserve', `held/${mark}`];
  const { code, stdout } = await runAsync(command, repo.top, { ...repo.env, ...kill });
  return [
    {
      event: 'conflict',
      mark,
      isSure: code === 1 && /"id":"[0-9a-f]{8}"},"blockers"/.test(stdout),
    },
  ];
}

async function commit(place: Place, env: Environment, ...args: readonly string[]) {
  const { repo, kill } = place;
  const command = ['git', 'commit', '-q', '-m', 'x', ...args];
  return runAsync(command, repo.top, { ...repo.env, ...kill, ...env });
}

async function refusedCommit(place: Place, who: string, mark: string): Promise<readonly Left[]> {
  const path = `held/${mark}`;
  stage(place, path);
  const { code, stderr } = await commit(place, { COORD_AGENT: who }, '--', path);
  takeBack(place, path);
  return [{ event: 'blocked', mark, isSure: code === 1 && stderr.includes('coord explain') }];
}

/** Only a person may. Where coord is killed the commit is let through, and nothing is noted. */
async function override(
  place: Place,
  mark: string,
  ...more: readonly string[]
): Promise<readonly Left[]> {
  const path = `held/${mark}`;
  stage(place, path);
  const { code, stderr } = await commit(place, { COORD_OVERRIDE: mark }, ...more, '--', path);
  if (code !== 0) takeBack(place, path);
  const isSure = code === 0 && !stderr.includes('could not be checked');
  return [{ event: 'overridden', mark, isSure }];
}

/** Its note is written by the shell hook, beside whoever is at the notes. */
async function sessionCommit(place: Place, _: string, mark: string): Promise<readonly Left[]> {
  const { repo, session } = place;
  repo.write(`free/${mark}`, `${mark}\n`);
  const git = (...args: readonly string[]) => runAsync(['git', ...args], repo.top, session.env);
  await git('add', '--', `free/${mark}`);
  const { code } = await git('commit', '-q', '-m', 'x');
  return [{ event: 'committed', mark, isSure: code === 0 }];
}

export const commonest: readonly [share: number, make: Maker] = [0.4, refusedReserve];

export const makers: readonly (typeof commonest)[] = [
  commonest,
  [0.15, refusedCommit],
  [0.15, (place, _, mark) => override(place, mark, '--no-verify')],
  // Its hook is a writer too, before the commit stands.
  [0.15, (place, _, mark) => override(place, mark)],
  [0.15, sessionCommit],
];

/** How often the log tells of each note: by its event, and the mark that stands in it. */
export function toldIn(log: string): ReadonlyMap<string, number> {
  const told = new Map<string, number>();
  for (const line of log.split('\n').filter((text) => text !== '')) {
    const { seq, event } = JSON.parse(line) as { readonly seq: number | null; event: string };
    const [mark] = /\bn\d+e\b/.exec(line) ?? [];
    // Without a number it still waits for a writer.
    if (mark === undefined || seq === null) continue;
    const key = `${event} ${mark}`;
    told.set(key, (told.get(key) ?? 0) + 1);
  }
  return told;
}
