/**
 * What is left of a killed process is cleared away by the next one, and only that. Needs: strace.
 */
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../src/git/object-draft.ts';
import { draftsLeft } from '../support/aftermath.ts';
import { copyOf } from '../support/copies.ts';
import { viewFaults } from '../support/log-check.ts';
import { repository } from '../support/repository.ts';
import { record, runWithFault } from '../support/strace.ts';

const reserve = ['reserve', 'src/new.ts'];

describe('temporary files of objects [B18]', () => {
  test(
    'of a process that was killed before they had their names: the next writer clears them away',
    { timeout: 120_000 },
    async () => {
      const repo = repository();
      repo.coord('ann', 'reserve', 'a');
      const points = (await record(copyOf(repo), 'ann', reserve, 'coord')).filter(
        ({ call, line }) => call === 'rename' && line.includes('tmp_obj_coord_'),
      );
      expect(points.length).toBeGreaterThan(2);
      for (const { nth } of [points[0], points.at(-1)].flatMap((point) => point ?? [])) {
        const copy = copyOf(repo);
        const ran = await runWithFault(copy, 'ann', reserve, {
          program: 'coord',
          call: 'rename',
          when: String(nth),
          effect: 'signal=KILL',
        });
        expect(ran.hit).toBe(true);
        expect(draftsLeft(copy).length > 0).toBe(true);
        expect(copy.coord('bob', 'check', 'b').code).toBe(0);
        expect(draftsLeft(copy).length > 0).toBe(true);
        expect(copy.coord('bob', 'reserve', 'b').code).toBe(0);
        expect(draftsLeft(copy)).toEqual([]);
      }
    },
  );

  test('of a process that lives stay, and those of another machine until they are a day old', () => {
    const repo = repository();
    const mine = draftOf(
      { commonDir: join(repo.top, '.git') } as Parameters<typeof draftOf>[0],
      'a'.repeat(40),
    );
    const [, place = '', start = ''] = /_([0-9a-f]{12})-\d+-(\d+)_/.exec(mine) ?? [];
    const named = (from: string, to: string): string =>
      join(mine, '..', basename(mine).replace(from, to));
    const [reused, foreign, old] = [
      named(`-${start}_`, '-1_'),
      named(place, '0123456789ab'),
      named(place, 'ba9876543210'),
    ];
    for (const file of [mine, reused, foreign, old]) writeFileSync(file, '');
    const before = Date.now() / 1_000 - 90_000;
    utimesSync(old, before, before);
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect([mine, reused, foreign, old].map((file) => existsSync(file))).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});

test('a view that does not show the log is a note, and the next operation mends it [B18]', () => {
  const repo = repository();
  const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0].id as string;
  repo.git('update-ref', '-d', `refs/coord/reservations/${lease}`);
  repo.git('update-ref', 'refs/coord/reservations/zzzzzzzz', 'HEAD');
  expect(viewFaults(repo)).toHaveLength(2);
  const doctor = repo.coord(null, 'doctor');
  const view = doctor.json['checks'].find(({ check }: { check: string }) => check === 'view');
  expect({ code: doctor.code, view }).toMatchObject({
    code: 0,
    view: { standing: 'note', says: expect.stringContaining('2 refs, such as') },
  });
  expect(repo.coord('bob', 'reserve', 'b').code).toBe(0);
  expect(viewFaults(repo)).toEqual([]);
  expect(repo.coord(null, 'doctor').json['checks']).toContainEqual(
    expect.objectContaining({ check: 'view', standing: 'ok' }),
  );
});
