/** The private index, saved work, hooks, and a log on a remote. */
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run } from '../support/repository.ts';
import { checkout, ranIn } from '../support/sessions.ts';
import type { Sights, Watched } from './watched.ts';

export function commits(sights: Sights): void {
  const repo = sights.watch(checkout());
  const [ann, bob] = [repo.begin('ann'), repo.begin('bob')];
  ann.coord('stage', 'status');
  ann.coord('stage', 'refresh');
  ann.coord('commit', '-m', 'nothing');
  ann.coord('commit');
  ann.coord('reserve', 'src/a', 'src/e');
  bob.edit('src/a');
  bob.coord('commit', '-m', 'what ann holds');
  const index = { ...bob.env, GIT_INDEX_FILE: bob.env['COORD_STAGE'] ?? '' };
  const hook = ['hook', 'git', 'pre-commit'];
  sights.note(hook, run(repo.top, index, [...hook, '--json']));
  ann.coord('hook', 'git', 'pre-commit');
  ann.coord('hook', 'git', 'no-such-hook');
  bob.git('reset', '-q', 'src/a');
  bob.git('checkout', '-q', 'src/a');
  repo.write('src/e', 'of a person');
  repo.git('add', 'src/e');
  ranIn(repo.top, { ...repo.env, COORD_OVERRIDE: 'a hot fix' }, 'git', ['commit', '-qm', 'past']);
  ann.edit('src/b');
  bob.edit('src/c');
  bob.coord('commit', '-m', 'of bob');
  ann.coord('status');
  ann.coord('stage', 'status');
  ann.coord('stage', 'refresh');
  bob.edit('src/b', 'bob too');
  bob.git('reset', '-q', 'src/b');
  both(repo);
}

/** HEAD moves by a commit that changed what is staged: in one place apart, in one just there. */
function both(repo: Watched): void {
  const eve = repo.begin('eve');
  const lines = (name: string, first: string, last: string): string =>
    `${[first, ...Array.from({ length: 7 }, (_, i) => `${name} ${i + 1}`), last].join('\n')}\n`;
  const outside = (text: string): void => {
    repo.write('src/d', text);
    repo.git('commit', '-q', '--no-verify', '-m', 'of a person', 'src/d');
  };
  repo.write('src/d', lines('d', 'd 0', 'of eve'));
  eve.git('add', 'src/d');
  outside(lines('d', 'of a person', 'd 8'));
  eve.coord('stage', 'refresh');
  eve.coord('stage', 'refresh', '--merge');
  outside(lines('d', 'of a person', 'another end'));
  eve.coord('stage', 'refresh', '--merge');
  const side = repo.git('commit-tree', '-p', 'HEAD~1', '-m', 'side', 'HEAD~2^{tree}').trim();
  eve.git('merge', '-q', side);
  eve.coord('stage', 'refresh');
}

export function saved(sights: Sights): void {
  const repo = sights.watch(checkout());
  repo.coord(null, 'rescue', 'list');
  repo.coord(null, 'rescue', 'show', 'nobody');
  const ann = repo.begin('ann');
  ann.coord('reserve', 'src/a');
  ann.edit('src/a');
  ann.coord('rescue', 'save');
  repo.coord(null, 'rescue', 'list');
  repo.coord(null, 'rescue', 'list', '--limit', '0');
  repo.coord(null, 'rescue', 'show', 'ann');
  repo.coord(null, 'rescue', 'diff', 'ann');
  ann.edit('src/a', 'and more');
  repo.coord(null, 'rescue', 'diff', 'ann');
  repo.coord(null, 'rescue', 'restore', 'ann', '--to', 'there');
  repo.coord('bob', 'rescue', 'restore', 'ann', '--in-place');
  inHand(repo, ann);
}

function inHand(repo: Watched, ann: ReturnType<Watched['begin']>): void {
  repo.coord('bob', 'diff', '--all');
  repo.coord('bob', 'undo', 'src/a');
  repo.coord('ann', 'undo', 'src/a');
  ann.coord('diff', '--publish');
  ann.coord('undo', 'src/a');
  ann.coord('diff');
  ann.coord('undo', 'src/a');
}

