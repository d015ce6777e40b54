/** Holes that breaking the guard has found, and refusals of what is right. */
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';
import { checkout, pathsIn, ranIn, session } from '../support/sessions.ts';

describe('found by breaking it', () => {
  test.for(['of bob\\n\\nCoord-Agent: bob (0a0a0a0a)\\n', 'of a person\\n'])(
    'a commit does not get the message of another that is made at the same moment (%j)',
    (message) => {
      const repo = checkout({ guarded: false });
      // git has one file for messages; what another git does to it in between, a hook does here.
      writeFileSync(
        join(repo.top, '.git/hooks/prepare-commit-msg'),
        `#!/bin/sh\n[ ! -e .git/mix ] || printf '${message}' > "$1"\n`,
        { mode: 0o755 },
      );
      expect(repo.coord(null, 'install').code).toBe(0);
      const ann = session(repo, 'ann');
      ann.edit('src/a');
      writeFileSync(join(repo.top, '.git/mix'), '');
      expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({
        code: 128,
        stderr: expect.stringContaining('made at the same moment'),
      });
      rmSync(join(repo.top, '.git/mix'));
      expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
      expect(repo.git('log', '-1', '--format=%B')).toMatch(/^of ann\n\nCoord-Agent: ann/);
    },
  );

  test('a hook of the project may write the message anew', () => {
    const repo = checkout({ guarded: false });
    writeFileSync(join(repo.top, '.git/hooks/commit-msg'), '#!/bin/sh\necho of the hook > "$1"\n', {
      mode: 0o755,
    });
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B').trim()).toBe('of the hook');
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '--amend', '-m', 'again')).toMatchObject({ code: 0 });
  });

  test("a name that is no UTF-8 is committed as it is, and the repository's index stays right", () => {
    const repo = checkout();
    ranIn(repo.top, repo.env, 'sh', [
      '-c',
      'echo one > "$(printf "caf\\351")"; git add .; git commit -qm latin',
    ]);
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.run('sh', '-c', 'echo two > "$(printf "caf\\351")"; git add -A');
    expect(ann.git('commit', '-q', '-m', 'two')).toMatchObject({ code: 0 });
    expect(repo.git('status', '--short')).toBe('');
    expect(pathsIn(repo)).toBe('"caf\\351"');
    expect(bob.coord('status').code).toBe(0);
  });

  test.for(['base', 'index-base'])('a %s that was never written whole is no base', (file) => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.git('rm', '-q', 'src/d');
    expect(bob.git('commit', '-q', '-m', 'bob removes d').code).toBe(0);
    writeFileSync(
      file === 'base'
        ? join(ann.env['COORD_STAGE'] ?? '', '../base')
        : join(repo.top, '.git/coord/index-base'),
      '',
    );
    repo.write('src/new', 'new\n');
    ann.git('add', 'src/new');
    ann.git('commit', '-q', '-m', 'ann');
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('src/d');
  });

  test('what a session takes out of the way on purpose has not vanished: a folder that becomes a link, a file that becomes a folder', () => {
    const repo = checkout();
    for (let i = 0; i < 15; i += 1) repo.write(`lib/f${i}`, `${i}\n`);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'lib');
    const ann = session(repo, 'ann');
    expect(
      ann.run(
        'sh',
        '-c',
        'git mv lib moved && ln -s moved lib && git add -A && git commit -q -m link',
      ),
    ).toMatchObject({ code: 0 });
    expect(
      ann.run(
        'sh',
        '-c',
        'mv src/a t && mkdir src/a && mv t src/a/main && git add -A && git commit -q -m folder',
      ),
    ).toMatchObject({ code: 0 });
  });

  test('files that are to be ignored from now on have not vanished; those that the index lost by itself have', () => {
    const repo = checkout();
    for (let i = 0; i < 15; i += 1) repo.write(`lib/f${i}`, `${i}\n`);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'lib');
    const ann = session(repo, 'ann');
    const past = {
      ...ann.env,
      PATH: (ann.env['PATH'] ?? '').split(':').slice(1).join(':'),
      GIT_INDEX_FILE: ann.env['COORD_STAGE'] ?? '',
    };
    ranIn(repo.top, past, 'git', ['rm', '-rq', '--cached', 'lib']);
    expect(ann.git('commit', '-q', '-m', 'lost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('lib/f0: would be deleted though it is still there'),
    });
    repo.write('.gitignore', 'lib\n');
    ann.git('add', '.gitignore');
    expect(ann.git('commit', '-q', '-m', 'ignored')).toMatchObject({ code: 0 });
  });

  test('a message that git takes for empty, or for a template that nobody filled in, gives the commit up', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/template'), 'Subject:\n\nWhy:\n');
    const ways: readonly (readonly string[])[] = [
      ['commit', '-v'],
      ['-c', 'core.commentChar=;', 'commit'],
      ['-c', `commit.template=${join(repo.top, '.git/template')}`, 'commit'],
    ];
    for (const way of ways)
      expect(ann.run('env', 'GIT_EDITOR=true', 'git', ...way).code, way.join(' ')).not.toBe(0);
    expect(
      ann.run('env', "GIT_EDITOR=sh -c 'echo filled in > $1' -", 'git', 'commit', '-q', '-v'),
    ).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^filled in\n\nCoord-Agent: ann/);
  });

  test('a hook script that wants all variables set goes on working', () => {
    const repo = checkout({ guarded: false });
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'])
      writeFileSync(join(repo.top, '.git/hooks', name), '#!/bin/sh -eu\n:\n', { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    session(repo, 'ann');
    repo.write('src/a', 'a person\n');
    expect(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-a', '-m', 'x'])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('an index that another git is at work on is not taken for one that was brought to HEAD', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const stage = ann.env['COORD_STAGE'] ?? '';
    ann.edit('src/a');
    const older = readFileSync(stage);
    bob.edit('src/b', 'of bob');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    // Another git has taken the lock and will put its older index in place in the end.
    writeFileSync(`${stage}.lock`, '');
    const { PATH, ...rest } = ann.env;
    const past = {
      ...rest,
      PATH: (PATH ?? '').split(':').slice(1).join(':'),
      GIT_INDEX_FILE: stage,
    };
    expect(ranIn(repo.top, past, 'git', ['hook', 'run', 'pre-commit']).code).not.toBe(0);
    writeFileSync(`${stage}.lock`, older);
    renameSync(`${stage}.lock`, stage);
    ann.git('commit', '-q', '-m', 'ann');
    expect(repo.git('show', 'HEAD:src/b')).toContain('of bob');
  });

  test('what a killed git was about to note is not noted by a later one under its number', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    bob.edit('src/b', 'of bob');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    const name = relative(
      join(repo.top, '.git/coord'),
      join(ann.env['COORD_STAGE'] ?? '', '../base'),
    );
    const hook = join(import.meta.dirname, '../../hooks/git-hook');
    writeFileSync(
      join(repo.top, '.git/coord/pending-4242'),
      `${repo.git('rev-parse', 'HEAD').trim()}\n${name}\n`,
    );
    const zero = '0'.repeat(40);
    const tag = repo.git('rev-parse', 'HEAD~1').trim();
    execFileSync('sh', [hook, 'reference-transaction', 'committed'], {
      cwd: repo.top,
      env: { ...repo.env, COORD_GIT_PID: '4242' },
      input: `${zero} ${tag} refs/tags/t\n`,
    });
    expect(ann.git('commit', '-q', '--no-verify', '-m', 'ann')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/a');
    expect(repo.git('show', 'HEAD:src/b')).toEqual(expect.stringContaining('of bob'));
  });

  test('a log that was emptied opens nothing', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/a');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/refs/coord/log'), '');
    expect(ann.git('commit', '-q', '-m', 'x').code).not.toBe(0);
    expect(pathsIn(repo)).not.toBe('src/a');
  });

  test('two branches that go or move at once are judged together', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    expect(bob.git('switch', '-q', '-c', 'p').code).toBe(0);
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    expect(bob.git('switch', '-q', 'main').code).toBe(0);
    repo.git('branch', 'q', 'p');
    const main = repo.git('rev-parse', 'main').trim();
    for (const lines of [
      'delete refs/heads/p\ndelete refs/heads/q\n',
      `update refs/heads/p ${main}\nupdate refs/heads/q ${main}\n`,
    ]) {
      expect(
        ann.run('sh', '-c', `printf '${lines.replaceAll('\n', '\\n')}' | git update-ref --stdin`)
          .code,
      ).not.toBe(0);
    }
    expect(ann.git('branch', '-D', 'q')).toMatchObject({ code: 0 });
  });

  test('a message that begins with # or has a line of dashes is signed where git finds it', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    for (const message of ['#12 fix login', 'subject\n\nbody\n---\nmore']) {
      ann.edit('src/a');
      expect(ann.git('commit', '-q', '-m', message).code).toBe(0);
      expect(
        repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim(),
        message,
      ).toMatch(/^ann/);
    }
    expect(ann.git('commit', '-q', '--amend', '-m', 'amended')).toMatchObject({ code: 0 });
  });

  test("a merge that had nothing to do does not claim a person's later one", () => {
    const repo = checkout();
    repo.git('checkout', '-q', '-b', 'side');
    repo.git('commit', '-q', '--allow-empty', '-m', 'side');
    repo.git('checkout', '-q', 'main');
    repo.git('commit', '-q', '--allow-empty', '-m', 'main');
    const ann = session(repo, 'ann');
    expect(ann.git('merge', '-q', 'HEAD').code).toBe(0);
    expect(ranIn(repo.top, repo.env, 'git', ['merge', '-q', '--no-edit', 'side'])).toMatchObject({
      code: 0,
    });
  });

  test('both holders of what they share are asked, and what could not be kept is not said to be', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    for (const who of [ann, bob]) who.coord('reserve', '--shared', 'src/b');
    repo.write('src/b', 'changed\n');
    for (const who of [ann, bob]) expect(who.git('restore', 'src/b').code).not.toBe(0);
    expect(ann.coord('release', '--all').code + bob.coord('release', '--all').code).toBe(0);
    ann.coord('reserve', 'src/b');
    repo.write('src/b', 'changed again\n');
    rmSync(join(repo.top, '.git/refs/coord/saved'), { recursive: true, force: true });
    repo.git('pack-refs', '--all');
    writeFileSync(join(repo.top, '.git/refs/coord/saved'), '');
    expect(ann.git('reset', '-q', '--hard').code).not.toBe(0);
    expect(readFileSync(join(repo.top, 'src/b'), 'utf8')).toBe('changed again\n');
  });

  test('a work tree is not removed with the unsaved work of another, however it is said', () => {
    const repo = checkout();
    repo.git('worktree', 'add', '-q', '-b', 'side', '../side');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob', join(repo.top, '../side'))];
    expect(bob.coord('reserve', 'src/b').code).toBe(0);
    writeFileSync(join(repo.top, '../side/src/b'), 'of bob\n');
    for (const words of [
      ['--force', '../side'],
      ['-f', '../side'],
      ['../side', '--force'],
      ['--force', 'side'],
    ])
      expect(ann.git('worktree', 'remove', ...words).code, words.join(' ')).not.toBe(0);
    expect(readFileSync(join(repo.top, '../side/src/b'), 'utf8')).toBe('of bob\n');
  });

  test('a work tree is not removed with commits of another that nothing but its HEAD reaches', () => {
    const repo = checkout();
    repo.git('worktree', 'add', '-q', '--detach', '../side');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob', join(repo.top, '../side'))];
    writeFileSync(join(repo.top, '../side/src/b'), 'of bob\n');
    expect(bob.git('commit', '-q', '-a', '-m', 'of bob')).toMatchObject({ code: 0 });
    const refused = ann.git('worktree', 'remove', '../side');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a commit of bob') });
    const [, next = ''] = /next: (.*)/.exec(refused.stderr) ?? [];
    expect(ann.run('sh', '-c', next)).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%s', '--branches=kept-*').trim()).toBe('of bob');
  });

  test('what git ignores and somebody has reserved is not written over by another commit that holds it', () => {
    const repo = checkout();
    repo.git('checkout', '-q', '-b', 'feature');
    repo.write('.env', 'theirs\n');
    repo.git('add', '.env');
    repo.git('commit', '-q', '-m', 'env');
    repo.git('checkout', '-q', 'main');
    repo.write('.git/info/exclude', '.env\n');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', '.env');
    repo.write('.env', 'secret\n');
    for (const command of [
      ['merge', '-q', 'feature'],
      ['checkout', '-q', 'feature'],
      ['rebase', '-q', 'feature'],
    ])
      expect(ann.git(...command).code, command.join(' ')).not.toBe(0);
    expect(readFileSync(join(repo.top, '.env'), 'utf8')).toBe('secret\n');
    repo.git('branch', 'plain');
    expect(ann.git('switch', '-q', 'plain')).toMatchObject({ code: 0 });
  });

  test("a message that is taken over from another's commit is signed by whoever commits", () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'of bob').code).toBe(0);
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-C', 'HEAD')).toMatchObject({ code: 0 });
    expect(
      repo
        .git('log', '-1', '--format=%s|%(trailers:key=Coord-Agent,valueonly,separator=%x2C)')
        .trim(),
    ).toMatch(/^of bob\|ann \([0-9a-z]{8}\)$/);
    repo.git('branch', 'side', 'HEAD~2');
    expect(ann.git('switch', '-q', 'side').code).toBe(0);
    expect(ann.git('cherry-pick', 'main~1')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)').trim()).toMatch(
      /^bob/,
    );
  });

  test("after the first commit of all, by a session, a person's status is true", () => {
    const repo = repository({ unborn: true });
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    repo.write('x', '1\n');
    ann.git('add', 'x');
    expect(ann.git('commit', '-q', '-m', 'first')).toMatchObject({ code: 0 });
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test("with a detached HEAD, and by branch -M, nobody's commit is left behind", () => {
    const repo = checkout();
    repo.git('branch', 'other');
    repo.git('checkout', '-q', '--detach');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'of ann').code).toBe(0);
    const made = repo.git('rev-parse', 'HEAD').trim();
    for (const command of [
      ['reset', '-q', 'HEAD~1'],
      ['commit', '-q', '--amend', '-m', 'bob'],
      ['checkout', '-q', 'main'],
      ['checkout', '-q', 'main', '--'],
      ['switch', '-q', '-'],
      ['checkout', '-q', '-B', 'other', 'main'],
      ['switch', '-q', '--orphan', 'new'],
      ['rebase', '-q', 'main', 'other'],
      ['symbolic-ref', 'HEAD', 'refs/heads/main'],
    ]) {
      expect(bob.git(...command).code, command.join(' ')).not.toBe(0);
      expect(repo.git('rev-parse', 'HEAD').trim()).toBe(made);
    }
    expect(ann.git('switch', '-q', '-c', 'kept').code).toBe(0);
    expect(ann.git('switch', '-q', 'main').code).toBe(0);
    for (const flags of [
      ['-M'],
      ['-C'],
      ['-m', '-f'],
      ['-fm'],
      ['--move', '--force'],
      ['-c', '-f'],
    ])
      expect(bob.git('branch', ...flags, 'other', 'kept').code, flags.join(' ')).not.toBe(0);
    expect(repo.git('rev-parse', 'kept').trim()).toBe(made);
  });
});
