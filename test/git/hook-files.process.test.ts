/** Hooks go where git looks, beside what is there, and leave every byte as it was. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

const events = [
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'post-merge',
  'pre-rebase',
  'post-checkout',
  'post-rewrite',
  'reference-transaction',
  'pre-push',
  'post-index-change',
];

/** Every file of a folder with its mode and its bytes. */
function picture(folder: string): string {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const stat = statSync(join(folder, name));
      return stat.isFile()
        ? `${name} ${stat.mode.toString(8)} ${readFileSync(join(folder, name), 'latin1')}`
        : name;
    })
    .join('\n');
}

const scripts: Readonly<Record<string, readonly [file: string, mode: number, text: string]>> = {
  'a shell script': ['pre-commit', 0o755, '#!/bin/sh\necho theirs >> "$OUT"\n'],
  'a shell script without a last newline': [
    'pre-commit',
    0o755,
    '#!/bin/bash\necho theirs >> "$OUT"',
  ],
  'a script that ends by exec': [
    'pre-commit',
    0o750,
    '#!/usr/bin/env sh\nexec sh -c \'echo theirs >> "$OUT"\'\n',
  ],
  'a script of another language': [
    'pre-commit',
    0o755,
    `#!/usr/bin/env node\nrequire('fs').appendFileSync(process.env.OUT, 'theirs\\n');\n`,
  ],
};

/** With hook files also where git has hooks in its configuration. */
const plain = (): TestRepository => repository({ env: { PATH: '/usr/bin:/bin' } });

