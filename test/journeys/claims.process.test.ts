/** The review of claiming, row by row: what each demands, seen through the verbs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, type Ran, repository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { withBd } from '../support/tracker.ts';

const sources = resolve(import.meta.dirname, '../../src');
const kindOf = ({ json }: Ran): unknown =>
  json['refusal']?.kind ?? json['error']?.code ?? json['result'];

describe('the review of claiming', () => {
  test('held and failed are told apart by their exit code; a claim has its agent within [CLM-M1]', () => {
    const repo = repository();
    expect(repo.coord('ann', 'claim', 'bd-1').code).toBe(0);
    expect(repo.git('show', '-s', '--format=%an %B', 'refs/coord/claims/bd-1')).toMatch(
      /^ann claims bead bd-1 .*Agent: ann \(\w{8}\)/s,
    );
    expect(repo.coord('bob', 'claim', 'bd-1').code).toBe(1);
    expect(repo.coord('bob', '-C', '/', 'claim', 'bd-1').code).toBe(69);
  });

  test(
    'while bd is asked for one claim nobody else waits [CLM-M2]',
    { timeout: 60_000 },
    async () => {
      const repo = repository();
      const bd = withBd(repo, [{ id: 'bd-1' }, { id: 'bd-2' }]);
      const slow = repo.start('ann', ['claim', 'bd-1'], {
        ...bd.env,
        BD_MISBEHAVES: 'hang:update',
        COORD_TRACKER_MS: '6000',
      });
      await eventually(
        'the claim stands',
        () => repo.coord(null, 'status').json['leases'].length === 1,
      );
      expect((await repo.start('bob', ['claim', 'bd-2'], bd.env).ended).code).toBe(0);
      expect(slow.child.exitCode).toBe(null);
      expect((await slow.ended).code).toBe(75);
    },
  );

  test('giving up asks whose it is first, and leaves the tracker alone [CLM-M3]', async () => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }]);
    const run = (agent: string, ...args: readonly string[]): Promise<Ran> =>
      repo.start(agent, args, bd.env).ended;
    expect((await run('ann', 'claim', 'bd-1')).code).toBe(0);
    expect(kindOf(await run('bob', 'unclaim', 'bd-1', '--reopen'))).toBe('not_owner');
    expect((await run('ann', 'unclaim', 'bd-1')).code).toBe(0);
    expect(bd.issue('bd-1')).toMatchObject({ status: 'in_progress', assignee: 'ann' });
  });

  test('who, refusal, log, view and tracker show one name and id [CLM-M4]', async () => {
    const repo = repository();
    const bd = withBd(repo, [{ id: 'bd-1' }]);
    const { id } = (await repo.start('ann', ['claim', 'bd-1'], bd.env).ended).json['leases'][0]
      .agent;
    expect(repo.coord(null, 'who').json['agents'][0]).toMatchObject({
      id,
      name: 'ann',
      beads: ['bd-1'],
    });
    expect(repo.text('bob', 'claim', 'bd-1').stderr).toContain(`ann (${id})`);
    expect(repo.text(null, 'log').stdout).toEqual(expect.stringContaining(`ann (${id})`));
    expect(repo.git('show', '-s', 'refs/coord/claims/bd-1')).toEqual(
      expect.stringContaining(`ann (${id})`),
    );
    expect(bd.issue('bd-1').assignee).toBe('ann');
  });

  test('any agent renews by a verb, and only its own claim [CLM-S1, F-CLM]', () => {
    const repo = repository();
    const [lease] = repo.coord('ann', 'claim', 'bd-1').json['leases'];
    expect(repo.coord('ann', 'renew', lease.id).code).toBe(0);
    expect(kindOf(repo.coord('bob', 'renew', lease.id))).toBe('not_owner');
    const after = repo.coord(null, 'status').json['leases'][0];
    expect(after.token).toBe(lease.token);
    expect(after.renewedAt >= lease.renewedAt).toBe(true);
  });

  test('activity within a minute writes nothing, and no file grows by it [CLM-S2]', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    const files = (): readonly string[] =>
      readdirSync(join(repo.top, '.git/coord'), { recursive: true }).map(String).sort();
    repo.coord('ann', 'check', 'src/a');
    const [before, tip] = [files(), repo.git('rev-parse', 'refs/coord/log')];
    for (let i = 0; i < 5; i += 1)
      for (const args of [['check', 'src/a'], ['status'], ['who'], ['next']])
        repo.coord('ann', ...args);
    expect(files()).toEqual(before);
    expect(repo.git('rev-parse', 'refs/coord/log')).toEqual(tip);
  });

  test('hooks stand on edits and shell commands alone, and none at the end of a turn [CLM-S3, CLM-S4]', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const { hooks } = JSON.parse(readFileSync(join(repo.top, '.claude/settings.json'), 'utf8')) as {
      readonly hooks: Readonly<Record<string, readonly { readonly matcher?: string }[]>>;
    };
    expect(Object.keys(hooks)).not.toContain('Stop');
    for (const event of ['PreToolUse', 'PostToolUse'])
      for (const { matcher } of hooks[event] ?? []) expect(matcher).toMatch(/^[\w|]+$/);
  });

  test('one constant says how long a claim lives [CLM-S5]', () => {
    const all = readdirSync(sources, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(join(sources, name), 'utf8')] as const);
    expect(
      all.filter(([, text]) => /2_?700_?000|\b2700\b|45 \* 60/.test(text)).map(([name]) => name),
    ).toEqual(['core/limits.ts']);
  });

  test.for<readonly [string, readonly string[], RegExp]>([
    ['held', ['claim', 'bd-1'], /next: coord ask \w{8} --reason '<why>' --agent bob/],
    ['not yours', ['done', 'bd-1', '--no-change', '--reason', 'x'], /next: coord status/],
    ['nothing ready', ['claim', '--next'], /next: coord next/],
    ['no request', ['answer', 'zzzzzzzz', 'accept'], /next: coord inbox/],
    ['no lease', ['ask', 'zzzzzzzz', '--reason', 'x'], /next: coord status/],
    ['bad bead', ['claim', 'a b'], /try: use letters/],
  ])('%s says what to do next [CLM-L1]', ([, args, words]) => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    expect(repo.text('bob', ...args).stderr).toMatch(words);
  });

  test('who lists the last active first, and reads while the log is locked [CLM-L2, CLM-L3]', () => {
    const repo = repository();
    for (const agent of ['ann', 'bob']) repo.coord(agent, 'claim', `bd-${agent}`);
    writeFileSync(join(repo.top, '.git/refs/coord/log.lock'), '');
    const ran = repo.coord(null, 'who');
    expect(ran.code).toBe(0);
    expect(ran.json['agents'].map(({ name }: { name: string }) => name)).toEqual(['bob', 'ann']);
  });

  test('a run that waits for a file and a holder of that file who waits for the run do not wait for ever', async () => {
    const repo = repository();
    repo.coord('ann', 'lock', 'test');
    repo.coord('bob', 'reserve', 'src/a');
    const waiting = repo.start('ann', ['reserve', 'src/a', '--wait', '1m']);
    await eventually('ann waits', () => repo.coord(null, 'status').json['waits'].length === 1);
    expect(kindOf(repo.coord('bob', 'verify', '--', 'true'))).toBe('deadlock');
    repo.coord('bob', 'release', '--all');
    expect((await waiting.ended).code).toBe(0);
  });
});
