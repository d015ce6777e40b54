/** One claim at a time, where that was chosen. */
import { expect, test } from 'vitest';
import { eventually, repository } from '../support/repository.ts';

test('with coord.mode=sequential one claim stands at a time, and the next one waits its turn [Mitigations]', async () => {
  const repo = repository();
  repo.git('config', 'coord.mode', 'sequential');
  expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
  const refused = repo.coord('bob', 'claim', 'bd-2').json;
  expect({ kind: refused['refusal'].kind, bead: refused['blockers'][0].bead }).toEqual({
    kind: 'held',
    bead: 'bd-1',
  });
  expect(repo.coord('bob', 'reserve', 'src/').code).toBe(0);
  const waiting = repo.start('bob', ['claim', 'bd-2', '--wait', '30s']);
  await eventually(
    'bob stands in line',
    () => repo.coord(null, 'status').json['waits'].length === 1,
  );
  repo.coord('ann', 'unclaim', 'bd-1');
  expect((await waiting.ended).json['result']).toBe('granted');
  expect(repo.coord('ann', 'claim', 'bd-1', '-c', 'coord.mode=parallel').code).toBe(0);
  expect(repo.coord('ann', 'claim', 'bd-3', '-c', 'coord.mode=both').json['error'].code).toBe(
    'bad_setting',
  );
});
