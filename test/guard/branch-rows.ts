/** What becomes of commands that move branches, or come in between, under the guard. */
import { expect } from 'vitest';
import { fileAt, pathsIn, ranIn, session } from '../support/sessions.ts';
import { branchFrom, commit, type Row, refused } from './command-scene.ts';

export const branchRows: readonly Row[] = [
  [
    "reset --hard HEAD~1: over one's own commit goes, over another's is refused",
    ({ repo, ann, bob }) => {
      commit(ann, 'src/a');
      expect(ann.git('reset', '-q', '--hard', 'HEAD~1').code).toBe(0);
      commit(ann, 'src/a');
      refused(bob.git('reset', '-q', '--hard', 'HEAD~1'), 'on no branch');
      expect(repo.git('log', '-1', '--format=%s').trim()).toBe('ann edits src/a');
    },
  ],
  [
    'reset --soft keeps what is staged, and the next commit holds it',
    ({ repo, ann }) => {
      commit(ann, 'src/a');
      commit(ann, 'src/b');
      expect(ann.git('reset', '-q', '--soft', 'HEAD~2').code).toBe(0);
      expect(ann.git('commit', '-q', '-m', 'both in one').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/a src/b');
    },
  ],
  [
    'branch -f and checkout -B: away from what another committed is refused',
    ({ repo, ann, bob }) => {
      repo.git('branch', 'side');
      expect(bob.git('switch', '-q', 'side').code).toBe(0);
      commit(bob, 'src/a');
      expect(bob.git('switch', '-q', 'main').code).toBe(0);
      refused(ann.git('branch', '-f', 'side', 'main'), 'on no branch');
      refused(ann.git('checkout', '-q', '-B', 'side', 'main'), 'on no branch');
      expect(ann.git('branch', 'new', 'side').code).toBe(0);
    },
  ],
  [
    "branch -D: what another committed there is not left on no branch; renaming, one's own and merged ones go",
    ({ repo, ann, bob }) => {
      for (const name of ['of-bob', 'of-ann', 'merged']) {
        const who = name === 'of-ann' ? ann : bob;
        expect(who.git('switch', '-q', '-c', name).code).toBe(0);
        commit(who, name === 'merged' ? 'src/b' : 'src/a');
        expect(who.git('switch', '-q', 'main').code).toBe(0);
      }
      repo.git('branch', 'keeps', 'merged');
      refused(
        ann.git('branch', '-D', 'of-bob'),
        /a commit of bob .* would be on no branch: [0-9a-f]{10} "bob edits src\/a"/,
      );
      repo.git('pack-refs', '--all');
      refused(ann.git('branch', '-D', 'of-bob'), 'on no branch');
      refused(ann.git('update-ref', '-d', 'refs/heads/of-bob'), 'on no branch');
      expect(ann.git('branch', '-m', 'of-bob', 'renamed')).toMatchObject({ code: 0 });
      expect(repo.git('log', '-1', '--format=%s', 'renamed').trim()).toBe('bob edits src/a');
      expect(ann.git('branch', '-D', 'of-ann', 'merged')).toMatchObject({ code: 0 });
      expect(bob.git('branch', '-D', 'renamed')).toMatchObject({ code: 0 });
    },
  ],
  [
    'merge: a fast-forward and a true merge of existing work go, also over held paths',
    ({ repo, ann }) => {
      branchFrom(repo, 'forward', ['src/held']);
      expect(ann.git('merge', '-q', '--ff-only', 'forward')).toMatchObject({ code: 0 });
      branchFrom(repo, 'side', ['src/d'], 'HEAD~1');
      commit(ann, 'src/a');
      expect(ann.git('merge', '-q', '--no-edit', 'side')).toMatchObject({ code: 0 });
      expect(fileAt(repo, 'src/d')).toEqual(expect.stringContaining('side'));
      expect(fileAt(repo, 'src/a')).toEqual(expect.stringContaining('ann was here'));
    },
  ],
  [
    'pull from a path: a fast-forward of what was made elsewhere goes',
    ({ repo, ann }) => {
      repo.git('clone', '-q', '.', '../clone');
      ranIn(`${repo.top}/../clone`, repo.env, 'sh', [
        '-c',
        'echo pulled >> src/held; git commit -qam elsewhere',
      ]);
      expect(ann.git('pull', '-q', '--ff-only', '../clone', 'main')).toMatchObject({ code: 0 });
      expect(fileAt(repo, 'src/held')).toContain('pulled');
    },
  ],
  [
    'fetch into remote-tracking branches and tags goes',
    ({ repo, ann }) => {
      repo.git('clone', '-q', '.', '../clone');
      repo.git('remote', 'add', 'other', '../clone');
      expect(ann.git('fetch', '-q', 'other')).toMatchObject({ code: 0 });
      expect(ann.git('tag', 'mark', 'HEAD')).toMatchObject({ code: 0 });
    },
  ],
  [
    'a commit that was first put under a tag is judged when a branch takes it',
    ({ repo, ann }) => {
      const tree = repo.git('write-tree').trim();
      repo.write('src/held', 'by the back door\n');
      repo.git('update-index', 'src/held');
      const made = repo
        .git('commit-tree', repo.git('write-tree').trim(), '-p', 'HEAD', '-m', 'hidden')
        .trim();
      repo.git('read-tree', tree);
      repo.git('checkout', '-q', '--', 'src/held');
      repo.git('tag', 'hidden', made);
      refused(ann.git('merge', '-q', '--ff-only', 'hidden'), 'src/held is held by');
    },
  ],
  [
    'cherry-pick and revert: free paths go, held ones are refused',
    ({ repo, ann }) => {
      branchFrom(repo, 'side', ['src/a']);
      branchFrom(repo, 'taken', ['src/held']);
      expect(ann.git('cherry-pick', 'side')).toMatchObject({ code: 0 });
      expect(ann.git('revert', '--no-edit', 'HEAD')).toMatchObject({ code: 0 });
      refused(ann.git('cherry-pick', 'taken'), 'src/held is held by');
    },
  ],
  [
    "rebase, both backends: one's own commits move, held paths are refused",
    ({ repo, ann, bob }) => {
      for (const [i, backend] of ['--merge', '--apply'].entries()) {
        repo.git('branch', `topic-${i}`, 'HEAD~1');
        expect(ann.git('switch', '-q', `topic-${i}`).code).toBe(0);
        commit(ann, `src/${'ab'[i] ?? ''}`);
        expect(ann.git('rebase', '-q', backend, 'main'), backend).toMatchObject({ code: 0 });
        expect(pathsIn(repo), backend).toBe(`src/${'ab'[i] ?? ''}`);
        expect(ann.git('switch', '-q', 'main').code).toBe(0);
      }
      expect(bob.coord('status').code).toBe(0);
    },
  ],
  [
    'am: a patch on free paths goes, on held ones it is refused',
    ({ repo, ann }) => {
      branchFrom(repo, 'side', ['src/a']);
      branchFrom(repo, 'taken', ['src/held']);
      repo.git('format-patch', '-q', '-1', '-o', '../free', 'side');
      repo.git('format-patch', '-q', '-1', '-o', '../held', 'taken');
      expect(ann.run('sh', '-c', 'git am -q ../free/*')).toMatchObject({ code: 0 });
      refused(ann.run('sh', '-c', 'git am -q ../held/*'), 'src/held is held by');
    },
  ],
  [
    'gc, pack-refs and renaming a branch go',
    ({ repo, ann, bob }) => {
      commit(bob, 'src/a');
      repo.git('branch', 'old');
      expect(ann.git('pack-refs', '--all')).toMatchObject({ code: 0 });
      expect(ann.git('gc', '-q')).toMatchObject({ code: 0 });
      expect(ann.git('branch', '-m', 'old', 'newer')).toMatchObject({ code: 0 });
      commit(ann, 'src/b');
    },
  ],
  [
    'switch by one session: the commit of another does not land on that branch unseen [I-7]',
    ({ repo, ann, bob }) => {
      ann.edit('src/a');
      repo.git('branch', 'side');
      expect(bob.git('switch', '-q', 'side').code).toBe(0);
      refused(ann.git('commit', '-q', '-m', 'x'), 'HEAD was switched from main to side');
      expect(ann.git('switch', '-q', 'main').code).toBe(0);
      expect(ann.git('commit', '-q', '-m', 'x')).toMatchObject({ code: 0 });
      expect(repo.git('log', '-1', '--format=%s', 'main').trim()).toBe('x');
    },
  ],
  [
    'the same change by absolute path to git, past the stage, is refused',
    ({ repo, ann }) => {
      repo.write('src/a', 'x\n');
      const path = (ann.env['PATH'] ?? '').split(':').slice(1).join(':');
      expect(ann.run('env', `PATH=${path}`, 'git', 'add', 'src/a').code).toBe(0);
      refused(
        ann.run('env', `PATH=${path}`, 'git', 'commit', '-q', '-m', 'x'),
        'not staged by you',
      );
    },
  ],
  [
    "what a person had staged survives agents' commits, and status stays true [I-3, I-6]",
    ({ repo, ann, person }) => {
      repo.write('src/e', 'a person\n');
      person('add', 'src/e');
      commit(ann, 'src/a');
      expect(repo.git('status', '--porcelain')).toBe('M  src/e\n');
      expect(person('commit', '-q', '-m', 'a person').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/e');
    },
  ],
  [
    "after the last session has ended a person's commits are not measured by where it stood",
    ({ repo, ann, bob, person }) => {
      commit(ann, 'src/a');
      for (const who of [ann, bob]) who.coord('session', 'end');
      for (const round of [1, 2]) {
        repo.write('src/a', `a person ${round}\n`);
        expect(person('commit', '-q', '-a', '-m', `idle ${round}`)).toMatchObject({ code: 0 });
      }
      repo.coord('carl', 'reserve', 'src/b');
      repo.write('src/a', 'a person 3\n');
      expect(person('commit', '-q', '-a', '-m', 'not idle')).toMatchObject({ code: 0 });
      const dora = session(repo, 'dora');
      repo.write('src/a', 'a person 4\n');
      expect(person('commit', '-q', '-a', '-m', 'beside a session')).toMatchObject({ code: 0 });
      commit(dora, 'src/c');
      repo.write('src/a', 'a person 5\n');
      expect(person('commit', '-q', '-a', '-m', 'after its commit')).toMatchObject({ code: 0 });
    },
  ],
  [
    'stash, sparse files, a mode, a deletion, intent to add: what is committed is what was staged',
    ({ repo, ann, bob }) => {
      repo.git('update-index', '--chmod=+x', 'src/a');
      repo.git('reset', '-q');
      expect(ann.git('update-index', '--chmod=+x', 'src/a').code).toBe(0);
      expect(ann.git('rm', '-q', 'src/b').code).toBe(0);
      repo.write('src/new', 'new\n');
      expect(ann.git('add', '-N', 'src/new').code).toBe(0);
      commit(bob, 'src/c');
      expect(ann.git('commit', '-q', '-m', 'a mode and a deletion')).toMatchObject({ code: 0 });
      expect(pathsIn(repo)).toBe('src/a src/b');
      expect(ann.git('add', 'src/new').code).toBe(0);
      expect(ann.git('commit', '-q', '-m', 'new').code).toBe(0);
      expect(pathsIn(repo)).toBe('src/new');
    },
  ],
];
