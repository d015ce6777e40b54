/** Linked work trees, what is in them to the byte, and programs that take them away. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ClaudeSession } from './claude-sessions.ts';
import { type Ran, said, type TestRepository } from './repository.ts';
import { ranIn } from './sessions.ts';

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
