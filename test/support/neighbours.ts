/**
 * Other tools that write git's hooks, as their users run them: the real ones. Each has one hook,
 * which leaves a line in a file when it has run.
 */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Ran, TestRepository } from './repository.ts';
import { ranIn } from './sessions.ts';

const packages = join(process.env['COORD_TEST_NEIGHBOURS'] ?? '', 'node_modules');

export interface Neighbour {
  /** What is in the repository of somebody who uses it. */
  configure(repo: TestRepository): void;
  install(repo: TestRepository): void;
  /** Where hooks of coord are there already. */
  installAfter(repo: TestRepository): void;
  /** What its user runs, or does, again and again. */
  update(repo: TestRepository): void;
  remove(repo: TestRepository): void;
  /** Where coord is there. */
  removeBeside(repo: TestRepository): void;
  /** Makes a commit that nothing stands against: how often has its hook run for it? */
  runs(repo: TestRepository): number;
  /** What coord says after these, begun with or without coord; null where it is still in force. */
  readonly losesBy: Readonly<Record<'installAfter' | 'update' | 'remove', string | null>>;
}

/** Throws where it fails. */
export function tool(repo: TestRepository, program: string, ...args: readonly string[]): Ran {
  const ran = ranIn(repo.top, repo.env, program, args);
  if (ran.code !== 0) throw new Error(`${program} ${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
  return ran;
}

let commits = 0;

function commitFree(repo: TestRepository): void {
  repo.write('free.bin', `${(commits += 1)}\n`);
  repo.git('add', 'free.bin');
  tool(repo, 'git', 'commit', '-q', '-m', 'free');
}

function linesAfterCommit(repo: TestRepository): number {
  const out = join(repo.top, '../out');
  const lines = (): number =>
    existsSync(out) ? readFileSync(out, 'utf8').split('\n').length - 1 : 0;
  const before = lines();
  commitFree(repo);
  return lines() - before;
}

const husky = (repo: TestRepository, ...args: readonly string[]): Ran =>
  tool(repo, process.execPath, join(packages, 'husky/bin.js'), ...args);

const lefthook = (repo: TestRepository, ...args: readonly string[]): Ran =>
  tool(repo, join(packages, 'lefthook/bin/lefthook'), ...args);

const goneFrom = (events: string, folder = '.git/hooks'): string =>
  `not all hooks of coord are in force any more: coord's lines are gone from ${events} in '${folder}'`;

const once = 'echo ran >> ../out';

export const neighbours: Readonly<Record<string, Neighbour>> = {
  husky: {
    configure: (repo) => repo.write('package.json', '{"name":"x"}\n'),
    install: (repo) => {
      husky(repo, 'init');
      repo.write('.husky/pre-commit', `${once}\n`);
    },
    installAfter: (repo) => neighbours['husky']?.install(repo),
    update: (repo) => void husky(repo),
    remove: (repo) => void repo.git('config', '--unset', 'core.hooksPath'),
    removeBeside: (repo) => neighbours['husky']?.remove(repo),
    runs: linesAfterCommit,
    losesBy: {
      installAfter:
        "commits are not checked by coord any more: core.hooksPath is '.husky/_', and coord's hooks are not there",
      update: goneFrom('10 of 11 hooks', '.husky/_'),
      remove:
        "commits are not checked by coord any more: core.hooksPath is not set any more, and coord's hooks are not in '.git/hooks'",
    },
  },
  lefthook: {
    configure: (repo) => repo.write('lefthook.yml', `pre-commit:\n  jobs:\n    - run: ${once}\n`),
    install: (repo) => void lefthook(repo, 'install'),
    installAfter: (repo) => void lefthook(repo, 'install'),
    // It installs itself anew at the next commit, where the file is newer by a second.
    update: (repo) => {
      const file = join(repo.top, 'lefthook.yml');
      const { mtimeMs } = statSync(file);
      repo.write('lefthook.yml', `${readFileSync(file, 'utf8')}    - run: 'true'\n`);
      utimesSync(file, mtimeMs / 1_000 + 10, mtimeMs / 1_000 + 10);
      commitFree(repo);
    },
    remove: (repo) => void lefthook(repo, 'uninstall'),
    removeBeside: (repo) => void lefthook(repo, 'uninstall'),
    runs: linesAfterCommit,
    losesBy: {
      installAfter: goneFrom('pre-commit'),
      update: goneFrom('pre-commit'),
      remove: goneFrom('pre-commit'),
    },
  },
  'pre-commit': {
    configure: (repo) => {
      const hook = `{id: x, name: x, language: system, entry: sh -c '${once}', always_run: true, pass_filenames: false}`;
      repo.write('.pre-commit-config.yaml', `repos: [{repo: local, hooks: [${hook}]}]\n`);
      repo.git('add', '.pre-commit-config.yaml');
    },
    install: (repo) => void tool(repo, 'pre-commit', 'install'),
    installAfter: (repo) => void tool(repo, 'pre-commit', 'install'),
    update: (repo) => void tool(repo, 'pre-commit', 'install', '-f'),
    remove: (repo) => void tool(repo, 'pre-commit', 'uninstall'),
    removeBeside: (repo) => void tool(repo, 'pre-commit', 'uninstall'),
    runs: linesAfterCommit,
    losesBy: {
      installAfter: goneFrom('pre-commit'),
      update: goneFrom('pre-commit'),
      remove: goneFrom('pre-commit'),
    },
  },
  'git-lfs': {
    configure: (repo) => {
      repo.git('init', '-q', '--bare', '../remote');
      repo.git('remote', 'add', 'origin', join(repo.top, '../remote'));
      repo.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      repo.git('add', '.gitattributes');
    },
    install: (repo) => void tool(repo, 'git', 'lfs', 'install'),
    installAfter: (repo) => {
      const ran = ranIn(repo.top, repo.env, 'git', ['lfs', 'install']);
      expect(ran.stdout + ran.stderr).toMatch(
        /Hook already exists: pre-push[^]*coord install puts/,
      );
      tool(repo, 'git', 'lfs', 'update', '--force');
    },
    update: (repo) => void tool(repo, 'git', 'lfs', 'install', '--skip-repo'),
    remove: (repo) => void tool(repo, 'git', 'lfs', 'uninstall'),
    removeBeside: (repo) => {
      repo.text(null, 'uninstall');
      tool(repo, 'git', 'lfs', 'uninstall');
      repo.text(null, 'install');
    },
    runs: uploadsOfPush,
    losesBy: {
      installAfter: goneFrom('post-commit, post-merge, post-checkout, pre-push'),
      update: null,
      remove: null,
    },
  },
};

function uploadsOfPush(repo: TestRepository): number {
  const uploads = (): number => {
    const folder = join(repo.top, '../remote/lfs/objects');
    const names = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
    return names.filter((name) => /[0-9a-f]{64}$/.test(String(name))).length;
  };
  const before = uploads();
  commitFree(repo);
  tool(repo, 'git', 'push', '-q', 'origin', 'HEAD:main');
  return uploads() - before;
}
