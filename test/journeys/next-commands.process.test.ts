/**
 * The next command that a refusal prints, followed to the letter: the situation ends, and nobody's
 * edit is lost or goes along with somebody else's.
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { follow, nextIn } from '../support/follow.ts';
import { logFaults } from '../support/log-check.ts';
import {
  eventually,
  repository,
  type Started,
  start,
  type TestRepository,
} from '../support/repository.ts';
import { checkout, pathsIn, session } from '../support/sessions.ts';

interface Held {
  readonly agent: { readonly name: string };
  readonly kind: string;
  readonly patterns: readonly string[];
}

function holdings(repo: TestRepository, name: string): readonly (readonly string[])[] {
  const leases = repo.coord(null, 'status').json['leases'] as readonly Held[];
  return leases
    .filter(({ agent, kind }) => agent.name === name && kind === 'reservation')
    .map(({ patterns }) => patterns);
}

async function inLine(repo: TestRepository, name: string): Promise<void> {
  const names = (): readonly string[] =>
    (repo.coord(null, 'status').json['waits'] as readonly Held[]).map(({ agent }) => agent.name);
  await eventually(`${name} stands in line`, () => names().includes(name));
}

/** Ann waits for what bob holds. */
async function annWaits(repo: TestRepository, ...args: readonly string[]): Promise<Started> {
  const waiting = repo.start('ann', args);
  await inLine(repo, 'ann');
  return waiting;
}

