/** From a repository, or a clone of a team's, to one that is coordinated: one command. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, hermetic, repository, type TestRepository } from '../../support/repository.ts';

/** Another machine's clone of what `repo` has pushed. */
function cloneOf(repo: TestRepository, name: string): TestRepository {
  const home = join(dirname(repo.top), name);
  repo.git('clone', '-q', join(repo.top, '../server.git'), home);
  return at(home, hermetic(dirname(repo.top)));
}

function withServer(): TestRepository {
  const repo = repository();
  repo.coord(null, 'uninstall');
  repo.git('init', '-q', '--bare', '-b', 'main', '../server.git');
  repo.git('remote', 'add', 'origin', join(repo.top, '../server.git'));
  return repo;
}

/** A team that shares its log, and has committed what coord wrote. */
function team(): TestRepository {
  const repo = withServer();
  repo.write('.claude/settings.json', '{}\n');
  repo.coord(null, 'init', '--yes', '--remote', 'origin');
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'coordinate');
  repo.git('push', '-q', 'origin', 'main');
  return repo;
}

describe('coord init', () => {
  test('without a terminal it shows the plan, does nothing and exits 64', () => {
    const repo = withServer();
    repo.write('.husky/pre-commit', '');
    const before = repo.git('status', '--porcelain', '--ignored');
    const said = repo.text(null, 'init', '--harness', 'claude', '--remote', 'origin');
    expect(said.code).toBe(64);
    expect(said.stdout).toMatch(/remotes {3}origin\n {2}hooks of {2}husky\n {2}programs {2}Claude/);
    expect(said.stdout).toContain('create .coord.json, to be committed');
    expect(said.stderr).toContain('next: coord init --yes --remote origin --harness claude\n');
    expect(repo.git('status', '--porcelain', '--ignored')).toBe(before);
    expect(existsSync(join(repo.top, '.git/hooks/pre-commit'))).toBe(false);
  });

  test('sets up hooks, programs and the team file, and says how it is and what is next', () => {
    const repo = withServer();
    const { code, json } = repo.coord(null, 'init', '--yes', '--harness', 'claude');
    expect(code).toBe(0);
    expect(json).toMatchObject({ result: 'initialized', joins: false });
    expect(json['health']).toEqual([
      'hooks     a commit on a held path is refused, a free one passes',
      'programs  Claude Code',
      'log       in this clone',
      'settings  none in .coord.json yet: coord config',
      'to mend   nothing',
    ]);
    expect(json['next']).toBe(
      "git add -- :/.coord.json :/.claude/settings.json :/CLAUDE.md && git commit -m 'Coordinate agents with coord' -- :/.coord.json :/.claude/settings.json :/CLAUDE.md",
    );
    expect(readFileSync(join(repo.top, '.coord.json'), 'utf8')).toBe('{}\n');
    repo.coord('bob', 'reserve', 'a');
    repo.write('a', 'x\n');
    repo.git('add', 'a');
    expect(() => repo.git('commit', '-q', '-m', 'a')).toThrow(/held by bob/);
  });

  test('a clone of the team joins in one command, which changes no tracked file', () => {
    const clone = cloneOf(team(), 'teammate');
    const { code, json } = clone.coord(null, 'init', '--yes');
    expect(code).toBe(0);
    expect(json).toMatchObject({ result: 'joined', next: 'coord status' });
    expect(json['health']).toContain("log       on remote 'origin'");
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('who joins is in the way of the team, and the team of who joins', () => {
    const repo = team();
    const clone = cloneOf(repo, 'teammate');
    clone.coord(null, 'init', '--yes');
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect(clone.coord('bob', 'reserve', 'src/a').json).toMatchObject({ result: 'refused' });
  });

  test('what a teammate has changed in a file of the team stays, and is said', () => {
    const repo = team();
    const clone = cloneOf(repo, 'teammate');
    clone.write('CLAUDE.md', 'Our own rules.\n');
    clone.git('commit', '-qam', 'rules');
    const { json } = clone.coord(null, 'init', '--yes');
    expect(json['steps']).toContain('leave CLAUDE.md to the team: coord install would change it');
    expect(clone.git('status', '--porcelain')).toBe('');
  });

  test('a clone that has not joined says so at its first command, once', () => {
    const clone = cloneOf(team(), 'teammate');
    const note =
      'the team of this repository uses coord, and this clone has not joined: coord init';
    expect(clone.text(null, 'status').stderr).toContain(note);
    expect(clone.text(null, 'status').stderr).not.toContain(note);
    const other = cloneOf(team(), 'other');
    expect(other.coord(null, 'status').json['notJoined']).toEqual({ next: 'coord init' });
    expect(other.coord(null, 'doctor').stdout).toContain('coord init');
  });

  test('who has joined, or has no team, is not told to', () => {
    const clone = cloneOf(team(), 'teammate');
    clone.coord(null, 'init', '--yes');
    expect(clone.coord(null, 'status').json).not.toHaveProperty('notJoined');
    const alone = repository();
    alone.coord(null, 'uninstall');
    expect(alone.coord(null, 'status').json).not.toHaveProperty('notJoined');
  });

  test('a remote that is not there is named before anything is done', () => {
    const repo = withServer();
    repo.write('.coord.json', '{"remote": "upstream"}\n');
    const said = repo.text(null, 'init', '--yes');
    expect(said).toMatchObject({ code: 64 });
    expect(said.stderr).toContain("there is no remote 'upstream' here, but origin");
    expect(existsSync(join(repo.top, '.git/hooks/pre-commit'))).toBe(false);
  });

  test('what it says next can be run in any folder, and commits nothing else', () => {
    const repo = withServer();
    repo.write('.gitignore', 'CLAUDE.md\n');
    repo.write('sub/mine', 'x\n');
    repo.git('add', 'sub/mine');
    const { json } = repo.coord(null, 'init', '--yes', '--harness', 'claude');
    execFileSync('sh', ['-c', json['next']], { cwd: join(repo.top, 'sub'), env: repo.env });
    expect(repo.git('show', '--name-only', '--format=').trim().split('\n')).toEqual([
      '.claude/settings.json',
      '.coord.json',
    ]);
    expect(repo.git('diff', '--cached', '--name-only')).toBe('sub/mine\n');
  });

  test('a remote that is said later goes into the file of the team', () => {
    const repo = withServer();
    repo.coord(null, 'init', '--yes');
    const { json } = repo.coord(null, 'init', '--yes', '--remote', 'origin');
    expect(json['steps']).toContain('change .coord.json, to be committed');
    expect(readFileSync(join(repo.top, '.coord.json'), 'utf8')).toContain('"remote": "origin"');
    expect(json['next']).toContain('git add -- :/.coord.json');
  });

  test('said twice it changes nothing more', () => {
    const repo = withServer();
    repo.coord(null, 'init', '--yes', '--harness', 'claude');
    const before = repo.git('status', '--porcelain');
    const { json } = repo.coord(null, 'init', '--yes', '--harness', 'claude');
    expect(json['steps']).toEqual([
      'install the git hooks',
      'keep the log in this clone (agents on several machines need --remote <name>)',
    ]);
    expect(repo.git('status', '--porcelain')).toBe(before);
  });
});
