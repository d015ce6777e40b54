/**
 * A day of two persons and three agents in two clones, one of them by commits alone: afterwards the
 * log alone says who did, was refused and overrode what, when and why.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ran, repository, type TestRepository } from '../support/repository.ts';
import { ranIn, session } from '../support/sessions.ts';

type Told = Readonly<Record<string, unknown>>;

interface Office {
  readonly first: TestRepository;
  readonly second: TestRepository;
}

function office(): Office {
  const first = repository();
  const origin = join(first.top, '../origin.git');
  for (const path of ['src/parser', 'src/lexer', 'doc/guide']) first.write(path, 'begin\n');
  first.git('add', '.');
  first.git('commit', '-q', '-m', 'begin');
  first.git('init', '-q', '--bare', origin);
  first.git('remote', 'add', 'origin', origin);
  first.git('push', '-q', 'origin', 'main');
  const second = repository();
  second.git('remote', 'add', 'origin', origin);
  second.git('fetch', '-q');
  second.git('reset', '-q', '--hard', 'origin/main');
  for (const [repo, who] of [
    [first, 'pat'],
    [second, 'kim'],
  ] as const) {
    repo.git('config', 'user.email', `${who}@example.com`);
    expect(repo.coord(null, 'install').code).toBe(0);
    expect(repo.coord(null, 'remote', 'set', 'origin').code).toBe(0);
  }
  return { first, second };
}

function commits(
  repo: TestRepository,
  env: Readonly<Record<string, string>>,
  path: string,
  message: string,
): Ran {
  appendFileSync(join(repo.top, path), `${message}\n`);
  return ranIn(repo.top, { ...repo.env, ...env }, 'git', [
    'commit',
    '-q',
    '-m',
    message,
    '--',
    path,
  ]);
}

const by = (name: string): unknown =>
  expect.objectContaining({ name: expect.stringMatching(new RegExp(`^${name}(\\.|$)`)) });

/** What the log has to tell of it. */
const theDay: readonly Told[] = [
  { event: 'acquired', agent: by('ann'), patterns: ['src/parser'], reason: 'a faster loop' },
  { event: 'acquired', agent: by('bob'), patterns: ['src/lexer'], reason: 'unicode' },
  { event: 'committed', agent: by('bob'), paths: ['src/lexer'] },
  {
    event: 'conflict',
    agent: by('cy'),
    patterns: ['src/parser'],
    why: 'held',
    blockers: [expect.objectContaining({ agent: by('ann') })],
  },
  { event: 'blocked', agent: by('bob'), paths: ['src/parser'], why: 'held', holders: [by('ann')] },
  { event: 'asked', by: by('kim'), agent: by('ann'), reason: 'the release waits' },
  { event: 'committed', agent: by('ann'), paths: ['src/parser'] },
  { event: 'blocked', agent: by('pat'), paths: ['src/parser'], holders: [by('kim')] },
  {
    event: 'overridden',
    agent: by('pat'),
    paths: ['src/parser'],
    reason: 'licence header, kim is at lunch',
    holders: [by('kim')],
  },
  { event: 'ended', agent: by('ann') },
];

test('who did, was refused and overrode what, when and why', () => {
  const { first, second } = office();
  const began = Date.now();
  const [ann, cy] = [session(first, 'ann'), session(second, 'cy')];

  // Morning: ann takes the parser, bob works on the lexer by git alone, cy would like the parser.
  expect(ann.coord('reserve', 'src/parser', '--reason', 'a faster loop').code).toBe(0);
  expect(first.coord('bob', 'reserve', 'src/lexer', '--reason', 'unicode').code).toBe(0);
  expect(commits(first, { COORD_AGENT: 'bob' }, 'src/lexer', 'unicode names').code).toBe(0);
  expect(cy.coord('reserve', 'src/parser', '--reason', 'error messages').code).toBe(1);

  // bob slips into the parser, and is stopped.
  expect(commits(first, { COORD_AGENT: 'bob' }, 'src/parser', 'a quick fix').code).toBe(1);
  first.git('checkout', '-q', '--', 'src/parser');

  // Noon: kim asks ann, who hands it over.
  const asked = second.coord(null, 'ask', 'src/parser', '--reason', 'the release waits').json[
    'request'
  ] as { readonly id: string };
  ann.edit('src/parser', 'a faster loop');
  expect(ann.git('commit', '-q', '-m', 'a faster loop')).toMatchObject({ code: 0 });
  expect(ann.coord('answer', asked.id, 'accept').code).toBe(0);

  // Afternoon: pat needs one line of what kim holds, says so, and does it.
  expect(commits(first, {}, 'src/parser', 'licence').code).toBe(1);
  expect(
    ranIn(first.top, { ...first.env, COORD_OVERRIDE: 'licence header, kim is at lunch' }, 'git', [
      'commit',
      '-q',
      '-m',
      'licence',
      '--',
      'src/parser',
    ]).code,
  ).toBe(0);
  expect(second.coord(null, 'inbox').stdout).toContain('licence header');

  // Evening: everybody goes home.
  expect(ann.coord('session', 'end').code).toBe(0);
  expect(cy.coord('session', 'end').code).toBe(0);
  first.coord('bob', 'release', '--all');
  second.coord(null, 'release', '--all');

  for (const repo of [first, second]) {
    const log = repo
      .coord(null, 'log')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told);
    for (const one of theDay) expect(log).toContainEqual(expect.objectContaining(one));
    const times = log.map(({ at }) => Date.parse(String(at)));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(began - 60_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now() + 1_000);
  }
});
