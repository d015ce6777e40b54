/** What an hour of everyday git with two sessions and a person has found, as the few commands that show it. */
import { readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, type TestRepository } from '../support/repository.ts';
import { went } from '../support/scene.ts';
import { checkout, pathsIn, ranIn, type Session, session } from '../support/sessions.ts';

const nextOf = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/^ +next: (.*)$/gm)].map(([, command = '']) => command);

interface Two {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
}

function two(): Two {
  const repo = checkout();
  return { repo, ann: session(repo, 'ann'), bob: session(repo, 'bob') };
}

/** A conflict in src/a between main and feat. */
function withConflict({ repo }: Two): void {
  repo.git('switch', '-q', '-c', 'feat');
  repo.write('src/a', 'of feat\n');
  repo.git('commit', '-q', '-a', '-m', 'feat');
  repo.git('switch', '-q', 'main');
  repo.write('src/a', 'of main\n');
  repo.git('commit', '-q', '-a', '-m', 'main');
}

describe('work that is staged and not held', () => {
  test.for([
    ['checkout', '--', 'src/c'],
    ['reset', '--hard'],
    ['restore', 'src/c'],
    ['stash'],
  ])('git %s of another session is refused, and no printed command wipes it', (words) => {
    const { repo, ann, bob } = two();
    bob.edit('src/c', 'one');
    const { code, stderr } = ann.git(...words);
    expect(code).not.toBe(0);
    for (const next of nextOf(stderr)) ann.run('sh', '-c', next);
    expect(readFileSync(join(repo.top, 'src/c'), 'utf8')).toContain('one');
  });
});

describe('git commit -a of a session', () => {
  test('leaves out what another has staged, and says so', () => {
    const { repo, ann, bob } = two();
    bob.edit('src/b');
    repo.write('src/a', 'of ann\n');
    const { code, stderr } = ann.git('commit', '-q', '-a', '-m', 'of ann');
    expect(code).toBe(0);
    expect(stderr).toContain('left out what others have: src/b');
    expect(pathsIn(repo)).toBe('src/a');
    expect(bob.git('status', '--porcelain').stdout).toBe('M  src/b\n');
    expect(ann.git('status', '--porcelain').stdout).toBe(' M src/b\n');
    went(bob.git('commit', '-q', '-m', 'of bob'));
    expect(pathsIn(repo)).toBe('src/b');
  });

  test('makes no empty commit where there is nothing else', () => {
    const { repo, ann, bob } = two();
    bob.edit('src/b');
    const head = repo.git('rev-parse', 'HEAD');
    const { code, stderr } = ann.git('commit', '-q', '-a', '-m', 'of ann');
    expect(code).not.toBe(0);
    expect(stderr).toContain('src/b has uncommitted changes of bob');
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
  });

  test('takes what its own session has staged as well', () => {
    const { repo, ann, bob } = two();
    bob.edit('src/b');
    ann.edit('src/b', 'ann as well');
    went(ann.git('commit', '-q', '-a', '-m', 'of both'));
    expect(pathsIn(repo)).toBe('src/b');
  });
});

describe('a reset --hard of a person that is refused', () => {
  test('has wiped what a holder had not committed, who is told', () => {
    const { repo, ann } = two();
    ann.edit('src/a');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    ann.coord('reserve', 'src/b');
    repo.write('src/b', 'unsaved\n');
    const refused = ranIn(repo.top, repo.env, 'git', ['reset', '--hard', 'HEAD~1']);
    expect(refused.code).not.toBe(0);
    expect(ann.coord('inbox').stdout).toContain('src/b');
  });

  test('of the index alone has changed no file, and nobody is told', () => {
    const { repo, ann } = two();
    ann.edit('src/a');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    ann.coord('reserve', 'src/a');
    expect(ranIn(repo.top, repo.env, 'git', ['reset', 'HEAD~1']).code).not.toBe(0);
    expect(ann.coord('inbox').json['messages']).toEqual([]);
  });
});

