/** Sessions, hand-over between agents, and what shows all that. */
import { repository } from '../support/repository.ts';
import type { Sights } from './watched.ts';

export function sessions(sights: Sights): void {
  const repo = sights.watch(repository());
  const begun = repo.coord(null, 'session', 'start', 'ann');
  repo.coord(null, 'session', 'start', 'ann');
  repo.coord('ann', 'whoami');
  repo.coord('bob', 'whoami');
  repo.coord(null, 'session', 'adopt', '--token', String(begun.json['token']));
  repo.coord(null, 'session', 'adopt', '--token', 'wrong');
  repo.coord(null, 'session', 'adopt');
  const eve = repo.begin('eve');
  eve.coord('reserve', 'e');
  eve.coord('session', 'list');
  eve.coord('session', 'end');
  eve.coord('session', 'end');
  eve.coord('session', 'end', '--shell');
  repo.coord('bob', 'session', 'end', '--to', 'eve');
}

function idIn(ran: { readonly json: Readonly<Record<string, any>> }): string {
  return String(ran.json['leases'][0].id);
}

export function handOver(sights: Sights): void {
  const repo = sights.watch(repository());
  const first = idIn(repo.coord('ann', 'reserve', 'a'));
  repo.coord('bob', 'whoami');
  repo.coord('ann', 'ask', first, '--reason', 'mine');
  repo.coord('bob', 'ask', first);
  repo.coord('bob', 'ask', first, '--reason', 'the release waits for it', '--urgent');
  repo.coord(null, 'status');
  repo.coord('ann', 'inbox');
  repo.coord('ann', 'inbox');
  repo.coord('ann', 'answer', first, 'perhaps');
  repo.coord('ann', 'answer', first, 'defer', '--eta', '10m', '--reason', 'soon');
  repo.coord(null, 'status');
  repo.coord('ann', 'answer', first, 'accept');
  repo.coord('ann', 'answer', first, 'accept');
  repo.coord('ann', 'transfer', 'a', '--to', 'bob');
  repo.coord('bob', 'transfer', 'a', '--to', 'ann', '--reason', 'end of shift');
  repo.coord('bob', 'transfer', 'a');
  const asked = idIn(repo.coord('ann', 'reserve', 'asked'));
  repo.coord('bob', 'ask', asked, '--reason', 'for a moment');
  repo.coord('ann', 'release', asked);
  const kept = idIn(repo.coord('ann', 'reserve', 'kept'));
  repo.coord('bob', 'break', kept, '--reason', 'now');
  repo.coord('bob', 'break', kept);
  const soon = idIn(repo.coord('ann', '-c', 'coord.breakAfter=0s', 'reserve', 'soon'));
  repo.coord('bob', '-c', 'coord.breakAfter=0s', 'break', soon, '--reason', 'it is gone');
  repo.coord('ann', 'pause', '--for', '1h', '--reason', 'moving the repository');
  repo.coord('bob', 'pause', '--for', '1h', '--reason', 'me too');
  repo.coord('ann', 'pause');
  repo.coord('ann', 'pause', '--end');
  repo.coord('ann', 'pause', '--end');
}

export function looks(sights: Sights): void {
  const repo = sights.watch(repository());
  repo.coord(null, 'status');
  repo.coord(null, 'log');
  repo.coord('ann', 'reserve', 'a');
  const refused = repo.coord('bob', 'reserve', 'a');
  repo.coord('bob', 'check', 'a');
  const id = String(refused.json['refusal'].id);
  repo.coord(null, 'explain', id);
  repo.coord('ann', 'release', 'a');
  repo.coord(null, 'explain', id);
  repo.coord(null, 'explain', 'log_newer');
  repo.coord(null, 'explain', 'held');
  repo.coord(null, 'explain', 'nonsense');
  repo.coord(null, 'stats');
  repo.coord(null, '-c', 'coord.ttl=soon', 'stats');
  repo.coord(null, 'log', '--since', '1', '--limit', '2');
  repo.coord(null, 'completion', 'bash');
  repo.coord(null, 'shell', 'fish');
  repo.coord(null, 'shell', 'csh');
  repo.coord(null, 'simulate', '--remote', '--hours', '0.1');
  repo.coord(null, 'simulate', '--remote', '--sweep', '--hours', '0.01', '--latency', '50ms');
  repo.coord(null, 'simulate');
  repo.coord(null, 'replay');
  repo.coord(null, 'statusline');
  repo.coord(null, '--help');
  repo.coord(null, 'reserve', '--help');
  repo.coord(null, 'mcp');
}
