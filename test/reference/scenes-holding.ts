/** Reservations, locks, work and evidence, with every answer that these have. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { reserveInThePast } from '../support/aged.ts';
import { eventually, repository } from '../support/repository.ts';
import { withFile } from '../support/tracker.ts';
import type { Sights, Watched } from './watched.ts';

export async function reservations(sights: Sights): Promise<void> {
  const repo = sights.watch(repository());
  await reserveInThePast(repo, 'eve', ['old/a'], 200_000, '1s');
  repo.coord('eve', 'renew');
  repo.coord('ann', 'sweep', '--dry-run');
  repo.coord('ann', 'sweep');
  repo.coord('ann', 'sweep');
  repo.coord('ann', 'reserve', 'src/a', 'docs/{a', '--reason', 'fix login');
  repo.coord('ann', 'reserve', 'src/shared', '--shared');
  repo.coord('ann', 'reserve', 'src/a');
  repo.coord('bob', 'reserve', 'src/a');
  repo.coord('bob', 'reserve', 'src/a', '--wait', '1s');
  repo.coord('bob', 'reserve', 'src/shared', '--shared');
  repo.coord('bob', 'check', 'src/a');
  repo.coord('bob', 'check', 'src/b', 'src/c');
  repo.coord('ann', 'check', 'src/a');
  repo.coord('ann', 'renew');
  repo.coord('bob', 'renew', 'zzzzzzzz');
  repo.coord('ann', 'release', 'src/a', 'src/zzz');
  repo.coord('ann', 'release', 'nothing');
  repo.coord('ann', 'release');
  repo.coord('ann', 'reserve', '**');
  repo.coord('ann', 'lock', 'deploy');
  repo.coord('bob', 'lock', 'deploy');
  repo.coord('bob', 'unlock', 'deploy');
  repo.coord('ann', 'unlock', 'deploy');
  repo.coord('ann', 'unlock', 'coord.pause');
  repo.write('src/b', 'changed');
  repo.coord('ann', 'reserve', 'src/b', 'src/c');
  repo.coord('ann', 'release', '--unchanged');
  repo.coord('ann', 'release', '--unchanged');
  lines(repo);
  await waits(repo);
}

/** Held beside others, and looked at by them. */
function lines(repo: Watched): void {
  repo.coord('ann', 'reserve', 'src/app', '--lines');
  repo.coord('bob', 'check', 'src/app');
  repo.coord('bob', 'reserve', 'src/app');
  repo.coord('bob', 'reserve', 'src/app', '--lines');
  repo.coord('bob', 'check', 'src/app');
  repo.coord(null, 'status');
  repo.coord('ann', 'release', 'src/app');
  repo.coord('bob', 'release', 'src/app');
}

/** A circle of waits, a wait that is shown, and one that a signal ends. */
async function waits(repo: Watched): Promise<void> {
  repo.coord('ann', 'reserve', 'x');
  repo.coord('bob', 'reserve', 'y');
  const waiting = repo.start('bob', ['reserve', 'x', '--wait', '1m']);
  await eventually('bob waits', () => repo.coord(null, 'status').json['waits'].length === 1);
  repo.coord('eve', 'reserve', 'x');
  repo.coord('ann', 'reserve', 'y', '--wait', '1m');
  repo.coord(null, 'status', '--line');
  repo.coord(null, 'status', '--limit', '1');
  repo.coord(null, 'who', '--limit', '1');
  repo.coord(null, 'who', 'nowhere');
  repo.coord(null, 'session', 'list', '--limit', '1');
  waiting.child.kill('SIGINT');
  await waiting.ended;
}

export function work(sights: Sights): void {
  const repo = sights.watch(repository());
  repo.coord('ann', 'next');
  withFile(repo, [
    { id: 'bd-1', priority: 0, labels: ['sql'] },
    { id: 'bd-2' },
    { id: 'bd-3', dependencies: [{ depends_on_id: 'bd-1', type: 'blocks' }] },
  ]);
  repo.coord('ann', 'next');
  repo.coord('ann', 'claim', 'bd-1');
  repo.coord('bob', 'claim', 'bd-1');
  repo.coord('ann', 'claim', 'bd-9');
  repo.coord('bob', 'claim', '--next');
  repo.coord('eve', 'claim', '--next');
  repo.coord('bob', 'unclaim', 'bd-1');
  repo.coord('bob', 'unclaim', 'bd-2');
  for (const again of [1, 2, 3]) {
    repo.coord('bob', 'claim', 'bd-2');
    repo.coord(
      'bob',
      'unclaim',
      'bd-2',
      '--failed',
      '--reason',
      `try ${again}`,
      '--cause',
      'flaky',
    );
  }
  repo.coord('eve', 'claim', 'bd-2');
  repo.coord('bob', 'claim', '--next');
  repo.coord('ann', 'next');
  repo.coord('ann', 'done', 'bd-1');
  repo.coord('bob', 'done', 'bd-1');
  repo.coord('ann', 'done', 'bd-1', '--no-change');
  repo.coord('pat', '-c', 'coord.stalledAfter=0s', 'claim', 'stalled-1', '--force');
  repo.coord('max', '-c', 'coord.stalledAfter=0s', 'claim', 'stalled-1', '--take');
  repo.coord('ann', 'done', 'bd-1', '--no-change', '--reason', 'nothing to do');
  repo.coord('ann', 'claim', 'bd-1');
  repo.coord('ann', 'claim', 'bd-1', '--again');
  for (let i = 0; i < 9; i += 1) repo.coord('max', 'claim', `cap-${i}`, '--force');
}

export async function evidence(sights: Sights): Promise<void> {
  const repo = sights.watch(repository());
  repo.write('.coord.json', '{"gate": {"require": ["true"]}}');
  repo.coord('ann', 'claim', 'bd-1');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'work\n\nBead: bd-1');
  repo.coord('ann', 'gate');
  repo.coord('ann', 'gate', 'nowhere');
  repo.coord('ann', 'verify', '--', 'false');
  repo.coord('ann', 'verify', '--', 'sh', '-c', 'echo more >> .coord.json');
  repo.git('checkout', '-q', '.coord.json');
  repo.coord('ann', 'verify', '--', 'true');
  repo.coord('ann', 'verify', '--', 'true');
  repo.coord('ann', 'verify', '--at', 'HEAD', '--', 'no-such-program');
  repo.write('left-out');
  repo.write('out/ignored');
  repo.write('.git/info/exclude', 'out\n');
  repo.coord('ann', 'verify', '--own', '--link', 'out', '--', 'false');
  repo.coord('ann', 'verify', '--own', '--', 'sh', '-c', 'echo more >> .coord.json');
  rmSync(join(repo.top, 'left-out'));
  repo.coord('ann', 'gate', '--strict');
  repo.coord('ann', 'done', 'bd-1');
  repo.coord('ann', 'run', '--lock', 'test', '--', 'true');
  repo.coord('ann', 'run', '--lock', 'test', '--', 'false');
  repo.coord('ann', 'run', '--', 'true');
  repo.coord('ann', 'lock', 'test');
  repo.coord('bob', 'run', '--lock', 'test', '--no-wait', '--', 'true');
  repo.coord('bob', 'verify', '--force', '--no-wait', '--', 'true');
  const waiting = repo.start('bob', ['run', '--lock', 'test', '--', 'true']);
  await eventually('bob waits', () => repo.coord(null, 'status').json['waits'].length === 1);
  waiting.child.kill('SIGTERM');
  await waiting.ended;
}