describe('install', () => {
  test('makes a hook for every event, says so, and a second time changes nothing; uninstall leaves nothing', () => {
    const repo = plain();
    const folder = join(repo.top, '.git/hooks');
    const before = picture(folder);
    expect(
      repo
        .coord(null, 'install', '--dry-run')
        .json['hooks'].map(({ action }: { action: string }) => action),
    ).toEqual(events.map(() => 'create'));
    expect(picture(folder)).toBe(before);
    expect(
      repo.coord(null, 'install').json['hooks'].map(({ event }: { event: string }) => event),
    ).toEqual(events);
    const installed = picture(folder);
    expect(
      repo
        .coord(null, 'install')
        .json['hooks'].every(({ action }: { action: string }) => action === 'keep'),
    ).toBe(true);
    expect(picture(folder)).toBe(installed);
    expect(
      repo
        .coord(null, 'doctor')
        .json['checks'].find(({ check }: { check: string }) => check === 'commits').standing,
    ).toBe('ok');
    // And the launcher with its alias.
    expect(repo.coord(null, 'uninstall').json['hooks']).toHaveLength(events.length + 2);
    expect(picture(folder)).toBe(before);
    expect(repo.coord(null, 'uninstall').json['result']).toBe('nothing');
  });

  test.for(Object.entries(scripts))('beside %s: both run, and uninstall gives back every byte', ([
    ,
    [name, mode, text],
  ]) => {
    const repo = plain();
    const folder = join(repo.top, '.git/hooks');
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
    const before = picture(folder);
    repo.coord(null, 'install');
    const out = join(repo.top, '../out');
    repo.write('a', 'x');
    repo.git('add', 'a');
    const ran = ranIn(repo.top, { ...repo.env, PATH: process.env['PATH'] ?? '', OUT: out }, 'git', [
      'commit',
      '-q',
      '-m',
      'x',
    ]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(readFileSync(out, 'utf8'), ran.stderr).toBe('theirs\n');
    repo.coord(null, 'uninstall');
    expect(picture(folder)).toBe(before);
  });

  test('a hook that is switched off stays off', () => {
    const repo = plain();
    const file = join(repo.top, '.git/hooks/pre-commit');
    writeFileSync(file, '#!/bin/sh\nexit 1\n');
    chmodSync(file, 0o644);
    repo.coord(null, 'install');
    repo.git('commit', '-q', '--allow-empty', '-m', 'x');
    repo.coord(null, 'uninstall');
    expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\nexit 1\n');
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test.for([
    ['no', 1],
    ['yes', 0],
  ] as const)('a hook behind ours has its say (%s), its arguments and its standard input', ([
    said,
    code,
  ]) => {
    const repo = plain();
    const out = join(repo.top, '../out');
    const file = join(repo.top, '.git/hooks/reference-transaction');
    writeFileSync(
      file,
      `#!/bin/sh\n[ "$1" = prepared ] || exit 0\necho "$# $1" >> ${out}\ncat >> ${out}\nexit ${code}\n`,
    );
    chmodSync(file, 0o755);
    repo.coord('ann', 'reserve', 'b');
    repo.coord(null, 'install');
    const before = repo.git('rev-parse', 'HEAD').trim();
    const ran = ranIn(repo.top, repo.env, 'git', ['commit', '-q', '--allow-empty', '-m', said]);
    expect(ran.code === 0).toBe(said === 'yes');
    expect(readFileSync(out, 'utf8')).toMatch(
      new RegExp(
        `^1 prepared\\n${before} [0-9a-f]{40} HEAD\\n${before} [0-9a-f]{40} refs/heads/main\\n$`,
      ),
    );
  });

  test('lines that somebody adds to a hook that coord made are told what git says', () => {
    const repo = plain();
    repo.git('init', '-q', '--bare', '../remote');
    repo.coord(null, 'install');
    repo.coord('ann', 'reserve', 'b');
    const out = join(repo.top, '../out');
    appendFileSync(join(repo.top, '.git/hooks/pre-push'), `cat > ${out}\n`);
    repo.git('push', '-q', '../remote', 'HEAD:main');
    expect(readFileSync(out, 'utf8')).toMatch(/^HEAD [0-9a-f]{40} refs\/heads\/main 0{40}\n$/);
    repo.coord(null, 'install');
    rmSync(out);
    repo.git('push', '-q', '../remote', 'HEAD:second');
    expect(readFileSync(out, 'utf8')).toMatch(/^HEAD [0-9a-f]{40} refs\/heads\/second 0{40}\n$/);
  });

  test('goes where core.hooksPath says, relative or not, as a hook manager has it; a linked work tree too [I-10]', () => {
    const repo = plain();
    mkdirSync(join(repo.top, '.husky/_'), { recursive: true });
    repo.git('config', 'core.hooksPath', '.husky/_');
    expect(repo.coord(null, 'install').json['folder']).toBe(join(repo.top, '.husky/_'));
    expect(readdirSync(join(repo.top, '.husky/_')).sort()).toEqual([...events].sort());
    repo.git('config', '--unset', 'core.hooksPath');
    repo.git('worktree', 'add', '-q', '../tree');
    const tree = repo.top.replace(/repo$/, 'tree');
    execFileSync(process.execPath, [join(import.meta.dirname, '../../dist/coord.cjs'), 'install'], {
      cwd: tree,
      env: repo.env,
    });
    expect(existsSync(join(repo.top, '.git/hooks/pre-commit'))).toBe(true);
  });

  test('a hook that is a symbolic link is refused and left alone', () => {
    const repo = plain();
    const elsewhere = join(repo.top, '../elsewhere');
    writeFileSync(elsewhere, '#!/bin/sh\n');
    symlinkSync(elsewhere, join(repo.top, '.git/hooks/pre-commit'));
    expect(repo.coord(null, 'install').json['error'].message).toContain('symbolic link');
    expect(readFileSync(elsewhere, 'utf8')).toBe('#!/bin/sh\n');
    expect(
      readdirSync(join(repo.top, '.git/hooks')).filter((name) => events.includes(name)),
    ).toEqual(['pre-commit']);
  });

  test('where coord fails, an agent is blocked and a person is warned, and coord.onError says otherwise', () => {
    const repo = plain();
    repo.coord('ann', 'reserve', 'a');
    repo.coord(null, 'install');
    const log = repo.git('rev-parse', 'refs/coord/log').trim();
    repo.git('update-ref', 'refs/coord/log', 'HEAD');
    const commit = (env: Readonly<Record<string, string>>, ...config: readonly string[]): number =>
      ranIn(repo.top, { ...repo.env, ...env }, 'git', [
        ...config,
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        'x',
      ]).code;
    expect(commit({ COORD_AGENT: 'bob' })).not.toBe(0);
    expect(commit({})).toBe(0);
    expect(commit({}, '-c', 'coord.onError=block')).not.toBe(0);
    expect(commit({ COORD_AGENT: 'bob' }, '-c', 'coord.onError=warn')).toBe(0);
    repo.git('update-ref', 'refs/coord/log', log);
    expect(commit({ COORD_AGENT: 'bob' })).toBe(0);
  });

  test('while nobody holds anything the hooks start no process [I-6]', () => {
    const repo = plain();
    repo.coord('ann', 'reserve', 'a');
    repo.coord('ann', 'release', '--all');
    repo.coord(null, 'install');
    const commit = (): string => {
      const trace = join(repo.top, '../trace');
      writeFileSync(trace, '');
      expect(
        ranIn(repo.top, { ...repo.env, COORD_TRACE: trace }, 'git', [
          'commit',
          '-q',
          '--allow-empty',
          '-m',
          'x',
        ]).code,
      ).toBe(0);
      return readFileSync(trace, 'utf8');
    };
    commit();
    expect(commit()).toBe('');
    repo.coord('ann', 'reserve', 'a');
    expect(commit()).not.toBe('');
  });
});
