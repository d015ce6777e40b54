/**
 * Repositories of every kind, and bad input: it works, or one clear sentence and the right exit
 * code.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, hermetic, repository, run, temporaryFolder } from '../support/repository.ts';
import { type Kind, livesIn } from './repository-kinds.ts';

const kinds: readonly Kind[] = [
  { kind: 'an ordinary repository', init: [] },
  { kind: 'an unborn HEAD', init: [], unborn: true },
  { kind: 'SHA-256 objects', init: ['--object-format=sha256'] },
];

describe('repositories', () => {
  test.for(kinds)(
    'in $kind a lease is granted, refused, shown by plain git, renewed, released, and fsck is clean',
    livesIn,
  );

  test('in a submodule, a shallow clone and a linked work tree it works, and the work tree shares the log', () => {
    const repo = repository();
    const inner = repository();
    inner.coord('ann', 'reserve', 'a');
    repo.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.top, 'sub');
    repo.git('commit', '-q', '-m', 'sub');
    const submodule = at(join(repo.top, 'sub'), repo.env);
    expect(submodule.coord('bob', 'reserve', 'a').code).toBe(0);
    expect(repo.coord('cid', 'check', 'a').json['result']).toBe('free');
    repo.git('clone', '-q', '--depth=1', `file://${repo.top}`, '../shallow');
    expect(at(join(repo.top, '../shallow'), repo.env).coord('ann', 'reserve', 'x').code).toBe(0);
    repo.git('worktree', 'add', '-q', '../tree');
    const tree = at(join(repo.top, '../tree'), repo.env);
    expect(tree.coord('ann', 'reserve', 'shared').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'shared').code).toBe(1);
  });

  test('a file has one key in all work trees: beside this one, inside it, by an absolute path', () => {
    const repo = repository();
    repo.git('worktree', 'add', '-q', '../beside');
    repo.git('worktree', 'add', '-q', '.trees/inside');
    repo.coord('ann', 'reserve', 'src/a.ts');
    const keys = [
      join(repo.top, '../beside/src/a.ts'),
      join(repo.top, '.trees/inside/src/a.ts'),
      '.trees/inside/src/a.ts',
    ];
    for (const key of keys)
      expect(repo.coord('bob', 'check', key).json['blockers'][0].patterns, key).toEqual([
        'src/a.ts',
      ]);
    expect(
      repo.coord('bob', 'check', join(repo.top, '../elsewhere/src/a.ts')).json['error'].code,
    ).toBe('path_outside');
  });

  test('outside a repository and in a bare one it says so in one sentence, exit 69', () => {
    const folder = temporaryFolder();
    const env = hermetic(folder);
    const outside = run(folder, env, ['--json', 'status']);
    expect(outside.code).toBe(69);
    expect(outside.json['error'].code).toBe('not_a_repository');
    execFileSync('git', ['init', '-q', '--bare', join(folder, 'bare.git')], { env });
    const bare = run(join(folder, 'bare.git'), env, ['--json', 'reserve', 'a', '--agent', 'ann']);
    expect(bare.code).toBe(69);
    expect(bare.json['error'].code).toBe('bare_repository');
    const text = run(folder, env, ['status']);
    expect(text.stdout).toBe('');
    expect(text.stderr.trim().split('\n')).toHaveLength(2);
  });

  test('with a git older than 2.34 or none at all it says so, exit 69', () => {
    const repo = repository();
    const bin = join(repo.top, '../bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.33.1\n');
    chmodSync(join(bin, 'git'), 0o755);
    const old = run(repo.top, { ...repo.env, PATH: bin }, [
      '--json',
      'reserve',
      'a',
      '--agent',
      'ann',
    ]);
    expect(old.code).toBe(69);
    expect(old.json['error'].code).toBe('git_too_old');
    const none = run(repo.top, { ...repo.env, PATH: '/nonexistent' }, ['--json', 'status']);
    expect(none.code).toBe(69);
    expect(none.json['error'].code).toBe('git_missing');
  });

  test.runIf(process.getuid?.() === 0)(
    'in a repository of another user it says so, exit 69',
    () => {
      const repo = repository();
      execFileSync('chown', ['-R', '12345', repo.top]);
      const foreign = repo.coord('ann', 'reserve', 'a');
      expect(foreign.code).toBe(69);
      expect(foreign.json['error'].code).toBe('not_a_repository');
      expect(foreign.json['error'].message).toContain('another user');
    },
  );
});

const refusedInput: readonly (readonly [string, readonly string[], string])[] = [
  ['an empty pattern', ['reserve', ''], 'bad_pattern'],
  ['a path that leaves the repository', ['reserve', '../x'], 'path_outside'],
  ['an absolute path elsewhere', ['reserve', '/etc/passwd'], 'path_outside'],
  ['a name that is no UTF-8', ['reserve', 'a\ufffdb'], 'bad_pattern'],
  ['100 KB', ['reserve', 'x'.repeat(100_000)], 'pattern_too_complex'],
  ['10,000 braces', ['reserve', '{a,b}'.repeat(10_000)], 'pattern_too_complex'],
  ['many alternatives', ['reserve', '{a,b}'.repeat(12)], 'pattern_too_complex'],
  ['many globstars', ['reserve', 'a/**/'.repeat(40)], 'pattern_too_complex'],
  ['the whole repository without a reason', ['reserve', '**', '--wide'], 'needs_wide'],
  ['a name with capitals', ['reserve', 'a', '--agent', 'Ann'], 'bad_name'],
  ['a name with an escape', ['whoami', '--agent', 'a\u001b[31m'], 'bad_name'],
  ['a bead with a bidi override', ['claim', 'bd\u202e1'], 'bad_bead'],
  ['a lock with a slash', ['lock', '../x'], 'bad_name'],
  ['a reason with a bidi override', ['reserve', 'a', '--reason', 'a\u202eb'], 'bad_reason'],
  ['a duration without a unit', ['reserve', 'a', '--ttl', '15'], 'bad_duration'],
  ['an unknown verb', ['reserv', 'a'], 'unknown_verb'],
  ['an unknown flag', ['reserve', 'a', '--shred'], 'usage'],
  ['nothing named', ['reserve'], 'usage'],
  ['a setting that there is not', ['reserve', 'a', '-c', 'coord.grase=1s'], 'bad_setting'],
  ['a choice that there is not', ['reserve', 'a', '--color', 'purple'], 'usage'],
  ['patterns that take everything together', ['reserve', '*', '*/**'], 'needs_wide'],
  ['a way out of the repository in a group', ['reserve', '{a,..}/b'], 'path_outside'],
  ['a setting that is out of range', ['reserve', 'a', '-c', 'coord.ttl=1s'], 'bad_setting'],
];

