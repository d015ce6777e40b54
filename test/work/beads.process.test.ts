/** The life of a unit of work, by its verbs, in real processes. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, type Ran, repository, type TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';
import { after, withBd, withFile } from '../support/tracker.ts';

const kindOf = ({ json }: Ran): unknown =>
  json['refusal']?.kind ?? json['error']?.code ?? json['result'];
const beadsIn = (ran: Ran): readonly string[] =>
  ran.json['beads'].map(({ id }: { id: string }) => id);
const finish = (repo: TestRepository, agent: string, bead: string): Ran =>
  repo.coord(agent, 'done', bead, '--no-change', '--reason', 'nothing to do');

describe('what is next', () => {
  test('most urgent first; what is blocked, claimed, done or parked is not offered', () => {
    const repo = repository();
    withFile(repo, [
      { id: 'bd-1', priority: 2 },
      { id: 'bd-2', priority: 0 },
      { id: 'bd-3', priority: 0, ...after('bd-1') },
      { id: 'bd-4', status: 'closed' },
      { id: 'bd-5', priority: 3, ...after('bd-4') },
      { id: 'bd-6', status: 'deferred' },
    ]);
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-2', 'bd-1', 'bd-5']);
    expect(repo.coord('ann', 'claim', '--next').json['bead']).toBe('bd-2');
    expect(repo.coord('bob', 'claim', '--next').json['bead']).toBe('bd-1');
    expect(beadsIn(repo.coord('eve', 'next'))).toEqual(['bd-5']);
    expect(finish(repo, 'bob', 'bd-1').code).toBe(0);
    expect(beadsIn(repo.coord('eve', 'next'))).toEqual(['bd-3', 'bd-5']);
  });

  test('of equals, what suits an agent by its tags and by what it has finished; what needs a tag goes to nobody without it', () => {
    const repo = repository();
    withFile(
      repo,
      ['a', 'b', 'c', 'd'].map((name, i) => ({
        id: `bd-${name}`,
        priority: 1,
        created_at: `2026-01-0${i + 1}T00:00:00Z`,
        labels: [['docs'], ['needs:gpu'], ['sql'], ['sql']][i] ?? [],
      })),
    );
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-a', 'bd-c', 'bd-d']);
    expect(beadsIn(repo.coord('ann', 'next', '--tag', 'gpu'))).toEqual([
      'bd-b',
      'bd-a',
      'bd-c',
      'bd-d',
    ]);
    expect(beadsIn(repo.coord('ann', '-c', 'coord.tags=gpu sql', 'next'))[0]).toBe('bd-b');
    expect(repo.coord('bob', 'claim', 'bd-c').code).toBe(0);
    expect(finish(repo, 'bob', 'bd-c').code).toBe(0);
    expect(beadsIn(repo.coord('bob', 'next'))).toEqual(['bd-d', 'bd-a']);
    expect(beadsIn(repo.coord('ann', 'next'))).toEqual(['bd-a', 'bd-d']);
  });

  test('--next --wait stands by until something is ready', async () => {
    const repo = repository();
    withFile(repo, [{ id: 'bd-1' }, { id: 'bd-2', ...after('bd-1') }]);
    repo.coord('ann', 'claim', 'bd-1');
    const waiting = repo.start('bob', ['claim', '--next', '--wait', '1m']);
    expect(repo.coord('eve', 'claim', '--next', '--wait', '1s').json['refusal']).toEqual({
      kind: 'nothing_ready',
    });
    expect(finish(repo, 'ann', 'bd-1').code).toBe(0);
    expect((await waiting.ended).json['bead']).toBe('bd-2');
  });

  test('a stalled bead is taken where nothing else is ready, and its holder is told', async () => {
    const repo = repository();
    withFile(repo, [{ id: 'bd-1' }, { id: 'bd-2' }]);
    const stalled = ['-c', 'coord.stalledafter=0s'];
    expect(repo.coord('ann', ...stalled, 'claim', 'bd-1').code).toBe(0);
    expect(repo.coord('bob', ...stalled, 'claim', '--next').json['bead']).toBe('bd-2');
    // The clock of a system ticks every 10 ms.
    await eventually('both have stalled', () =>
      repo
        .coord(null, ...stalled, 'who')
        .json['agents'].every(({ stalled: is }: { stalled: boolean }) => is),
    );
    expect(repo.coord('eve', 'claim', '--next').json['refusal']).toEqual({ kind: 'nothing_ready' });
    expect(repo.coord('eve', ...stalled, 'claim', '--next').json['bead']).toMatch(/^bd-/);
    expect(repo.coord(null, 'log').stdout).toContain('"event":"taken"');
  });

  test('a file that is damaged is named with its line, and nothing is claimed', () => {
    const repo = repository();
    repo.write('.beads/issues.jsonl', '{"id":"bd-1"}\n{"id":\n');
    const ran = repo.coord('ann', 'claim', '--next');
    expect({ code: ran.code, message: ran.json['error'].message }).toEqual({
      code: 69,
      message: expect.stringMatching(/^line 2 of .*issues\.jsonl is not an issue$/),
    });
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });
});

describe('the end of a bead', () => {
  test('done is done: nobody gets it again unless it is opened again, and saying it twice is once', () => {
    const repo = repository();
    expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
    expect(kindOf(finish(repo, 'bob', 'bd-1'))).toBe('not_owner');
    expect(finish(repo, 'ann', 'bd-1').code).toBe(0);
    expect(finish(repo, 'ann', 'bd-1').code).toBe(0);
    expect(kindOf(repo.coord('bob', 'claim', 'bd-1'))).toBe('bead_done');
    expect(kindOf(finish(repo, 'bob', 'bd-1'))).toBe('nothing_matched');
    expect(repo.coord('bob', 'claim', 'bd-1', '--again').code).toBe(0);
  });

  test('a bead without a commit of its own is not done, unless there was nothing to do, and why', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    const refused = repo.coord('ann', 'done', 'bd-1');
    expect({ code: refused.code, missing: refused.json['missing'] }).toEqual({
      code: 1,
      missing: [
        { what: 'bead', why: expect.stringContaining('no commit since bd-1 was claimed names it') },
      ],
    });
    expect(kindOf(repo.coord('ann', 'done', 'bd-1', '--no-change'))).toBe('needs_reason');
    expect(repo.coord(null, 'status').json['leases']).toHaveLength(1);
  });

  test('A6: who fails leaves the reason, the cause, the end of the log, the commit, what it held and what to try; the next one is told, and after three it waits for a person', () => {
    const repo = repository();
    repo.write(
      'run.log',
      `${'x'.repeat(5_000)}\n${String.fromCharCode(27)}[31mError: port 5432 taken\n`,
    );
    const agents = ['ann', 'bob', 'eve'];
    for (const [i, agent] of agents.entries()) {
      const claimed = repo.coord(agent, 'claim', 'bd-1');
      expect(claimed.json['failed'] ?? []).toEqual(
        i === 0
          ? []
          : [
              expect.objectContaining({
                bead: 'bd-1',
                failures: i,
                cause: 'shared-state',
                reason: `try ${i}`,
                next: 'use a socket',
                tail: expect.stringContaining('Error: port 5432 taken'),
                held: ['src/db.ts'],
                commit: repo.git('rev-parse', 'HEAD').trim(),
              }),
            ],
      );
      expect(repo.coord(agent, 'reserve', 'src/db.ts').code).toBe(0);
      const failed = repo.coord(
        agent,
        'unclaim',
        'bd-1',
        '--failed',
        '--cause',
        'shared-state',
        '--reason',
        `try ${i + 1}`,
        '--try',
        'use a socket',
        '--log',
        'run.log',
      );
      expect({ code: failed.code, result: failed.json['result'] }).toEqual({
        code: 0,
        result: i === 2 ? 'parked' : 'failed',
      });
      expect(repo.coord(agent, 'release', 'src/db.ts').code).toBe(0);
    }
    expect(kindOf(repo.coord('dan', 'claim', 'bd-1', '--again'))).toBe('bead_parked');
    const text = repo.text('dan', 'claim', 'bd-1');
    expect({ code: text.code, stderr: text.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('has failed 3 times and waits for a person'),
    });
    expect(repo.coord(null, 'stats').json['failures']).toEqual({ count: 3, sharedState: 3 });
    expect(repo.text(null, 'claim', 'bd-1').stdout.split('\n')[0]).toMatch(
      /^bd-1 has failed 3 times, last by eve \(\w{8}\) \(shared-state\): try 3$/,
    );
  });

  test('nothing of a log is followed elsewhere, shown raw, or read whole', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    symlinkSync('/etc/passwd', join(repo.top, 'link.log'));
    mkdirSync(join(repo.top, 'folder.log'));
    for (const log of ['link.log', 'folder.log', 'missing.log'])
      expect(kindOf(repo.coord('ann', 'unclaim', 'bd-1', '--failed', '--log', log)), log).toBe(
        'bad_log',
      );
    writeFileSync(join(repo.top, 'big.log'), '');
    truncateSync(join(repo.top, 'big.log'), 1_000_000_000);
    expect(repo.coord('ann', 'unclaim', 'bd-1', '--failed', '--log', 'big.log').code).toBe(0);
    expect(repo.git('show', 'refs/coord/log:beads').length).toBeLessThan(20_000);
  });

  test('a session that ends with --handoff leaves its leases to whom it names, or a word on its beads', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('claim', 'bd-1');
    ann.coord('reserve', 'src/a');
    expect(
      ann.coord('session', 'end', '--handoff', '--to', 'bob', '--reason', 'half done').code,
    ).toBe(0);
    expect(
      repo
        .coord(null, 'status')
        .json['leases'].map(({ agent }: { agent: { name: string } }) => agent.name),
    ).toEqual(['bob', 'bob']);
    expect(bob.coord('inbox').stdout).toContain('half done');
    expect(bob.coord('session', 'end', '--handoff', '--reason', 'see the branch').code).toBe(0);
    expect(repo.coord('eve', 'claim', 'bd-1').json['failed']).toEqual([
      expect.objectContaining({ reason: 'see the branch', failures: 0, held: ['src/a'] }),
    ]);
  });

  test.for(['', ' ', '-x', 'a b', 'a\nb', 'x'.repeat(200), '../x', '$(id)'])(
    '%j is no bead',
    (bead) => {
      const repo = repository();
      expect(repo.coord('ann', 'claim', '--', bead).code).toBe(64);
    },
  );
});

describe('one winner', () => {
  test("a bead is one agent's, also in a family", () => {
    const repo = repository();
    expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
    expect(kindOf(repo.coord('ann/kid', 'claim', 'bd-1'))).toBe('held');
    expect(repo.coord('ann/kid', 'claim', 'bd-2').code).toBe(0);
    expect(kindOf(repo.coord('ann', 'claim', 'bd-2'))).toBe('held');
  });

  test('8 at once, each the next of 8 beads: 8 different beads in one round', {
    timeout: 60_000,
  }, async () => {
    const repo = repository();
    withFile(
      repo,
      Array.from({ length: 8 }, (_, i) => ({ id: `bd-${i}` })),
    );
    const ran = await Promise.all(
      Array.from({ length: 8 }, (_, i) => repo.start(`agent-${i}`, ['claim', '--next']).ended),
    );
    expect(ran.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(new Set(ran.map(({ json }) => json['bead'])).size).toBe(8);
  });

  test('50 at once for one bead: one has it, everybody else is told who', {
    timeout: 120_000,
  }, async () => {
    const repo = repository();
    const ran = await Promise.all(
      Array.from({ length: 50 }, (_, i) => repo.start(`agent-${i}`, ['claim', 'bd-1']).ended),
    );
    const winners = ran.flatMap(({ code, json }) =>
      code === 0 ? json['leases'][0].agent.name : [],
    );
    expect(winners).toHaveLength(1);
    expect(
      ran.filter(({ code }) => code === 1).map(({ json }) => json['blockers'][0].agent.name),
    ).toEqual(Array.from({ length: 49 }, () => winners[0]));
  });
});

describe('beside bd', () => {
  const claimed = (
    repo: TestRepository,
    bd: { readonly env: Readonly<Record<string, string>> },
    agent: string,
    wrong = '',
    ...args: readonly string[]
  ): Promise<Ran> =>
    repo.start(agent, args, { ...bd.env, BD_MISBEHAVES: wrong, COORD_TRACKER_MS: '1500' }).ended;

  test.for(['', 'bare'])(
    'a claim is in both under one name, and so is its end (%j)',
    async (form) => {
      const repo = repository();
      const bd = withBd(repo, [{ id: 'bd-1' }, { id: 'bd-2', ...after('bd-1') }]);
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
    },
  );

  test.for<readonly [string, string, number, RegExp]>([
    ['hangs', 'hang:update', 75, /bd update has not answered in time/],
    ['prints rubbish', 'rubbish:update', 69, /no JSON/],
    ['says yes and does nothing', 'lie:update', 1, /it said yes; it is open there/],
    ['fails', 'fail:update', 1, /database is locked; it is open there/],
    ['cannot even be asked', 'fail:show', 69, /bd show failed: database is locked/],
  ])(
    'a bd that %s: the claim is given back, and what it said is shown',
    async ([, wrong, code, words]) => {
      const repo = repository();
      const bd = withBd(repo, [{ id: 'bd-1' }]);
      const ran = await claimed(repo, bd, 'ann', wrong, 'claim', 'bd-1');
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({
        code,
        stdout: expect.stringMatching(words),
      });
      expect(repo.coord(null, 'status').json['leases']).toEqual([]);
      expect((await claimed(repo, bd, 'bob', '', 'claim', 'bd-1')).code).toBe(0);
    },
  );

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
