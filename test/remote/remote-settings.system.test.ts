/**
 * Settings and kinds of clones that broke others: coord does what it does in all of them, and
 * nothing beside it. Needs: nginx, fcgiwrap.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, clones, served } from '../support/clones.ts';
import { executable } from '../support/gate.ts';
import { at, type TestRepository, temporaryFolder } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';

interface Place {
  readonly server: GitServer;
  readonly repo: TestRepository;
  readonly other: TestRepository;
}

/** What a repository has of its own: coord may add to none of it but its refs and its folder. */
function belongings(repo: TestRepository): unknown {
  const text = (file: string): string | null =>
    existsSync(join(repo.top, '.git', file))
      ? readFileSync(join(repo.top, '.git', file), 'utf8')
      : null;
  return {
    refs: repo
      .git(
        'for-each-ref',
        '--format=%(refname) %(objectname)',
        'refs/heads',
        'refs/tags',
        'refs/remotes',
        'refs/notes',
        'refs/stash',
      )
      .split('\n'),
    head: repo.git('rev-parse', 'HEAD'),
    status: repo.git('status', '--porcelain'),
    shallow: text('shallow'),
    fetchHead: text('FETCH_HEAD'),
    orig: text('ORIG_HEAD'),
    config: repo
      .git('config', '--local', '--list')
      .split('\n')
      .filter((line) => !line.startsWith('coord.'))
      .sort(),
    alternates: text('objects/info/alternates'),
  };
}

/**
 * Everything that speaks to the server, from here and from another clone, with the same answers as
 * anywhere.
 */
function works({ server, repo, other }: Place): void {
  expect(repo.coord(null, 'remote', 'set', 'origin').json['result']).toBe('set');
  const before = belongings(repo);
  expect(repo.coord('alice', 'reserve', 'src/').code).toBe(0);
  expect(other.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
  expect(other.coord('bob', 'claim', 'bd-1').code).toBe(0);
  expect(repo.coord('alice', 'claim', 'bd-1').json['blockers'][0].agent.name).toBe('bob');
  expect(repo.coord(null, 'sync').json['leases']).toBe(2);
  expect(belongings(repo)).toEqual(before);
  repo.write('src/new.ts', 'new\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'new');
  expect(repo.coord('alice', 'push', 'main').json['result']).toBe('landed');
  const there = served(server, repo);
  expect(there.git('rev-parse', 'main')).toBe(repo.git('rev-parse', 'HEAD'));
  expect(
    there
      .git('for-each-ref', '--format=%(refname)')
      .trim()
      .split('\n')
      .filter((ref) => !ref.startsWith('refs/heads/') && !ref.startsWith('refs/tags/old')),
  ).toEqual(['refs/coord/log']);
  expect(
    repo.git('for-each-ref', '--format=%(refname)', 'refs/coord-remote').split('\n').length,
  ).toBeGreaterThan(4);
  expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
}

/** A server with some history, and a clone of it that has its log there. */
async function place(): Promise<Place> {
  const server = await serve('http');
  const [other] = clones(server, 1) as [TestRepository];
  for (const name of ['a', 'b', 'c']) {
    other.write(`src/${name}.ts`, `${name}\n`);
    other.git('add', '.');
    other.git('commit', '-q', '-m', name);
  }
  other.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  const repo = clone(server);
  repo.git('fetch', '-q', 'origin');
  repo.git('reset', '-q', '--hard', 'origin/main');
  return { server, repo, other };
}

const settings: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'fetch.prune',
    [
      ['fetch.prune', 'true'],
      ['fetch.pruneTags', 'true'],
      ['remote.origin.prune', 'true'],
    ],
  ],
  ['push.followTags', [['push.followTags', 'true']]],
  ['a remote that is a mirror', [['remote.origin.mirror', 'true']]],
  [
    'refspecs of its own',
    [
      ['remote.origin.push', '+refs/*:refs/*'],
      ['remote.origin.fetch', '+refs/*:refs/*'],
    ],
  ],
  [
    'push.recurseSubmodules',
    [
      ['push.recurseSubmodules', 'on-demand'],
      ['submodule.recurse', 'true'],
      ['fetch.recurseSubmodules', 'true'],
    ],
  ],
  [
    'push.gpgSign and commit.gpgSign',
    [
      ['push.gpgSign', 'if-asked'],
      ['commit.gpgSign', 'true'],
      ['tag.gpgSign', 'true'],
    ],
  ],
  [
    'maintenance and hooks',
    [
      ['gc.auto', '1'],
      ['maintenance.auto', 'true'],
      ['core.logAllRefUpdates', 'always'],
    ],
  ],
  [
    'other words and colours',
    [
      ['color.ui', 'always'],
      ['advice.pushUpdateRejected', 'false'],
      ['i18n.logOutputEncoding', 'latin1'],
      ['push.default', 'matching'],
    ],
  ],
  [
    'fetch.writeCommitGraph and parallel',
    [
      ['fetch.writeCommitGraph', 'true'],
      ['fetch.parallel', '8'],
      ['transfer.fsckObjects', 'true'],
    ],
  ],
];