describe('bad input', () => {
  test.for(refusedInput)('%s is refused with exit 64 and its code, and writes nothing', ([
    ,
    args,
    code,
  ]) => {
    const repo = repository();
    const ran = run(repo.top, repo.env, ['--json', ...args]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(64);
    expect(ran.json['error']?.code, ran.stdout + ran.stderr).toEqual(code);
    expect(repo.git('for-each-ref', 'refs/coord')).toBe('');
  });

  test.for([
    'x'.repeat(200),
    'with space/a b.ts',
    `quote'"s.ts`,
    '$(id)`id`.ts',
    '(group)/page.tsx',
    'smile-😀.ts',
    'cafe\u0301.ts',
    '!important',
    '[unclosed',
    '{unclosed',
    'a+b@c=d,e',
    'per%cent',
  ])('the name %j is just a path: held by one, refused to the other, free beside it', (name) => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', '--', name).code).toBe(0);
    expect(repo.coord('bob', 'check', '--', name).json['result']).toBe('held');
    expect(repo.coord('bob', 'check', '--', `${name}.other`).json['result']).toBe('free');
  });

  test('a leading dash is a path after --, and an existing file with brackets is that file alone', () => {
    const repo = repository();
    repo.write('app/[id]/page.tsx');
    repo.write('app/i/page.tsx');
    expect(repo.coord('ann', 'reserve', '--', '-rf').code).toBe(0);
    expect(repo.coord('bob', 'check', '--', '-rf').json['result']).toBe('held');
    expect(repo.coord('ann', 'reserve', 'app/[id]/page.tsx').code).toBe(0);
    expect(repo.coord('bob', 'check', 'app/i/page.tsx').json['result']).toBe('free');
    expect(repo.coord('bob', 'check', 'app/[id]/page.tsx').json['result']).toBe('held');
  });

  test('a group with slashes takes what it says, wherever the caller stands', () => {
    const repo = repository();
    repo.write('a/here');
    expect(repo.coord('ann', 'reserve', 'a/{b/c,d}').json['leases'][0].patterns).toEqual([
      'a/{b/c,d}',
    ]);
    expect(repo.coord('bob', 'check', 'a/b/c').json['result']).toBe('held');
    expect(
      run(join(repo.top, 'a'), repo.env, ['check', '{d,e/f}', '--agent', 'bob', '--json']).json[
        'result'
      ],
    ).toBe('held');
    for (const out of ['{src,../x}', '{/abs/src,a}'])
      expect(repo.coord('bob', 'reserve', out).json['error'].code, out).toBe('path_outside');
    repo.coord('ann', 'reserve', 'lib');
    expect(repo.coord('bob', 'reserve', '{lib,x}/a.ts').json['result']).toBe('refused');
  });

  test('the spelling that is printed for a path is that path when it is said again', () => {
    const repo = repository();
    repo.write('app/[id]/page.tsx');
    const [key] = repo.coord('ann', 'reserve', 'app/[id]/page.tsx').json['leases'][0].patterns;
    expect(key).toBe('app/\\[id\\]/page.tsx');
    expect(repo.coord('bob', 'reserve', key).json['blockers'][0].agent.name).toBe('ann');
    expect(repo.coord('ann', 'release', key).code).toBe(0);
  });

  test('a setting that git rejects is an error, not the end of all settings', () => {
    const repo = repository();
    for (const setting of ['foo', 'ttl=1h', '=x', 'coord=1', ''])
      expect(repo.coord('ann', 'reserve', 'a', '-c', setting).code, setting).toBe(64);
    writeFileSync(join(repo.top, '.git/config'), '[coord\n', { flag: 'a' });
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(69);
  });

  test('an agent without a name is nobody', () => {
    expect(
      run(repository().top, repository().env, ['reserve', 'a', '--agent', '', '--json']).json[
        'error'
      ].code,
    ).toBe('bad_name');
  });

  test('a tracked file with brackets keeps its key with a split index, also while it is not there', () => {
    const repo = repository();
    repo.write('app/[id]/p.ts');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'x');
    repo.git('update-index', '--split-index');
    rmSync(join(repo.top, 'app/[id]/p.ts'));
    expect(repo.coord('ann', 'reserve', 'app/[id]/p.ts').json['leases'][0].patterns).toEqual([
      'app/\\[id\\]/p.ts',
    ]);
  });

  test('a name longer than the file system takes is a name like any other', () => {
    const repo = repository();
    const name = 'a'.repeat(300);
    expect(repo.coord('one', 'reserve', name).code).toBe(0);
    expect(repo.coord('two', 'reserve', `${name}*`).code).toBe(1);
    expect(repo.coord('one', 'check', name).json['result']).toBe('mine');
  });

  test('doctor names a setting that is wrong, and everything else besides', () => {
    const repo = repository();
    repo.git('config', 'coord.ttl', 'soon');
    const { code, json } = repo.coord(null, 'doctor');
    const failed = json['checks'].filter(
      ({ standing }: { standing: string }) => standing === 'fail',
    );
    expect({ code, failed }).toEqual({
      code: 1,
      failed: [
        expect.objectContaining({
          check: 'settings',
          says: expect.stringContaining("coord.ttl 'soon'"),
        }),
      ],
    });
  });

  test('with --json help is one object, and a switch in the environment can say no', () => {
    const repo = repository();
    expect(
      JSON.parse(run(repo.top, repo.env, ['reserve', '--help', '--json']).stdout),
    ).toMatchObject({ result: 'help', text: expect.stringContaining('coord reserve') });
    expect(JSON.parse(run(repo.top, repo.env, ['--json']).stdout)).toMatchObject({
      result: 'help',
      text: expect.stringContaining('coord <verb>'),
    });
    expect(
      run(repo.top, { ...repo.env, COORD_JSON: 'no' }, ['check', 'a', '--agent', 'ann']).stdout,
    ).toBe('free a\n');
  });

  test('invalid UTF-8 is refused', () => {
    const repo = repository();
    const script = `"${process.execPath}" "$COORD" --json reserve "$(printf 'a\\377b')" --agent ann || true`;
    const out = execFileSync('sh', ['-c', `${script}`], {
      cwd: repo.top,
      env: { ...repo.env, COORD: join(import.meta.dirname, '../../dist/coord.cjs') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGTERM',
    });
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'bad_pattern' } });
  });
});
