/**
 * What the shells offer at a tab.
 * Needs: zsh, fish.
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import { type Environment, repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

/** Somebody holds something of each kind. */
function busy(): TestRepository {
  const repo = repository();
  repo.coord('ann', 'reserve', 'src/a');
  repo.coord('bob', 'lock', 'deploy');
  repo.coord('bob', 'claim', 'bd-7', '--again');
  repo.write('.beads/issues.jsonl', '{"id":"bd-9","title":"x"}\n');
  repo.write('afile', '');
  repo.git('branch', 'fix-login');
  return repo;
}

function environment(repo: TestRepository): Environment {
  const bin = mkdtempSync(join(repo.top, '..', 'bin-'));
  coordIn(bin, ['coord', 'git-coord']);
  return { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}`, TERM: 'dumb' };
}

/** What bash would offer for the last of these words. */
function inBash(repo: TestRepository, words: readonly string[]): readonly string[] {
  const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const script = `eval "$(coord completion bash)"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _coord; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = ranIn(repo.top, environment(repo), 'bash', ['--norc', '--noprofile', '-c', script]);
  expect(ran.stderr).toBe('');
  return ran.stdout.split('\n').filter((word) => word !== '');
}

function inFish(repo: TestRepository, line: string): readonly string[] {
  const script = `coord completion fish | source; complete -C '${line}'`;
  const ran = ranIn(repo.top, environment(repo), 'fish', ['--no-config', '-c', script]);
  return ran.stdout.split('\n').flatMap((row) => row.split('\t')[0] ?? []);
}

const lease = (repo: TestRepository): string =>
  repo.coord('ann', 'reserve', 'src/a').json['leases'][0].id;

describe('completion in bash', () => {
  test.for<readonly [string, readonly string[], readonly string[]]>([
    ['verbs', ['coord', 'cl'], ['claim']],
    ['verbs behind git', ['git', 'coord', 'cl'], ['claim']],
    ['second words', ['coord', 'session', 's'], ['start']],
    ['names behind --agent', ['coord', '--agent', 'a'], ['ann']],
    ['names behind --to', ['coord', 'transfer', 'x', '--to', 'b'], ['bob']],
    ['beads that are claimed and that the tracker has', ['coord', 'claim', 'bd'], ['bd-7', 'bd-9']],
    ['locks', ['coord', 'unlock', ''], ['deploy']],
    ['locks behind --lock', ['coord', 'run', '--lock', 'd'], ['deploy']],
    ['branches', ['coord', 'push', 'f'], ['fix-login']],
    ['settings', ['coord', 'config', 'gr'], ['grace']],
    ['flags of the verb', ['coord', 'reserve', '--sh'], ['--shared']],
    ['values of a flag', ['coord', '--color', 'al'], ['always']],
    ['paths', ['coord', 'reserve', 'af'], ['afile']],
    ['shells', ['coord', 'completion', 'z'], ['zsh']],
  ])('offers %s', ([, words, offered]) => {
    expect(inBash(busy(), words)).toEqual(offered);
  });

  test('offers leases, and paths beside them', () => {
    const repo = busy();
    const id = lease(repo);
    expect(inBash(repo, ['coord', 'release', id.slice(0, 3)])).toEqual([id]);
    expect(inBash(repo, ['coord', 'release', 'af'])).toEqual(['afile']);
  });

  test('runs nothing that a name says, and offers no such name', () => {
    const repo = busy();
    repo.git('branch', 'f$(touch${IFS}pwned)');
    expect(inBash(repo, ['coord', 'push', 'f'])).toEqual(['fix-login']);
    expect(repo.git('status', '--porcelain', '--', 'pwned')).toBe('');
  });
});

describe('completion in fish', () => {
  test.for<readonly [string, string, string]>([
    ['verbs', 'coord cl', 'claim'],
    ['second words', 'coord session s', 'start'],
    ['names', 'coord --agent ', 'bob'],
    ['beads', 'coord claim ', 'bd-7'],
    ['locks', 'coord unlock ', 'deploy'],
    ['branches', 'coord push f', 'fix-login'],
    ['settings', 'coord config gr', 'grace'],
    ['flags', 'coord reserve --sh', '--shared'],
    ['verbs behind git', 'git coord cl', 'claim'],
  ])('offers %s', ([, line, offered]) => {
    expect(inFish(busy(), line)).toContain(offered);
  });
});
