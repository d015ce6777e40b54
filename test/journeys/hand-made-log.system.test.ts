/**
 * Records that somebody has written into the log by hand, past every limit: they fail nobody else's
 * commands, and doctor ends them.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { collide, exactSpelling, matches, overlaps } from '../../src/core/overlap.ts';
import { forge } from '../support/forgery.ts';
import { events } from '../support/log-check.ts';
import { type Ran, repository, run, type TestRepository } from '../support/repository.ts';

const times = (count: number, text: string): string => text.repeat(count);
const listed = (count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `a${i}`).join(',')}}`;

interface Unfit {
  readonly what: string;
  readonly patterns: readonly string[];
  readonly why: RegExp;
  /** A path that it can be shown to hold. */
  readonly held?: string;
}

const unfit: readonly Unfit[] = [
  {
    what: '100 alternatives',
    patterns: [`src/${listed(100)}/x`],
    why: /more than 64 alternatives/,
    held: 'src/a0/x',
  },
  {
    what: '2^170 alternatives',
    patterns: [times(170, '{a,b}')],
    why: /more than 64 alternatives/,
    held: times(170, 'a'),
  },
  {
    what: '17 globstars',
    patterns: [`${times(17, '**/a/')}b`],
    why: /more than 16 '\*\*'/,
    held: `${times(17, 'a/')}b`,
  },
  {
    what: 'a pattern of 2 KiB',
    patterns: [`src/${times(512, 'abc/')}*`],
    why: /longer than 1024 bytes/,
    held: `src/${times(512, 'abc/')}x`,
  },
  { what: '20,000 groups', patterns: [times(20_000, '{a,b}')], why: /longer than 1024 bytes/ },
  {
    what: '20,000 parts of one group',
    patterns: [`{${times(20_000, 'a,')}b}{c,d}`],
    why: /longer than 1024 bytes/,
  },
  { what: 'a range', patterns: ['src/{1..9}/x'], why: /has a range/, held: 'src/{1..9}/x' },
  { what: 'a named class', patterns: ['src/[[:alpha:]]'], why: /has a named class/ },
  {
    what: '100 patterns',
    patterns: Array.from({ length: 100 }, (_, i) => `src/${i}`),
    why: /it has 100 patterns/,
    held: 'src/99',
  },
];

/** A lease of ann's becomes one that no coord has granted. */
function withPatterns(patterns: readonly string[]): TestRepository {
  const repo = repository();
  repo.coord('ann', 'reserve', 'mine');
  forge(repo, {
    content: (text) =>
      text.replace('"patterns":["mine"]', () => `"patterns":${JSON.stringify(patterns)}`),
  });
  return repo;
}

const braced = '{docs,lib}/{a,b}/x';

describe('a lease by hand with [B16]', () => {
  test.for(unfit)('$what: others go on, it holds what can be shown, and doctor --fix ends it', ({
    patterns,
    why,
    held,
  }) => {
    const repo = withPatterns(patterns);
    const commands = [
      ['check', 'free'],
      ['check', braced],
      ['reserve', 'free'],
      ['reserve', braced],
      ['status'],
      ['renew'],
    ];
    for (const args of [...commands, ['release', '--all']]) {
      const ran = repo.coord('bob', ...args);
      expect({ args, code: ran.code }, ran.stdout + ran.stderr).toEqual({ args, code: 0 });
    }
    const isNamed = held !== undefined && held.length < 1_000;
    if (isNamed)
      expect(repo.coord('bob', 'check', '--literal', held).json['blockers'][0].agent.name).toBe(
        'ann',
      );
    else if (held !== undefined)
      expect(patterns.some((pattern) => matches(pattern, held))).toBe(true);
    const doctor = repo.coord(null, 'doctor');
    const named = doctor.json['checks'].filter(
      ({ check }: { check: string }) => check === 'leases',
    );
    const finding = {
      check: 'leases',
      standing: 'fail',
      says: expect.stringMatching(why),
      next: 'coord doctor --fix',
    };
    expect({ code: doctor.code, named }).toEqual({ code: 1, named: [finding] });
    const fixed = repo.coord(null, 'doctor', '--fix');
    expect({ code: fixed.code, fixed: fixed.json['fixed'] }).toEqual({
      code: 0,
      fixed: expect.arrayContaining([expect.stringMatching(why)]),
    });
    expect(repo.coord('bob', 'status').json['leases']).toEqual([]);
    expect(events(repo, 'broken')).toMatchObject([
      { agent: { name: 'ann' }, reason: expect.stringMatching(why) },
    ]);
    if (isNamed) expect(repo.coord('bob', 'reserve', '--literal', held).code).toBe(0);
  });

  test('a TTL of ten years: it can be ended', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, { content: (text) => text.replace('"ttl":900', '"ttl":315360000') });
    expect(repo.coord(null, 'doctor').code).toBe(1);
    const { fixed } = repo.coord(null, 'doctor', '--fix').json;
    expect(fixed).toEqual(expect.arrayContaining([expect.stringContaining('a TTL of over 24 h')]));
    expect(repo.coord('bob', 'reserve', 'mine').code).toBe(0);
  });

  test('patterns that no coord takes are compared in bounded time, each with each', () => {
    const long = [`${times(60_000, '**/a/')}b`, times(60_000, '*a'), `{${times(60_000, 'x,')}`];
    const odd = [
      ...unfit.flatMap(({ patterns }) => patterns.slice(0, 1)),
      times(1_000, '{'),
      times(300, '{{a,b}'),
      ...long,
    ];
    for (const a of odd) {
      for (const b of odd)
        expect(typeof (overlaps(a, b) || collide(a, b, exactSpelling) || matches(a, b))).toBe(
          'boolean',
        );
    }
  });
});

