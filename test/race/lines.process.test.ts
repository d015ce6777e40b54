/**
 * Real processes that want lines of one file at once: in one work tree all of them have lines; of
 * several work trees, clones and copies of clones one has them.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitGate, startLine, withAgents } from '../support/gate.ts';
import { leasesAt, logFaults } from '../support/log-check.ts';
import {
  at,
  hermetic,
  type Ran,
  repository,
  run,
  type TestRepository,
  temporaryFolder,
} from '../support/repository.ts';

const timeout = 60_000;
const wish = ['reserve', '--lines', 'src/app.ts'] as const;

interface Racer {
  readonly agent: string;
  readonly repo: TestRepository;
}

/** A clone with its log in a bare repository beside it. */
function clone(server: TestRepository): TestRepository {
  const repo = repository();
  repo.git('remote', 'add', 'origin', server.top);
  expect(repo.coord(null, 'remote', 'set', 'origin').code).toBe(0);
  return repo;
}

function bare(hasHook = false): TestRepository {
  const home = temporaryFolder();
  const server = at(join(home, 'server.git'), hermetic(home));
  at(home, server.env).git('init', '-q', '--bare', server.top);
  if (hasHook) expect(run(server.top, server.env, ['install', '--server']).code).toBe(0);
  return server;
}

function linked(repo: TestRepository): TestRepository {
  const folder = join(repo.top, '..', 'linked');
  repo.git('worktree', 'add', '-q', folder);
  return at(folder, repo.env);
}

/** Both have decided on the same tip of the log before either of them swaps. */
async function bothDecided(racers: readonly Racer[]): Promise<readonly Ran[]> {
  const started = [];
  for (const { agent, repo } of racers) {
    const gate = gitGate(repo, 'before');
    const { ended } = repo.start(agent, wish, gate.env);
    await gate.reached();
    started.push({ gate, ended });
  }
  return Promise.all(
    started.map(({ gate, ended }) => {
      gate.open();
      return ended;
    }),
  );
}

/** Each process is loaded, then all are let go at once. */
async function atOnce(racers: readonly Racer[]): Promise<readonly Ran[]> {
  const lines = racers.map(({ agent, repo }) => {
    const line = startLine(repo);
    return { line, started: line.start(agent, wish) };
  });
  await Promise.all(lines.map(({ line }) => line.go()));
  return Promise.all(lines.map(({ started }) => started.ended));
}

const codes = (answers: readonly Ran[]): readonly number[] =>
  answers.map(({ code }) => code).sort();
const holders = (repo: TestRepository): readonly string[] =>
  leasesAt(repo)
    .filter(({ workTree }) => workTree !== undefined)
    .map(({ agent }) => agent.name)
    .sort();

describe('lines of one file, wanted at once', () => {
  test.for([
    ['decided on the same tip', bothDecided],
    ['let go at once', atOnce],
  ] as const)('in one work tree, %s: both have lines', { timeout }, async ([, race]) => {
    const repo = withAgents('ann', 'bob');
    const answers = await race([
      { agent: 'ann', repo },
      { agent: 'bob', repo },
    ]);
    expect(codes(answers)).toEqual([0, 0]);
    expect(holders(repo)).toEqual(['ann', 'bob']);
    const trees = new Set(leasesAt(repo).map(({ workTree }) => workTree));
    expect([...trees]).toEqual([expect.stringMatching(/^[0-9a-z]{8,64}$/)]);
    expect(logFaults(repo)).toEqual([]);
  });

  test.for([
    ['decided on the same tip', bothDecided],
    ['let go at once', atOnce],
  ] as const)('in two work trees, %s: one has them', { timeout }, async ([, race]) => {
    const repo = withAgents('ann', 'bob');
    const answers = await race([
      { agent: 'ann', repo },
      { agent: 'bob', repo: linked(repo) },
    ]);
    expect(codes(answers)).toEqual([0, 1]);
    expect(holders(repo)).toHaveLength(1);
    expect(logFaults(repo)).toEqual([]);
  });

  test.for([
    ['one server', false],
    ['one server with the hook of coord', true],
  ] as const)(
    'in two clones of %s: those of one clone have them',
    { timeout },
    async ([, hasHook]) => {
      const server = bare(hasHook);
      const [one, two] = [clone(server), clone(server)];
      const answers = await atOnce([
        { agent: 'ann', repo: one },
        { agent: 'bob', repo: two },
      ]);
      expect(codes(answers)).toEqual([0, 1]);
      const [winner] = holders(server);
      const [there, elsewhere] = winner === 'ann' ? [one, two] : [two, one];
      expect(there.coord('cy', ...wish).code).toBe(0);
      expect(elsewhere.coord('dee', ...wish).code).toBe(1);
      expect(holders(server)).toEqual([winner, 'cy']);
      expect(logFaults(server)).toEqual([]);
    },
  );

  test('in a clone and a copy of it: one has them', { timeout }, async () => {
    const server = bare();
    const repo = clone(server);
    // The work tree has its id, and the copy has the file that it is kept in.
    expect(repo.coord('ann', 'reserve', '--lines', 'src/other.ts').code).toBe(0);
    const copy = at(join(repo.top, '..', 'copy'), repo.env);
    cpSync(repo.top, copy.top, { recursive: true });
    const answers = await atOnce([
      { agent: 'ann', repo },
      { agent: 'bob', repo: copy },
    ]);
    expect(codes(answers)).toEqual([0, 1]);
    expect(copy.coord('bob', 'check', 'src/other.ts').json['result']).toBe('held');
    expect(logFaults(server)).toEqual([]);
  });
});