describe('after a deadlock [U15]', () => {
  test('what is unchanged is given up, the other is granted, and then all comes', async () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    repo.coord('bob', 'reserve', 'b');
    const ann = await annWaits(repo, 'reserve', 'b', '--wait', '60s');
    const refused = repo.text('bob', 'reserve', 'a', '--wait', '60s');
    expect(refused.code).toBe(1);
    expect(nextIn(refused.stderr)).toBe('coord reserve --yield --wait 2m --agent bob a');
    const bob = follow(repo, nextIn(refused.stderr));
    expect((await ann.ended).json['result']).toBe('granted');
    await inLine(repo, 'bob');
    expect(holdings(repo, 'ann').flat()).toEqual(['b', 'a']);
    expect(holdings(repo, 'bob')).toEqual([]);
    repo.coord('ann', 'release', '--all');
    const granted = await bob.ended;
    expect(granted.code).toBe(0);
    expect(granted.stderr.includes('gave up b, and asks for it again together with the rest')).toBe(
      true,
    );
    expect(holdings(repo, 'bob')).toEqual([['a', 'b']]);
  });

  test('edits that are not committed are committed first, by nobody but their author', async () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.coord('reserve', 'src/b', 'src/new', 'src/e');
    const edit = (path: string, line: string): void => {
      appendFileSync(join(repo.top, path), `${line}\n`);
    };
    edit('src/a', 'of ann, unfinished');
    edit('src/b', 'of bob');
    edit('src/new', 'new, of bob');
    edit('src/e', 'of bob, unfinished');
    const wanted = ['src/b', 'src/new'];
    const anns = start(repo.top, ann.env, ['--json', 'reserve', ...wanted, '--wait', '60s']);
    await inLine(repo, 'ann');
    const first = await start(repo.top, bob.env, ['reserve', 'src/a', '--wait', '60s']).ended;
    const second = await follow(repo, nextIn(first.stderr), bob.env).ended;
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('has uncommitted changes: src/b, src/new\n');
    expect(holdings(repo, 'bob')).toEqual([['src/b', 'src/new', 'src/e']]);
    const bobs = follow(repo, nextIn(second.stderr), bob.env);
    expect((await anns.ended).json['result']).toBe('granted');
    await inLine(repo, 'bob');
    const author = repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)');
    expect(pathsIn(repo)).toBe('src/b src/new');
    expect(author).toEqual(expect.stringMatching(/^bob /));
    expect(holdings(repo, 'bob')).toEqual([['src/e']]);
    edit('src/b', 'of ann, behind bob');
    ann.git('add', 'src/a', 'src/b');
    expect(ann.git('commit', '-q', '-m', 'both').code).toBe(0);
    const lines = repo.git('show', '--format=', '-U0', 'HEAD').match(/^[+-][^+-].*/gm);
    expect(lines).toEqual(['+of ann, unfinished', '+of ann, behind bob']);
    ann.coord('release', '--all');
    expect((await bobs.ended).code).toBe(0);
    expect(holdings(repo, 'bob').flat().toSorted()).toEqual(['src/a', 'src/b', 'src/e', 'src/new']);
    expect(readFileSync(join(repo.top, 'src/b'), 'utf8')).toMatch(/of bob\nof ann, behind bob\n$/);
    expect(repo.git('status', '--porcelain')).toBe(' M src/e\n');
  });

  test("what is changed and in nobody's way is kept as it is, held and uncommitted", async () => {
    const repo = checkout({ guarded: false });
    repo.coord('ann', 'reserve', 'src/a');
    repo.coord('bob', 'reserve', 'src/b', 'src/c');
    appendFileSync(join(repo.top, 'src/b'), 'of bob\n');
    const ann = await annWaits(repo, 'reserve', 'src/c', '--wait', '60s');
    const bob = follow(repo, nextIn(repo.text('bob', 'reserve', 'src/a', '--wait', '60s').stderr));
    expect((await ann.ended).json['result']).toBe('granted');
    await inLine(repo, 'bob');
    expect(holdings(repo, 'bob')).toEqual([['src/b']]);
    expect(repo.git('diff', '--name-only').trim()).toBe('src/b');
    repo.coord('ann', 'release', '--all');
    expect((await bob.ended).code).toBe(0);
    expect(holdings(repo, 'bob').flat().toSorted()).toEqual(['src/a', 'src/b', 'src/c']);
  });

  test('a wait that came to nothing asks for what was given up too, from any folder', async () => {
    const repo = repository();
    mkdirSync(join(repo.top, 'lib'));
    repo.coord('ann', 'reserve', 'src/a');
    repo.coord('bob', 'reserve', 'src/[b]/**', 'lib/-c');
    const ann = await annWaits(repo, 'reserve', 'src/b/x', '--wait', '60s');
    const lib = join(repo.top, 'lib');
    const line = 'coord reserve --yield --wait 1s --agent bob ../src/a';
    const out = await follow(repo, line, repo.env, lib).ended;
    const next = "coord reserve --wait 2m --yield --agent bob ../src/a '../src/[b]/**' ./-c";
    expect(out.code).toBe(75);
    expect(nextIn(out.stderr)).toEqual(next);
    expect(out.stderr.includes('not held any more: src/[b]/**, lib/-c')).toBe(true);
    expect(holdings(repo, 'bob')).toEqual([]);
    expect((await ann.ended).json['result']).toBe('granted');
    repo.coord('ann', 'release', '--all');
    expect((await follow(repo, next, repo.env, lib).ended).code).toBe(0);
    expect(holdings(repo, 'bob')).toEqual([['src/a', 'src/[b]/**', 'lib/-c']]);
  });

  test('a circle of four, each of which wants what the next one holds, ends for all', async () => {
    const repo = repository();
    const names = ['ann', 'bob', 'cid', 'dan'];
    for (const name of names) repo.coord(name, 'reserve', `of-${name}`);
    const ended = names.map((name, i) => {
      const wanted = `of-${names[(i + 1) % names.length] ?? ''}`;
      const taken = `coord reserve --agent ${name} --wait 100s --yield ${wanted}`;
      return follow(repo, `${taken} && coord release --agent ${name} --all`).ended;
    });
    expect((await Promise.all(ended)).map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(logFaults(repo)).toEqual([]);
  });

  test('a lock that is waited for beside paths: they are freed, and the lock comes', async () => {
    const repo = repository();
    repo.coord('ann', 'lock', 'test');
    repo.coord('bob', 'reserve', 'b');
    const ann = await annWaits(repo, 'reserve', 'b', '--wait', '60s');
    const refused = repo.text('bob', 'lock', 'test', '--wait', '60s');
    expect(nextIn(refused.stderr)).toBe(
      'coord release --unchanged --agent bob && coord lock --wait 2m --agent bob test',
    );
    const bob = follow(repo, nextIn(refused.stderr));
    expect((await ann.ended).json['result']).toBe('granted');
    repo.coord('ann', 'unlock', 'test');
    expect((await bob.ended).code).toBe(0);
  });

  test('a bead or a lock may be in the middle of something: the other one is asked', async () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0].id as string;
    repo.coord('bob', 'claim', 'bd-1');
    const ann = await annWaits(repo, 'claim', 'bd-1', '--wait', '60s');
    const refused = repo.text('bob', 'reserve', 'a', '--wait', '60s');
    expect(nextIn(refused.stderr)).toBe(`coord ask ${lease} --reason '<why>' --agent bob`);
    expect((await follow(repo, nextIn(refused.stderr)).ended).code).toBe(0);
    repo.coord('ann', 'answer', lease, 'accept');
    expect(holdings(repo, 'bob')).toEqual([['a']]);
    repo.coord('bob', 'unclaim', 'bd-1');
    expect((await ann.ended).json['result']).toBe('granted');
  });
});