const long = 'x'.repeat(30_000_000);

/** With the most memory that it had at any time. */
function measured(
  repo: TestRepository,
  ...args: readonly string[]
): Ran & { readonly megabytes: number } {
  const [script, file] = [join(repo.top, '../measure.mjs'), join(repo.top, '../memory')];
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
    process.on(
      'exit',
      () => writeFileSync(process.env.MEMORY, String(process.resourceUsage().maxRSS)),
    );`,
  );
  const env = { ...repo.env, NODE_OPTIONS: `--import=${script}`, MEMORY: file };
  const ran = run(repo.top, env, ['--json', ...args]);
  return { ...ran, megabytes: Number(readFileSync(file, 'utf8')) / 1_024 };
}

/** An operation whose log holds something far too long, on top of ann's lease. */
const excesses: readonly (readonly [string, (repo: TestRepository) => void])[] = [
  [
    'a reason of 30 MB in a lease',
    (repo) =>
      forge(repo, { content: (text) => text.replace('"reason":""', () => `"reason":"${long}"`) }),
  ],
  [
    'a reason of 30 MB in an event',
    (repo) =>
      forge(repo, {
        commit: (text) => text.replace('"event":', () => `"reason":"${long}","event":`),
      }),
  ],
  [
    'a state of 300 MB of zeros',
    (repo) => {
      const made = spawnSync(
        'sh',
        ['-c', 'head -c 300000000 /dev/zero | git hash-object -w --stdin'],
        { cwd: repo.top, env: repo.env, encoding: 'utf8' },
      );
      const blob = made.stdout.trim();
      const tip = repo.git('rev-parse', 'refs/coord/log').trim();
      const rows = repo.git('ls-tree', tip).replace(/ [0-9a-f]{40}\tleases$/m, ` ${blob}\tleases`);
      const tree = spawnSync('git', ['mktree'], {
        cwd: repo.top,
        env: repo.env,
        input: rows,
        encoding: 'utf8',
      }).stdout.trim();
      const message = repo.git('log', '-1', '--format=%B', tip).replace(/^Seq: 1$/m, 'Seq: 2');
      repo.git(
        'update-ref',
        'refs/coord/log',
        repo.git('commit-tree', tree, '-p', tip, '-m', message).trim(),
      );
    },
  ],
];

describe('what is far too long [B17]', () => {
  test.for(excesses)('%s is damage: named in bounded memory, and mended', ([, write]) => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    write(repo);
    const said = repo.coord('bob', 'check', 'b');
    expect(said.code).toBe(69);
    expect(said.json['error']?.code).toBe('log_malformed');
    const doctor = measured(repo, 'doctor');
    expect(doctor.code, doctor.stderr).toBe(1);
    const fixed = measured(repo, 'doctor', '--fix');
    expect(fixed.code, fixed.stdout + fixed.stderr).toBe(0);
    expect(Math.max(doctor.megabytes, fixed.megabytes)).toBeLessThan(700);
    expect(repo.coord('bob', 'check', 'a').json['blockers'][0].agent.name).toBe('ann');
  });

  test('coord itself writes no such record', () => {
    const repo = repository();
    repo.coord('ann', 'claim', 'bd-1');
    repo.write(
      '.coord.json',
      JSON.stringify({ gate: { require: [['x'.repeat(200_000)], ['"'.repeat(5_000)]] } }),
    );
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'work\n\nBead: bd-1');
    const gate = repo.coord('ann', 'gate');
    expect(gate.json['result'], gate.stdout + gate.stderr).toBe('refused');
    const lengths = repo
      .git('show', 'refs/coord/log:beads')
      .split('\n')
      .map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThan(limits.toldAlong * limits.toldAlongChars);
    const patterns = Array.from(
      { length: 64 },
      (_, i) => `${String(i).padStart(2, '0')}/${'\u0001'.repeat(1_000)}`,
    );
    const largest = repo.coord(
      'ann',
      'reserve',
      '--reason',
      '"'.repeat(500),
      '--literal',
      ...patterns,
    );
    expect({
      code: largest.code,
      result: repo.coord('bob', 'check', patterns[5] ?? '').json['result'],
    }).toEqual({ code: 0, result: 'held' });
  });
});
