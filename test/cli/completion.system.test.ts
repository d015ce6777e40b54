/**
 * What the shells offer at a tab.
 * Needs: zsh, fish, tmux.
 */
import { mkdtempSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import { type Environment, repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';
import { terminal } from '../support/terminal.ts';

/** Somebody holds something of each kind. */
function busy(): TestRepository {
  const repo = repository();
  repo.coord('ann', 'reserve', 'src/a');
  repo.coord('bob', 'lock', 'deploy');
  repo.coord('bob', 'claim', 'BD-7', '--again');
  repo.write('.beads/issues.jsonl', '{"id":"bd-9","title":"x"}\n');
  repo.write('afile', '');
  repo.write('two words', '');
  repo.git('branch', 'fix-login');
  return repo;
}

function environment(repo: TestRepository): Environment {
  const bin = mkdtempSync(join(repo.top, '..', 'bin-'));
  coordIn(bin, ['coord', 'git-coord']);
  return { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}`, TERM: 'dumb' };
}

/** What bash would offer for the last of these words. */
function inBash(repo: TestRepository, words: readonly string[], folder = '.'): readonly string[] {
  const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const script = `eval "$(coord completion bash)"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _coord; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const ran = ranIn(join(repo.top, folder), environment(repo), 'bash', [
    '--norc',
    '--noprofile',
    '-c',
    script,
  ]);
  expect(ran.stderr).toBe('');
  return ran.stdout.split('\n').filter((word) => word !== '');
}

function inFish(repo: TestRepository, line: string): readonly string[] {
  const script = `coord completion fish | source; complete -C '${line}'`;
  const ran = ranIn(repo.top, environment(repo), 'fish', ['--no-config', '-c', script]);
  return ran.stdout.split('\n').flatMap((row) => row.split('\t')[0] ?? []);
}

/** Of a path, a bead and a lock. */
function leases(repo: TestRepository): readonly string[] {
  const { leases: held } = repo.coord(null, 'status').json as {
    readonly leases: readonly { readonly id: string }[];
  };
  return held.map(({ id }) => id).sort();
}

describe('completion in bash', () => {
  test.for<readonly [string, readonly string[], readonly string[]]>([
    ['verbs', ['coord', 'cl'], ['claim']],
    ['verbs behind git', ['git', 'coord', 'cl'], ['claim']],
    ['second words', ['coord', 'session', 's'], ['start']],
    ['names behind --agent', ['coord', '--agent', 'a'], ['ann']],
    ['names behind --to', ['coord', 'transfer', 'x', '--to', 'b'], ['bob']],
    ['beads that are claimed, as they are spelled', ['coord', 'claim', 'B'], ['BD-7']],
    ['beads that the tracker has', ['coord', 'claim', 'bd'], ['bd-9']],
    ['a folder where it is no agent', ['coord', 'rescue', 'restore', '--to', 'a'], ['afile']],
    ['names for the same flag elsewhere', ['coord', 'session', 'end', '--to', 'a'], ['ann']],
    ['no beads where text is asked for', ['coord', 'claim', '--reason', 'BD'], []],
    ['agent programs', ['coord', 'install', '--harness', 'cl'], ['claude']],
    ['names with spaces whole', ['coord', 'check', 'two'], ['two words']],
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

  test.for([
    'release',
    'renew',
    'transfer',
    'ask',
    'break',
  ])('%s is offered the ids of all leases, and paths beside them', (verb) => {
    const repo = busy();
    const ids = leases(repo);
    expect(ids).toHaveLength(3);
    const offered = inBash(repo, ['coord', verb, '']);
    expect(offered.filter((word) => ids.includes(word)).sort()).toEqual(ids);
    expect(offered.filter((word) => !ids.includes(word))).toContain('afile');
    expect(offered).not.toContain('deploy');
  });

  test('offers requests', () => {
    const repo = busy();
    const { request } = repo.coord('bob', 'ask', 'src/a', '--reason', 'the release').json as {
      readonly request: { readonly id: string };
    };
    expect(inBash(repo, ['coord', 'answer', request.id.slice(0, 4)])).toEqual([request.id]);
  });

  test('offers what is in a log on a remote', () => {
    const repo = busy();
    repo.git('init', '-q', '--bare', '../server.git');
    repo.git('remote', 'add', 'origin', '../server.git');
    expect(repo.coord('ann', 'remote', 'set', 'origin', '--move').code).toBe(0);
    expect(repo.coord('ann', 'lock', 'Release').code).toBe(0);
    expect(repo.git('for-each-ref', 'refs/coord/locks')).toBe('');
    expect(inBash(repo, ['coord', 'unlock', 'R'])).toEqual(['Release']);
    expect(inBash(repo, ['coord', 'claim', 'B'])).toEqual(['BD-7']);
    expect(inBash(repo, ['coord', '--agent', 'a'])).toEqual(['ann']);
    expect(inFish(repo, 'coord unlock ')).toContain('Release');
  });

  test('reads the tracker at the top of the work tree, and in a linked one that of the main one', () => {
    const repo = busy();
    repo.write('sub/x', '');
    expect(inBash(repo, ['coord', 'claim', 'bd'], 'sub')).toEqual(['bd-9']);
    repo.git('commit', '-q', '--allow-empty', '-m', 'x');
    repo.git('worktree', 'add', '-q', 'linked');
    expect(inBash(repo, ['coord', 'claim', 'bd'], 'linked')).toEqual(['bd-9']);
  });

  test.for(['.beads/issues.jsonl', '.beads'])('reads no tracker through a link: %s', (path) => {
    const repo = busy();
    renameSync(join(repo.top, path), join(repo.top, '../elsewhere'));
    symlinkSync('../elsewhere', join(repo.top, path));
    expect(inBash(repo, ['coord', 'claim', 'bd'])).toEqual([]);
  });

  test('reads only so much of the tracker', () => {
    const repo = busy();
    repo.write('.beads/issues.jsonl', `${'{"id":"bd-1"}\n'.repeat(200_000)}{"id":"bd-2"}\n`);
    expect(inBash(repo, ['coord', 'claim', 'bd-2'])).toEqual([]);
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
    ['beads', 'coord claim ', 'BD-7'],
    ['beads of the tracker', 'coord claim b', 'bd-9'],
    ['locks', 'coord unlock ', 'deploy'],
    ['agent programs', 'coord install --harness c', 'claude'],
    ['a folder behind --to of rescue', 'coord rescue restore --to af', 'afile'],
    ['branches', 'coord push f', 'fix-login'],
    ['settings', 'coord config gr', 'grace'],
    ['flags', 'coord reserve --sh', '--shared'],
    ['verbs behind git', 'git coord cl', 'claim'],
  ])('offers %s', ([, line, offered]) => {
    expect(inFish(busy(), line)).toContain(offered);
  });

  test('offers no name that a shell would read', () => {
    const repo = busy();
    repo.git('branch', 'f$(touch${IFS}pwned)');
    expect(inFish(repo, 'coord push f').filter((word) => word !== '')).toEqual(['fix-login']);
  });
});

/** What stands on the line, once it is as it should be after a tab. */
async function afterTab(shell: string, typed: string, wanted: RegExp): Promise<void> {
  const repo = busy();
  const at = terminal(repo.top, repo.env, { columns: 120, rows: 20 });
  at.line(`exec ${shell}`);
  at.line(
    `unset HISTFILE; PS1='> '; eval "$(coord completion ${shell.split(' ')[0] ?? ''})"; clear; echo ready`,
  );
  await at.until(/^ready$/m);
  at.type(typed);
  at.key('Tab');
  await at.until(wanted);
}

describe.for(['bash --norc --noprofile', 'zsh -f'])('at a tab in %s', (shell) => {
  test.for<readonly [string, RegExp]>([
    ['coord unc', /^> coord unclaim/m],
    ['coord session st', /^> coord session start/m],
    ['coord claim B', /^> coord claim BD-7/m],
    ['coord unlock d', /^> coord unlock deploy/m],
    ['coord install --harness cu', /^> coord install --harness cursor/m],
    ['coord reserve tw', /^> coord reserve two\\ words/m],
  ])('%s goes on', async ([typed, wanted]) => {
    await afterTab(shell, typed, wanted);
  });
});
