/**
 * A log that was erased, rewound, cut short or pointed at nonsense: named, nothing granted, and
 * mended without losing a lease.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

const log = 'refs/coord/log';

function prepared(): {
  readonly repo: TestRepository;
  readonly lease: string;
  readonly token: number;
} {
  const repo = repository();
  repo.coord('bob', 'reserve', 'early');
  const lease = repo.coord('ann', 'reserve', 'src/**').json['leases'][0];
  return { repo, lease: lease.id, token: lease.token };
}

interface Damage {
  readonly what: string;
  readonly code: string;
  readonly inflict: (repo: TestRepository) => void;
}

/** A commit on top of the log whose file `leases` is this text. */
function withLeases(repo: TestRepository, text: string): void {
  repo.write('bad', text);
  const blob = repo.git('hash-object', '-w', 'bad').trim();
  repo.git('read-tree', '--index-output=.git/scratch-index', log);
  const index = { ...repo.env, GIT_INDEX_FILE: '.git/scratch-index' };
  const git = (...args: string[]): string =>
    repo.git('-c', `alias.with=!GIT_INDEX_FILE='${index.GIT_INDEX_FILE}' git`, 'with', ...args);
  git('update-index', '--cacheinfo', `100644,${blob},leases`);
  const tree = git('write-tree').trim();
  const message = repo.git('log', '-1', '--format=%B', log).replace(/^Seq: 2$/m, 'Seq: 3');
  repo.git('update-ref', log, repo.git('commit-tree', tree, '-p', log, '-m', message).trim());
}

const damages: readonly Damage[] = [
  { what: 'erased', code: 'log_erased', inflict: (repo) => void repo.git('update-ref', '-d', log) },
  {
    what: 'rewound',
    code: 'log_rewound',
    inflict: (repo) => repo.git('update-ref', log, `${log}~1`),
  },
  {
    what: 'pointed at a commit of the project',
    code: 'log_malformed',
    inflict: (repo) => repo.git('update-ref', log, 'HEAD'),
  },
  {
    what: 'emptied by a power loss',
    code: 'log_malformed',
    inflict: (repo) => writeFileSync(join(repo.top, '.git', log), ''),
  },
  {
    what: 'filled with nonsense',
    code: 'log_malformed',
    inflict: (repo) => writeFileSync(join(repo.top, '.git', log), 'nonsense\n'),
  },
  {
    what: 'given a state that is cut short',
    code: 'log_malformed',
    inflict: (repo) => withLeases(repo, '{"id":"aaaaaaaa","ki'),
  },
  {
    what: 'given a record of another form',
    code: 'log_malformed',
    inflict: (repo) => withLeases(repo, '{"id":"aaaaaaaa","kind":"treaty"}\n'),
  },
  {
    what: 'robbed of an object',
    code: 'object_missing',
    inflict: (repo) => {
      const oid = repo.git('rev-parse', `${log}:leases`).trim();
      rmSync(join(repo.top, '.git/objects', oid.slice(0, 2), oid.slice(2)));
    },
  },
];

describe('a damaged log', () => {
  test.for(
    damages,
  )('$what: it is named, nothing is granted, doctor mends it and every lease stands', ({
    code,
    inflict,
  }) => {
    const { repo, lease, token } = prepared();
    inflict(repo);
    for (const args of [['reserve', 'free'], ['check', 'src/a'], ['sweep'], ['status']]) {
      const ran = repo.coord('cid', ...args);
      expect(args[0], ran.stdout + ran.stderr).toEqual(args[0]);
      expect(ran.code, ran.stdout + ran.stderr).toBe(69);
      expect(ran.json['error']?.code, ran.stdout + ran.stderr).toEqual(code);
    }
    expect(repo.coord(null, 'doctor').code).toBe(1);
    const fixed = repo.coord(null, 'doctor', '--fix');
    expect(fixed.code, fixed.stdout + fixed.stderr).toBe(0);
    expect(fixed.json['fixed'].length).toBeGreaterThan(0);
    expect(repo.coord('cid', 'check', 'src/a').json['blockers'][0].id).toBe(lease);
    expect(repo.coord('cid', 'check', 'early').json['result']).toBe('held');
    const next = repo.coord('cid', 'reserve', 'free');
    expect(next.json['leases'][0].token, next.stdout + next.stderr).toBeGreaterThan(token + 1);
    expect(repo.coord('ann', 'release', lease).code).toBe(0);
  });

  test('a view ref that points at nonsense changes no decision and is mended', () => {
    const { repo, lease } = prepared();
    repo.git('update-ref', `refs/coord/reservations/${lease}`, 'HEAD');
    repo.git('update-ref', 'refs/coord/reservations/zzzzzzzz', 'HEAD');
    expect(repo.coord('cid', 'check', 'src/a').json['result']).toBe('held');
    const doctor = repo.coord(null, 'doctor');
    const view = doctor.json['checks'].find(({ check }: { check: string }) => check === 'view');
    expect({ code: doctor.code, standing: view.standing }).toEqual({ code: 0, standing: 'note' });
    expect(repo.coord(null, 'doctor', '--fix').json['fixed']).toContain(
      '2 refs of the view show again what the log holds',
    );
    expect(
      repo.git(
        'for-each-ref',
        '--format=%(refname) %(contents:subject)',
        'refs/coord/reservations',
      ),
    ).toMatch(new RegExp(`reservations/${lease} reserves src`));
    expect(repo.git('for-each-ref', 'refs/coord/reservations/zzzzzzzz')).toBe('');
  });

  test('without local files a rewound log cannot be noticed, but nothing is granted twice on what it holds', () => {
    const { repo } = prepared();
    rmSync(join(repo.top, '.git/coord'), { recursive: true });
    expect(repo.coord('cid', 'check', 'src/a').json['result']).toBe('held');
    expect(existsSync(join(repo.top, '.git/coord/tip'))).toBe(true);
    expect(readFileSync(join(repo.top, '.git/coord/tip'), 'utf8')).toMatch(/^[0-9a-f]{40} 2\n$/);
  });
});
