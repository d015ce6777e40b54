/** Holes that breaking the guard has found, and refusals of what is right. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkout, pathsIn, ranIn, session } from '../support/sessions.ts';

describe('found by breaking it', () => {
  test.for(['of bob\\n\\nCoord-Agent: bob (0a0a0a0a)\\n', 'of a person\\n'])('a commit does not get the message of another that is made at the same moment (%j)', (message) => {
    const repo = checkout({ guarded: false });
    // git has one file for messages; what another git does to it in between, a hook does here.
    writeFileSync(join(repo.top, '.git/hooks/commit-msg'), `#!/bin/sh\n[ ! -e .git/mix ] || printf '${message}' > "$1"\n`, { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/mix'), '');
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 128, stderr: expect.stringContaining('made at the same moment') });
    rmSync(join(repo.top, '.git/mix'));
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^of ann\n\nCoord-Agent: ann/);
  });

  test('a name that is no UTF-8 is committed as it is, and the repository\'s index stays right', () => {
    const repo = checkout();
    ranIn(repo.top, repo.env, 'sh', ['-c', 'echo one > "$(printf "caf\\351")"; git add .; git commit -qm latin']);
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.run('sh', '-c', 'echo two > "$(printf "caf\\351")"; git add -A');
    expect(ann.git('commit', '-q', '-m', 'two')).toMatchObject({ code: 0 });
    expect([repo.git('status', '--short'), pathsIn(repo)]).toEqual(['', '"caf\\351"']);
    expect(bob.coord('status').code).toBe(0);
  });

  test.for(['base', 'index-base'])('a %s that was never written whole is no base', (file) => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.git('rm', '-q', 'src/d');
    expect(bob.git('commit', '-q', '-m', 'bob removes d').code).toBe(0);
    writeFileSync(file === 'base' ? join(ann.env['COORD_STAGE'] ?? '', '../base') : join(repo.top, '.git/coord/index-base'), '');
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
    expect(ann.run('sh', '-c', 'git mv lib moved && ln -s moved lib && git add -A && git commit -q -m link')).toMatchObject({ code: 0 });
    expect(ann.run('sh', '-c', 'mv src/a t && mkdir src/a && mv t src/a/main && git add -A && git commit -q -m folder')).toMatchObject({ code: 0 });
  });

  test('a message that git takes for empty, or for a template that nobody filled in, gives the commit up', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/template'), 'Subject:\n\nWhy:\n');
    const ways: readonly (readonly string[])[] = [['commit', '-v'], ['-c', 'core.commentChar=;', 'commit'], ['-c', `commit.template=${join(repo.top, '.git/template')}`, 'commit']];
    for (const way of ways) expect(ann.run('env', 'GIT_EDITOR=true', 'git', ...way).code, way.join(' ')).not.toBe(0);
    expect(ann.run('env', 'GIT_EDITOR=sh -c \'echo filled in > $1\' -', 'git', 'commit', '-q', '-v')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B')).toMatch(/^filled in\n\nCoord-Agent: ann/);
  });

  test('a hook script that wants all variables set goes on working', () => {
    const repo = checkout({ guarded: false });
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit']) writeFileSync(join(repo.top, '.git/hooks', name), '#!/bin/sh -eu\n:\n', { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    session(repo, 'ann');
    repo.write('src/a', 'a person\n');
    expect(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-a', '-m', 'x'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('with a detached HEAD, and by branch -M, nobody\'s commit is left behind', () => {
    const repo = checkout();
    repo.git('branch', 'other');
    repo.git('checkout', '-q', '--detach');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'of ann').code).toBe(0);
    const made = repo.git('rev-parse', 'HEAD').trim();
    for (const command of [['reset', '-q', 'HEAD~1'], ['commit', '-q', '--amend', '-m', 'bob'], ['checkout', '-q', 'main']]) {
      expect(bob.git(...command).code, command.join(' ')).not.toBe(0);
      expect(repo.git('rev-parse', 'HEAD').trim()).toBe(made);
    }
    expect(ann.git('switch', '-q', '-c', 'kept').code).toBe(0);
    expect(ann.git('switch', '-q', 'main').code).toBe(0);
    for (const flag of ['-M', '-C']) expect(bob.git('branch', flag, 'other', 'kept').code).not.toBe(0);
    expect(repo.git('rev-parse', 'kept').trim()).toBe(made);
  });
});
