/** A git that is stopped or killed while it holds a lock. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { executable } from '../support/gate.ts';
import { eventually, type Ran, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

export interface Finding {
  readonly check: string;
  readonly standing: string;
  readonly says: string;
  readonly next?: string;
}

export function lockFindings(ran: Ran): readonly Finding[] {
  return (ran.json['checks'] as Finding[]).filter(({ check }) => check === 'git locks');
}

/** What doctor has mended, but for the format of the log, which it raises by the way. */
export function mendedIn({ json }: Ran): readonly string[] {
  const fixed = json['fixed'] as readonly string[];
  return fixed.filter((what) => !what.startsWith('raised the log from format'));
}

/** A git that has come to a hook of this name and waits there, with whatever it has locked. */
export async function stoppedIn(
  repo: TestRepository,
  hook: string,
  args: readonly string[],
  { cwd = repo.top, env = repo.env } = {},
): Promise<ChildProcess> {
  const [gate, here] = [join(repo.top, '..', 'gate'), join(repo.top, '..', 'here')];
  execFileSync('mkfifo', [gate]);
  mkdirSync(join(repo.top, '.git/hooks'), { recursive: true });
  executable(
    join(repo.top, '.git/hooks', hook),
    `#!/bin/sh\n[ -e '${here}' ] && exit 0\necho 1 >'${here}'\nexec >/dev/null 2>&1\ncat '${gate}'\n`,
  );
  const child = spawn('git', args, { cwd, env, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    spawnSync('sh', ['-c', `: <>'${gate}'`]);
  });
  await eventually(`git comes to ${hook}`, () => existsSync(here));
  return child;
}

/** With a change that is not committed. */
export function prepared(): TestRepository {
  const repo = checkout({ guarded: false });
  repo.coord('ann', 'reserve', 'src/b');
  repo.write('src/a', 'changed\n');
  return repo;
}
