/** The life of a unit of work, by its verbs, in real processes. */
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ran, repository, type TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

const kindOf = ({ json }: Ran): unknown =>
  json['refusal']?.kind ?? json['error']?.code ?? json['result'];

const finish = (repo: TestRepository, agent: string, bead: string): Ran =>
  repo.coord(agent, 'done', bead, '--no-change', '--reason', 'nothing to do');

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

  test('who fails leaves the reason, the cause, the end of the log, the commit, what it held and what to try; the next one is told, and after three it waits for a person [A6]', () => {
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

  test.for([
    '',
    ' ',
    '-x',
    'a b',
    'a\nb',
    'x'.repeat(200),
    '../x',
    '$(id)',
  ])('%j is no bead', (bead) => {
    const repo = repository();
    expect(repo.coord('ann', 'claim', '--', bead).code).toBe(64);
  });
});