describe('a user who has set', () => {
  test.for(settings)('%s', { timeout: 60_000 }, async ([, pairs]) => {
    const at = await place();
    at.repo.git('tag', '-m', 'old', 'old-1', 'HEAD~1');
    for (const [key, value] of pairs) at.repo.git('config', '--add', key, value);
    // Signing what one commits is the user's own affair.
    works({
      ...at,
      repo: { ...at.repo, git: (...args) => at.repo.git('-c', 'commit.gpgSign=false', ...args) },
    });
  });

  test('url.*.insteadOf and pushInsteadOf', { timeout: 60_000 }, async () => {
    const at = await place();
    const base = at.server.url.replace(/repo\.git$/, '');
    at.repo.git('remote', 'set-url', 'origin', 'work:repo.git');
    at.repo.git('config', `url.${base}.insteadOf`, 'work:');
    works(at);
    at.repo.git('config', 'remote.origin.pushurl', 'push:repo.git');
    expect(at.repo.coord('alice', 'reserve', 'docs/').code).not.toBe(0);
    at.repo.git('config', `url.${base}.insteadOf`, 'push:');
    at.repo.git('config', '--add', `url.${base}.insteadOf`, 'work:');
    expect(at.repo.coord('alice', 'reserve', 'docs/').code).toBe(0);
  });

  test('a slow pre-push hook, and others that change things', { timeout: 60_000 }, async () => {
    const at = await place();
    const ran = join(at.repo.top, '..', 'ran');
    for (const hook of ['reference-transaction', 'post-checkout', 'pre-auto-gc'])
      executable(join(at.repo.top, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >>'${ran}'\n`);
    executable(join(at.repo.top, '.git/hooks/pre-push'), `#!/bin/sh\necho pre-push >>'${ran}'\n`);
    works(at);
    const told = existsSync(ran)
      ? readFileSync(ran, 'utf8')
          .split('\n')
          .filter((line) => line === 'pre-push')
      : [];
    // Once, for the user's own branch; never for the log.
    expect(told).toHaveLength(1);
  });
});

/** A clone as git makes it, in the environment of another. */
function cloned({ server, repo }: Place, ...args: readonly string[]): TestRepository {
  const top = join(mkdtempSync(join(temporaryFolder(), 'clone-')), 'repo');
  writeFileSync(
    join(top, '..', 'gitconfig'),
    '[user]\n\tname = Test Person\n\temail = test@example.invalid\n',
  );
  const env = { ...repo.env, GIT_CONFIG_GLOBAL: join(top, '..', 'gitconfig') };
  execFileSync('git', ['clone', '-q', ...args, server.url, top], { env, stdio: 'pipe' });
  return at(top, env);
}

describe('a clone that is', () => {
  test.for([
    ['shallow', ['--depth=1']],
    ['shallow and of one branch', ['--depth=2', '--single-branch']],
    ['of one branch', ['--single-branch', '--no-tags']],
    ['partial', ['--filter=blob:none']],
    ['partial, without trees', ['--filter=tree:0']],
    ['bare of a work tree at first', ['--no-checkout']],
  ] as const)('%s', { timeout: 60_000 }, async ([, args]) => {
    const here = await place();
    served(here.server, here.repo).git('config', 'uploadpack.allowFilter', 'true');
    const repo = cloned(here, ...args);
    if (args[0] === '--no-checkout') repo.git('checkout', '-q', 'main');
    works({ ...here, repo });
  });

  test(
    'one that borrows objects, and goes on when the other has cleaned up',
    { timeout: 60_000 },
    async () => {
      const here = await place();
      const repo = cloned(here, '--reference', here.repo.top);
      works({ ...here, repo });
      here.repo.git('gc', '-q', '--prune=now');
      expect(repo.coord('alice', 'renew').code).toBe(0);
      expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
    },
  );

  test('a linked work tree, and both share one voice', { timeout: 60_000 }, async () => {
    const here = await place();
    const repo = cloned(here);
    const linked = join(repo.top, '..', 'linked');
    repo.git('worktree', 'add', '-q', linked);
    works({ ...here, repo });
    expect(
      at(linked, repo.env).coord('carol', 'reserve', 'src/a.ts').json['blockers'][0].agent.name,
    ).toBe('alice');
    expect(at(linked, repo.env).coord('carol', 'reserve', 'docs/').code).toBe(0);
  });

  test('of sha256', { timeout: 60_000 }, async () => {
    const server = await serve('http', { init: ['--object-format=sha256'] });
    const [one, two] = clones(server, 2, { init: ['--object-format=sha256'] }) as [
      TestRepository,
      TestRepository,
    ];
    expect(one.coord('alice', 'reserve', 'src/').code).toBe(0);
    expect(two.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
    one.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
    one.write('src/a.ts', 'a\n');
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'a');
    expect(one.coord('alice', 'push').json['result']).toBe('landed');
  });
});
