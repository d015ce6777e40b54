/** Lines of a file, from each side that coord can be asked from. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCoord } from '../../../src/index.ts';
import { call, connected } from '../../support/mcp-client.ts';
import { at, repository, type TestRepository } from '../../support/repository.ts';

describe('coord reserve --lines', () => {
  test('is granted beside others in this work tree, and plain git shows it', () => {
    const repo = repository();
    for (const agent of ['ann', 'bob'])
      expect(repo.text(agent, 'reserve', '--lines', 'src/app.ts').stdout).toContain(
        'granted lines of src/app.ts: ',
      );
    expect(
      repo.git('for-each-ref', '--format=%(contents:subject)', 'refs/coord/reservations'),
    ).toMatch(/^reserves lines of src\/app\.ts until [\d:]+Z$/m);
    const { leases } = repo.coord(null, 'status').json;
    expect(new Set(leases.map((lease: { workTree?: string }) => lease.workTree)).size).toBe(1);
    expect(repo.coord('eve', 'check', 'src/app.ts')).toMatchObject({
      code: 0,
      json: { result: 'shared', sharers: [{}, {}] },
    });
  });

  test('takes directories and patterns too', () => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', '--lines', 'src/**', 'lib/').code).toBe(0);
    expect(repo.coord('bob', 'reserve', '--lines', 'src/app.ts', 'lib/x.ts').code).toBe(0);
    expect(repo.coord('eve', 'reserve', 'lib/y.ts').json['refusal']).toMatchObject({ lines: true });
    expect(repo.coord('eve', 'reserve', '--lines', '**').json['error'].code).toBe('needs_wide');
  });

  test('does not go with --shared', () => {
    const { code, json } = repository().coord('ann', 'reserve', '--lines', '--shared', 'a');
    expect({ code, error: json['error'] }).toMatchObject({
      code: 64,
      error: { code: 'usage', message: expect.stringContaining('readers') },
    });
  });

  test('is what a refused agent is told to run, and can', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', '--lines', 'src/app.ts');
    const { next } = repo.coord('bob', 'reserve', 'src/app.ts', '--reason', 'b').json;
    expect(next).toBe('coord reserve --lines --wait 2m --agent bob --reason b src/app.ts');
    const words = next.split(' ').slice(1);
    expect(repo.coord(null, ...words)).toMatchObject({ code: 0, json: { result: 'granted' } });
  });

  test('waits for who has all of it, and is served once that one would do with lines', async () => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', 'src/app.ts').code).toBe(0);
    const waiting = repo.start('bob', ['reserve', '--lines', 'src/app.ts', '--wait', '1m']);
    await expect
      .poll(() => repo.coord(null, 'status').json['waits'], { timeout: 20_000 })
      .toMatchObject([{ mode: 'lines' }]);
    expect(repo.coord('ann', 'reserve', '--lines', 'src/app.ts').json['leases']).toMatchObject([
      { mode: 'lines' },
    ]);
    expect(await waiting.ended).toMatchObject({ code: 0, json: { leases: [{ mode: 'lines' }] } });
  });
});

test('lines can be asked for by the library and by the MCP server', async () => {
  const repo = repository();
  const ann = createCoord({ cwd: repo.top, agent: 'ann', env: repo.env });
  expect(await ann.reserve('src/app.ts', { lines: true })).toMatchObject({
    result: 'granted',
    leases: [{ mode: 'lines' }],
  });
  await expect(ann.reserve('src/app.ts', { lines: true, shared: true })).rejects.toThrow(
    'it cannot be both',
  );
  const bob = await connected(repo, { COORD_AGENT: 'bob' });
  expect(await call(bob, 'check', { patterns: ['src/app.ts'] })).toMatchObject({
    said: { result: 'shared', sharers: [{ agent: { name: 'ann' } }] },
  });
  expect(await call(bob, 'reserve', { patterns: ['src/app.ts'], lines: true })).toMatchObject({
    said: { result: 'granted', leases: [{ mode: 'lines' }] },
  });
  await bob.close();
});

test('a work tree has its id from wherever one comes, and a linked one its own', () => {
  const repo = repository();
  const treeOf = (place: TestRepository, file: string): string =>
    place.coord('ann', 'reserve', '--lines', file).json['leases'][0].workTree;
  const id = treeOf(repo, 'a');
  repo.write('src/x');
  expect(treeOf(at(join(repo.top, 'src'), repo.env), 'b')).toBe(id);
  execFileSync('ln', ['-s', repo.top, join(repo.top, '..', 'link')]);
  expect(treeOf(at(join(repo.top, '..', 'link'), repo.env), 'c')).toBe(id);
  repo.git('worktree', 'add', '-q', '../linked');
  expect(treeOf(at(join(repo.top, '..', 'linked'), repo.env), 'd')).not.toBe(id);
});