describe("one's own merge", () => {
  test('is given up with what it has written, also where another holds the file', () => {
    const both = two();
    withConflict(both);
    const { repo, ann, bob } = both;
    went(ann.coord('reserve', 'src/a'));
    expect(bob.git('merge', 'feat').code).not.toBe(0);
    went(bob.git('merge', '--abort'));
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('of main\n');
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test('keeps what its holder has written into the conflict since', () => {
    const both = two();
    withConflict(both);
    const { repo, ann, bob } = both;
    went(ann.coord('reserve', 'src/a'));
    expect(bob.git('merge', 'feat').code).not.toBe(0);
    repo.write('src/a', 'of ann\n');
    expect(bob.git('merge', '--abort').code).not.toBe(0);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('of ann\n');
  });

  test('that git puts together by itself passes, also where one side has renamed what another holds', () => {
    const { repo, ann, bob } = two();
    repo.git('switch', '-q', '-c', 'feat');
    repo.git('mv', 'src/c', 'src/cc');
    repo.git('commit', '-q', '-m', 'renamed');
    repo.git('switch', '-q', 'main');
    went(ann.coord('reserve', 'src/c', 'src/cc'));
    ann.edit('src/c');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    went(bob.git('merge', '-q', '--no-edit', 'feat'));
    expect(repo.git('show', 'HEAD:src/cc')).toContain('ann was here');
  });
});

describe('what the log tells', () => {
  test('a commit of a session has its own time, before and after a writer has carried it', () => {
    const { repo, ann } = two();
    ann.edit('src/a');
    const before = Date.now();
    went(ann.git('commit', '-q', '-m', 'one'));
    const told = (): string =>
      repo
        .text(null, 'log', '--json')
        .stdout.split('\n')
        .filter((line) => line.includes('"committed"'))
        .map((line) => String((JSON.parse(line) as { at?: string }).at))[0] ?? 'none';
    const waiting = told();
    expect(Math.abs(Date.parse(waiting) - before)).toBeLessThan(20_000);
    went(ann.coord('reserve', 'src/b'));
    expect(told()).toBe(waiting);
  });
});

describe('a command in a folder that is gone', () => {
  test('says so with exit 69', () => {
    const { repo } = two();
    repo.write('gone/x');
    const program = join(import.meta.dirname, '../../dist/coord.cjs');
    const line = `cd gone && rm x && rmdir ../gone && exec '${process.execPath}' '${program}' status --json`;
    const { code, stdout } = ranIn(repo.top, repo.env, 'sh', ['-c', line]);
    expect(code).toBe(69);
    expect(stdout).toContain('not_a_repository');
    expect(() => rmdirSync(join(repo.top, 'gone'))).toThrow();
  });
});

describe('a log that comes back from a remote', () => {
  test('has no hole that doctor would name', () => {
    const { repo, ann } = two();
    const remote = join(repo.top, '../remote.git');
    repo.git('init', '-q', '--bare', remote);
    repo.git('remote', 'add', 'origin', remote);
    repo.git('push', '-q', '-u', 'origin', 'main');
    went(run(repo.top, repo.env, ['remote', 'set', 'origin']));
    for (const path of ['src/a', 'src/b']) went(ann.coord('reserve', path));
    went(ann.coord('release', 'src/b'));
    went(run(repo.top, repo.env, ['remote', 'off', '--move']));
    expect(repo.coord(null, 'doctor').code).toBe(0);
  });

  test('to which it is to go keeps its ref in the next command', () => {
    const { repo, ann } = two();
    const remote = join(repo.top, '../remote.git');
    repo.git('init', '-q', '--bare', remote);
    repo.git('remote', 'add', 'origin', remote);
    went(ann.coord('reserve', 'src/a'));
    const ref = 'refs/heads/coord/log';
    const refused = run(repo.top, repo.env, ['remote', 'set', 'origin', '--ref', ref, '--json']);
    expect(refused.json['next']).toBe(`coord remote set origin --ref ${ref} --move`);
  });
});
