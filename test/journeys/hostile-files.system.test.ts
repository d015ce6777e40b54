/**
 * What a repository or a machine may have where coord looks for a file: nothing of it stops coord
 * or fills the memory.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { at, type Ran, repository, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

/** So much address space that node runs well, and a file that never ends does not fit in. */
const bounded = ['/bin/sh', '-c', 'ulimit -v 4000000; exec "$@"', 'sh'];

interface Thing {
  readonly what: string;
  readonly why: string;
  put(file: string): void | Promise<void>;
}

const things: readonly Thing[] = [
  {
    what: 'a link to /dev/zero',
    why: 'it is a device',
    put: (file) => symlinkSync('/dev/zero', file),
  },
  { what: 'a FIFO', why: 'it is a FIFO', put: (file) => void execFileSync('mkfifo', [file]) },
  {
    what: 'a socket',
    why: 'it is a socket',
    put: (file) =>
      new Promise((done) => {
        const server = createServer().listen(file, done);
        onTestFinished(() => void server.close());
      }),
  },
  { what: 'a directory', why: 'it is a directory', put: (file) => mkdirSync(file) },
  {
    what: 'a sparse file of 5 GB',
    why: 'it has 5000000000 bytes',
    put: (file) => {
      const descriptor = openSync(file, 'w');
      ftruncateSync(descriptor, 5_000_000_000);
      closeSync(descriptor);
    },
  },
];

function withoutBd(): TestRepository {
  const repo = checkout({ guarded: false });
  repo.git('config', 'coord.tracker', 'file');
  return at(repo.top, repo.env, bounded);
}

async function place({ put }: Thing, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await put(file);
}

function errorOf(ran: Ran): readonly [number, string] {
  return [ran.code, `${ran.json['error']?.code}: ${ran.json['error']?.message}`];
}

describe('a file that is none [B10]', () => {
  test.for(
    things,
  )('$what as the tracker: next and claim say so, doctor and the rest go on', async (thing) => {
    const repo = withoutBd();
    await place(thing, join(repo.top, '.beads/issues.jsonl'));
    const said = [
      69,
      expect.stringMatching(
        new RegExp(`^tracker_failed: .*issues\\.jsonl' is not read: ${thing.why}`),
      ),
    ];
    expect(errorOf(repo.coord('ann', 'next'))).toEqual(said);
    expect(errorOf(repo.coord('ann', 'claim', 'bd-1'))).toEqual(said);
    expect(repo.coord('bob', 'status').json['leases']).toEqual([]);
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(repo.coord(null, 'doctor').code).toBe(0);
  });

  const looked = [
    'package.json',
    '.claude/settings.json',
    '.codex/hooks.json',
    '.qwen/settings.json',
    '.gemini/settings.json',
    '.cursor/hooks.json',
    '.github/hooks/coord.json',
    '.kilo/plugins/coord.js',
    '.opencode/plugins/coord.js',
  ];
  test.for(
    things,
  )('$what where doctor looks for settings and hooks: it goes on to its end', async (thing) => {
    const repo = withoutBd();
    for (const name of [...looked, '.githooks/pre-commit'])
      await place(thing, join(repo.top, name));
    repo.git('config', 'core.hooksPath', '.githooks');
    const ran = repo.coord(null, 'doctor');
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    const said = (ran.json['checks'] as { check: string; says: string }[]).filter(({ says }) =>
      says.includes(thing.why),
    );
    expect(said.map(({ check }) => check)).toEqual([
      'claude',
      'codex',
      'qwen',
      'gemini',
      'cursor',
      'kilo',
      'opencode',
      'copilot',
    ]);
  });

  test.for(things)('$what is not written over by install', async (thing) => {
    const repo = withoutBd();
    await place(thing, join(repo.top, 'CLAUDE.md'));
    const isLink = thing.what.startsWith('a link');
    expect(errorOf(repo.coord(null, 'install'))).toEqual([
      69,
      expect.stringContaining(isLink ? 'is a symbolic link' : thing.why),
    ]);
    rmSync(join(repo.top, 'CLAUDE.md'), { recursive: true });
    await place(thing, join(repo.top, '.git/hooks/pre-commit'));
    expect(errorOf(repo.coord(null, 'install'))).toEqual([
      69,
      expect.stringContaining(isLink ? 'is a symbolic link' : thing.why),
    ]);
  });

  test('a nested .git that is a FIFO is no repository', () => {
    const repo = withoutBd();
    mkdirSync(join(repo.top, 'nested'));
    execFileSync('mkfifo', [join(repo.top, 'nested/.git')]);
    expect(repo.coord('ann', 'reserve', 'nested/file').json['leases'][0].patterns).toEqual([
      'nested/file',
    ]);
  });

  test('a link that leads to a regular file is read, and one that leads nowhere is no file', () => {
    const repo = withoutBd();
    repo.write('elsewhere', '{"id":"bd-7","title":"linked"}');
    mkdirSync(join(repo.top, '.beads'));
    symlinkSync('../elsewhere', join(repo.top, '.beads/issues.jsonl'));
    expect(repo.coord('ann', 'next').json['beads']).toMatchObject([
      { id: 'bd-7', title: 'linked' },
    ]);
    rmSync(join(repo.top, 'elsewhere'));
    expect(repo.coord('ann', 'next').json['beads']).toEqual([]);
  });

  test('a .coord.json of a commit that is larger than any gate needs is not read', () => {
    const repo = withoutBd();
    repo.coord('ann', 'claim', 'bd-1');
    repo.write('.coord.json', `{"gate": {"require": []}, "more": "${'x'.repeat(1_100_000)}"}`);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'work\n\nBead: bd-1');
    expect(errorOf(repo.coord('ann', 'gate'))).toEqual([
      64,
      expect.stringMatching(/^bad_gate: \.coord\.json of \w+ has 11\d+ bytes/),
    ]);
  });
});

describe('no place for temporary files [B16]', () => {
  test('doctor says what it could not try and why, and tells all the rest', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const nowhere = at(repo.top, { ...repo.env, TMPDIR: '/nonexistent' });
    const ran = nowhere.coord(null, 'doctor');
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    const found = (name: string): unknown =>
      ran.json['checks'].find(({ check }: { check: string }) => check === name);
    const said = {
      standing: 'note',
      says: "not tried: no temporary folder can be made in '/nonexistent' (ENOENT)",
      next: 'set TMPDIR to a folder that can be written',
    };
    expect(found('proof')).toEqual({ check: 'proof', ...said });
    expect(found('harnesses')).toEqual({ check: 'harnesses', ...said });
    expect(found('log')).toMatchObject({ standing: 'ok' });
  });

  test('what needs one fails with words, and what needs none works', () => {
    const repo = repository({ env: { TMPDIR: '/nonexistent' } });
    expect(errorOf(repo.coord(null, 'verify', '--at', 'HEAD', '--', 'true'))).toEqual([
      69,
      expect.stringContaining('not_writable: no temporary folder'),
    ]);
    expect(repo.coord(null, 'demo').code).toBe(69);
    for (const args of [['install'], ['log'], ['stats'], ['uninstall'], ['--help']])
      expect({ args, code: repo.coord(null, ...args).code }).toEqual({ args, code: 0 });
  });
});
