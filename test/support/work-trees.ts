/** Linked work trees, what is in them to the byte, and programs that take them away. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ClaudeSession } from './claude-sessions.ts';
import { type Ran, said, type TestRepository } from './repository.ts';
import { checkout, ranIn } from './sessions.ts';

/** The same repository, seen from a work tree beside it. */
export function side(repo: TestRepository, name: string, ...how: string[]): TestRepository {
  const top = join(repo.top, '..', name);
  repo.git('worktree', 'add', '-q', ...(how.length === 0 ? ['-b', name] : how), top);
  return seenIn(repo, top);
}

export function seenIn(repo: TestRepository, top: string): TestRepository {
  return {
    ...repo,
    top,
    git: (...args) => repo.git('-C', top, ...args),
    coord: (agent, ...args) =>
      said(top, repo.env, ['--json', ...(agent === null ? [] : ['--agent', agent]), ...args]),
    write: (path, content = '') => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), content);
    },
  };
}

/** Every file, link and folder with its permissions and content; git's own link to it is left out. */
export function pictureOf(top: string): Readonly<Record<string, string>> {
  const seen: Record<string, string> = {};
  const look = (path: string): void => {
    const stat = lstatSync(join(top, path));
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) seen[path] = `link ${readlinkSync(join(top, path))}`;
    else if (stat.isDirectory()) {
      if (path !== '.') seen[path] = `folder ${mode}`;
      for (const name of readdirSync(join(top, path)))
        if (path !== '.' || name !== '.git') look(join(path, name));
    } else {
      const hash = createHash('sha256')
        .update(readFileSync(join(top, path)))
        .digest('hex');
      seen[path] = `file ${mode} ${hash}`;
    }
  };
  look('.');
  return seen;
}

/** A process that works in a folder until the test is over, or it is told to leave. */
export async function worksIn(folder: string): Promise<{ leave(): Promise<void>; pid: number }> {
  const child: ChildProcess = spawn('cat', [], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  return {
    pid: child.pid ?? 0,
    leave: async () => {
      child.stdin?.end();
      await gone;
    },
  };
}

/** What is done in a work tree every few seconds was last done long ago. */
export function sometimeLater(tree: TestRepository): void {
  const gitDir = tree.git('rev-parse', '--absolute-git-dir').trim();
  for (const name of ['followed', 'conflicts-seen'])
    rmSync(join(gitDir, 'coord', name), { recursive: true, force: true });
}

/** An agent program that deletes by its own code, and runs git without any session. */
export class Program {
  readonly repo: TestRepository;
  readonly claude: ClaudeSession;

  constructor(repo: TestRepository, session: string) {
    this.repo = repo;
    this.claude = new ClaudeSession(repo, session);
  }

  /** A command of its agent, with the hooks around it; some time after the last. */
  bash(command: string, heard: string[] = []): void {
    this.later();
    const said = this.claude.before('Bash', { command });
    expect(said).not.toContain('"deny"');
    const ran = spawnSync('sh', ['-c', command], { cwd: this.repo.top, env: this.repo.env });
    expect(ran.status).toBe(0);
    this.later();
    heard.push(
      said,
      this.claude.ask('after-shell', { tool_name: 'Bash', tool_input: { command } }),
    );
  }

  /** What is done now and then was done long enough ago. */
  later(): void {
    sometimeLater(this.repo);
  }

  /** By its own code, with nobody asked. */
  deletes(folder = this.repo.top): void {
    rmSync(folder, { recursive: true, force: true });
  }

  git(from: string, ...args: string[]): Ran {
    return ranIn(from, this.repo.env, 'git', args);
  }
}

/** A checkout in which git ignores some files. */
export function withIgnored(): TestRepository {
  const repo = checkout();
  writeFileSync(join(repo.top, '.git/info/exclude'), '.env\nnode_modules\n*.log\n');
  return repo;
}

/** Commits in a work tree, one after the other. */
export function commits(tree: TestRepository, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => {
    tree.write('src/a', `version ${i}\n`);
    tree.git('commit', '-q', '-a', '-m', `step ${i}`);
    return tree.git('rev-parse', 'HEAD').trim();
  });
}

/** All that can be in a work tree and in no commit. */
export function fill(tree: TestRepository): void {
  tree.write('src/a', 'changed\n');
  tree.write('src/b', 'staged\n');
  tree.git('add', 'src/b');
  tree.write('src/b', 'changed after that\n');
  tree.write('new/untracked file', 'x');
  tree.write('bytes', '');
  writeFileSync(join(tree.top, 'bytes'), Buffer.from([0, 255, 13, 10, 13]));
  tree.write('.env', 'SECRET=1\n');
  chmodSync(join(tree.top, '.env'), 0o640);
  tree.write('run.sh', '#!/bin/sh\n');
  chmodSync(join(tree.top, 'run.sh'), 0o755);
  symlinkSync('src/a', join(tree.top, 'link'));
}

/** Names as bytes, each a character. */
export function bytesOf(top: string): readonly string[] {
  return readdirSync(top, 'latin1').toSorted();
}

export function onlyKept(repo: TestRepository): string {
  const { kept } = repo.coord(null, 'work', 'list').json as {
    readonly kept: readonly { readonly id: string }[];
  };
  expect(kept).toHaveLength(1);
  return kept[0]?.id ?? '';
}

export function isReachable(repo: TestRepository, commit: string): boolean {
  return repo.git('for-each-ref', '--contains', commit).trim() !== '';
}