export function hooks(sights: Sights): void {
  const repo = sights.watch(repository());
  repo.coord(null, 'uninstall');
  repo.coord(null, 'init');
  repo.coord(null, 'init', '--dry-run', '--harness', 'claude');
  repo.coord(null, 'init', '--yes', '--harness', 'claude');
  repo.coord(null, 'init', '--yes');
  repo.coord(null, 'uninstall');
  repo.coord(null, 'status');
  repo.coord(null, 'install', '--dry-run', '--harness', 'claude');
  repo.coord(null, 'install', '--harness', 'claude');
  repo.coord(null, 'doctor');
  repo.coord(null, 'config');
  repo.coord(null, 'config', 'ttl');
  repo.coord(null, 'config', 'ttl', '20m');
  repo.coord(null, 'config', 'ttl', '--unset');
  rmSync(join(repo.top, '.git/hooks/commit-msg'));
  repo.coord(null, 'doctor', '--fix');
  repo.coord('ann', 'reserve', 'a');
  repo.coord(null, 'doctor', '--fix');
  repo.coord(null, 'log');
  repo.coord(null, 'uninstall', '--purge');
  repo.coord(null, 'uninstall', '--purge', '--force');
  const bare = join(repo.top, '../bare.git');
  repo.git('init', '-q', '--bare', bare);
  repo.coord(null, '-C', bare, 'install', '--server');
  repo.coord(null, '-C', bare, 'status');
  repo.coord(null, '-C', bare, 'uninstall', '--server');
}

function pushes(repo: Watched, other: Watched): void {
  repo.write('src/a', 'a');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'a');
  other.coord('bob', 'reserve', 'src/a');
  repo.coord('ann', 'push');
  other.coord('bob', 'release', '--all');
  repo.coord('ann', 'push');
  repo.coord('ann', 'push');
  other.git('commit', '-q', '--allow-empty', '-m', 'apart');
  other.coord('bob', 'push');
  other.coord('bob', 'push', 'no-such-branch');
}

export function remotes(sights: Sights): void {
  const [repo, other] = [sights.watch(repository()), sights.watch(repository())];
  const url = join(repo.top, '../o.git');
  repo.git('init', '-q', '--bare', url);
  for (const each of [repo, other]) each.git('remote', 'add', 'origin', url);
  repo.coord(null, 'sync');
  repo.coord(null, 'push');
  repo.coord(null, 'remote', 'off');
  repo.coord(null, 'remote', 'probe', 'origin');
  repo.coord(null, 'remote', 'set', 'nowhere');
  repo.coord('ann', 'reserve', 'kept');
  repo.coord(null, 'remote', 'set', 'origin');
  repo.coord(null, 'remote', 'set', 'origin', '--move');
  repo.coord(null, 'remote', 'set', 'origin');
  other.coord('bob', 'reserve', 'kept');
  other.coord(null, 'remote', 'set', 'origin');
  other.coord('bob', 'sync');
  pushes(repo, other);
  offline(repo, url);
  repo.coord(null, 'remote', 'off');
  repo.coord(null, 'remote', 'off', '--move');
  repo.write('../o.git/hooks/pre-receive', '#!/bin/sh\nexit 1\n');
  chmodSync(join(url, 'hooks/pre-receive'), 0o755);
  repo.coord(null, 'remote', 'probe', 'origin');
}

/** Without an answer: refused with what is held, or advice that is over once it is there again. */
function offline(repo: Watched, url: string): void {
  renameSync(url, `${url}.away`);
  repo.coord('ann', 'reserve', 'more');
  repo.coord('ann', 'status');
  repo.git('config', 'coord.offline', 'advisory');
  repo.coord('ann', 'reserve', 'more');
  repo.coord('ann', 'status');
  repo.coord('bob', 'check', 'more');
  renameSync(`${url}.away`, url);
  repo.coord('ann', 'sync');
  repo.coord('ann', 'status');
  repo.git('config', '--unset', 'coord.offline');
}

/** Without hooks of coord, `coord commit` itself is what refuses. */
export function unguarded(sights: Sights): void {
  const repo = sights.watch(checkout({ guarded: false }));
  const [ann, bob] = [repo.begin('ann'), repo.begin('bob')];
  ann.coord('reserve', 'src/a');
  bob.edit('src/a');
  bob.coord('commit', '-m', 'what ann holds');
}