describe('after a claim [U15]', () => {
  test('that is held by another: another bead, where there is a tracker', async () => {
    const repo = repository();
    repo.git('config', 'coord.tracker', 'file');
    repo.write(
      '.beads/issues.jsonl',
      ['bd-1', 'bd-2'].map((id) => `{"id":"${id}","title":"x"}\n`).join(''),
    );
    repo.coord('ann', 'claim', 'bd-1');
    const refused = repo.text('bob', 'claim', 'bd-1');
    expect(nextIn(refused.stderr)).toBe('coord claim --next --agent bob');
    const taken = await follow(repo, nextIn(refused.stderr)).ended;
    expect({ code: taken.code, stdout: taken.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('granted bead bd-2'),
    });
  });

  test('that is held by another: its holder is asked where no other can be had', async () => {
    const repo = repository();
    const lease = repo.coord('ann', 'claim', 'bd-1').json['leases'][0].id as string;
    const line = `coord ask ${lease} --reason '<why>' --agent bob`;
    expect(nextIn(repo.text('bob', 'claim', 'bd-1').stderr)).toBe(line);
    expect(nextIn(repo.text('bob', 'claim', 'bd-1', '--wait', '1s').stderr)).toBe(line);
    repo.git('config', 'coord.mode', 'sequential');
    repo.git('config', 'coord.tracker', 'file');
    repo.write('.beads/issues.jsonl', '{"id":"bd-2","title":"x"}\n');
    expect(nextIn(repo.text('bob', 'claim', 'bd-2').stderr)).toBe(line);
    expect((await follow(repo, line).ended).code).toBe(0);
    expect(repo.coord('ann', 'answer', lease, 'accept').code).toBe(0);
  });

  test('that is soon over: it is waited for', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1', '--ttl', '5s', '-c', 'coord.grace=10s');
    expect(nextIn(repo.text('bob', 'claim', 'bd-1', '-c', 'coord.grace=10s').stderr)).toBe(
      'coord claim --wait 2m --agent bob --config coord.grace=10s bd-1',
    );
  });

  test('that is one too many: what rested longest is given back, and makes room', async () => {
    const repo = repository();
    for (let i = 0; i < 8; i += 1) repo.coord('ann', 'claim', `bd-${i}`);
    // Touched again, so that the next one has rested longest.
    repo.coord('ann', 'unclaim', 'bd-0');
    repo.coord('ann', 'claim', 'bd-0');
    const refused = repo.text('ann', 'claim', 'bd-9');
    expect(refused.code).toBe(1);
    expect(nextIn(refused.stderr)).toBe('coord unclaim bd-1 --agent ann');
    expect((await follow(repo, nextIn(refused.stderr)).ended).code).toBe(0);
    expect(repo.coord('ann', 'claim', 'bd-9').json['result']).toBe('granted');
  });
});
