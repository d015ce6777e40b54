/** Beside bd: what is claimed and ended here is so there. */
import { describe, expect, test } from 'vitest';
import { type Ran, repository, type TestRepository } from '../support/repository.ts';
import { waitsFor, withBd } from '../support/tracker.ts';

describe('beside bd', () => {
  const claimed = (
    repo: TestRepository,
    bd: { readonly env: Readonly<Record<string, string>> },
    agent: string,
    wrong = '',
    ...args: readonly string[]
  ): Promise<Ran> =>
    repo.start(agent, args, { ...bd.env, BD_MISBEHAVES: wrong, COORD_TRACKER_MS: '1500' }).ended;

  test.for([
    '',
    'bare',
  ])('a claim is in both under one name, and so is its end (%j)', async (form) => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }, { id: 'bd-2', ...waitsFor('bd-1') }]);
    expect((await claimed(repo, bd, 'ann', form, 'claim', '--next')).json['bead']).toBe('bd-1');
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'ann' });
    expect((await claimed(repo, bd, 'ann', form, 'claim', 'bd-1')).code).toBe(0);
    expect((await claimed(repo, bd, 'ann', form, 'unclaim', 'bd-1')).code).toBe(0);
    expect(bd.issue('bd-1').status).toBe('in_progress');
    // Its former holder has given it up: the next one gets it in both.
    expect((await claimed(repo, bd, 'bob', form, 'claim', 'bd-1')).code).toBe(0);
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'bob' });
    expect((await claimed(repo, bd, 'bob', form, 'unclaim', 'bd-1', '--reopen')).code).toBe(0);
    expect(bd.issue('bd-1')).toMatchObject({ status: 'open', assignee: '' });
    expect((await claimed(repo, bd, 'bob', form, 'claim', '--next')).json['bead']).toBe('bd-1');
    expect(
      (await claimed(repo, bd, 'bob', form, 'done', 'bd-1', '--no-change', '--reason', 'x')).code,
    ).toBe(0);
    expect(bd.issue('bd-1').status).toBe('closed');
    expect((await claimed(repo, bd, 'ann', form, 'claim', '--next')).json['bead']).toBe('bd-2');
  });

  test.for<readonly [string, string, number, RegExp]>([
    ['hangs', 'hang:update', 75, /bd update has not answered in time/],
    ['prints rubbish', 'rubbish:update', 69, /no JSON/],
    ['says yes and does nothing', 'lie:update', 1, /it said yes; it is open there/],
    ['fails', 'fail:update', 1, /database is locked; it is open there/],
    ['cannot even be asked', 'fail:show', 69, /bd show failed: database is locked/],
  ])('a bd that %s: the claim is given back, and what it said is shown', async ([
    ,
    wrong,
    code,
    words,
  ]) => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }]);
    const ran = await claimed(repo, bd, 'ann', wrong, 'claim', 'bd-1');
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({
      code,
      stdout: expect.stringMatching(words),
    });
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect((await claimed(repo, bd, 'bob', '', 'claim', 'bd-1')).code).toBe(0);
  });

  test("what a person has in progress there, or has closed meanwhile, is nobody's here", async () => {
    const repo = repository();
    const bd = withBd(repo, [
      { id: 'bd-1', status: 'in_progress', assignee: 'Maria' },
      { id: 'bd-2', status: 'closed' },
    ]);
    for (const [bead, words] of [
      ['bd-1', /already claimed by Maria.*assigned to Maria/],
      ['bd-2', /it is closed there/],
      ['bd-3', /knows no such bead/],
    ] as const) {
      const ran = await claimed(repo, bd, 'ann', '', 'claim', bead);
      expect({ code: ran.code, stdout: ran.stdout }, bead).toEqual({
        code: 1,
        stdout: expect.stringMatching(words),
      });
    }
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(bd.issue('bd-1').assignee).toBe('Maria');
  });

  test('done whose word did not reach bd says so, and is said again', async () => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }]);
    expect((await claimed(repo, bd, 'ann', '', 'claim', 'bd-1')).code).toBe(0);
    const ran = await claimed(
      repo,
      bd,
      'ann',
      'lie:close',
      'done',
      'bd-1',
      '--no-change',
      '--reason',
      'x',
    );
    expect({ code: ran.code, message: ran.json['error'].message }).toEqual({
      code: 69,
      message: 'bd has bd-1 as in_progress, not as closed, though it said it did',
    });
    expect((await claimed(repo, bd, 'bob', '', 'claim', 'bd-1')).json['refusal'].kind).toBe(
      'bead_done',
    );
    expect(
      (await claimed(repo, bd, 'ann', '', 'done', 'bd-1', '--no-change', '--reason', 'x')).code,
    ).toBe(0);
    expect(bd.issue('bd-1').status).toBe('closed');
  });

  test('nobody changes bd without the claim: not by --again on what another works on, not by --reopen on what is not theirs', async () => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }, { id: 'bd-2', status: 'closed' }]);
    expect((await claimed(repo, bd, 'ann', '', 'claim', 'bd-1')).code).toBe(0);
    expect((await claimed(repo, bd, 'bob', '', 'claim', 'bd-1', '--again')).code).toBe(1);
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'ann' });
    for (const args of [['--failed', '--reopen'], ['--reopen']])
      expect((await claimed(repo, bd, 'eve', '', 'unclaim', 'bd-2', ...args)).code).toBe(1);
    expect(bd.issue('bd-2').status).toBe('closed');
  });

  test('what is done is begun again with the claim, in both', async () => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }]);
    expect((await claimed(repo, bd, 'ann', '', 'claim', 'bd-1')).code).toBe(0);
    expect(
      (await claimed(repo, bd, 'ann', '', 'done', 'bd-1', '--no-change', '--reason', 'x')).code,
    ).toBe(0);
    expect((await claimed(repo, bd, 'bob', '', 'claim', 'bd-1', '--again')).code).toBe(0);
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'bob' });
  });
});
