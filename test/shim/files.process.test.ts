/**
 * The files by which coord and the shims speak: all that either side writes at work has the form of
 * the table, and the shims know no others.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharedFiles } from '../../src/shim/files.ts';
import type { TestRepository } from '../support/repository.ts';
import { went } from '../support/scene.ts';
import { checkout, ranIn, type Session, session } from '../support/sessions.ts';

type SharedFile = (typeof sharedFiles)[keyof typeof sharedFiles];

const hooks = resolve(import.meta.dirname, '../../hooks');
const table = Object.entries(sharedFiles);

/** As a pattern for its name below the `coord` folder. */
function patternOf({ name }: SharedFile): RegExp {
  const literal = name.replace(/[.]/g, '\\.');
  return new RegExp(`^${literal.replace('<path>', '/.+').replace(/<\w+>/g, '[^/.]+')}$`);
}

function keyOf(name: string): string | null {
  return table.find(([, file]) => patternOf(file).test(name))?.[0] ?? null;
}

/** The lines that break their form; where there may be many, all have the form of the first. */
function misshapen({ lines, was }: SharedFile, text: string): readonly string[] {
  if (was !== undefined && text.split('\n').length > 2)
    return misshapen(sharedFiles[was as keyof typeof sharedFiles], text);
  const forms = Object.values(lines);
  const there = text.replace(/\n$/, '').split('\n');
  if (text === '' || forms.length === 0) return [];
  if (forms.length === 1) return there.filter((line) => !forms[0]?.test(line));
  return there.length === forms.length
    ? there.filter((line, i) => !forms[i]?.test(line))
    : [`${there.length} lines, not ${forms.length}`];
}

/** Of every moment at which one side may read what the other has written. */
class Snapshots {
  readonly #folder: string;
  readonly keep: string;

  constructor(repo: TestRepository) {
    this.#folder = join(repo.top, '../snapshots');
    mkdirSync(this.#folder);
    this.keep = this.#script(
      repo,
      'keep',
      `cp -rp '${repo.top}/.git/coord' "$(mktemp -d '${this.#folder}/XXXXXXXX')"`,
    );
  }

  #script(repo: TestRepository, name: string, text: string): string {
    const file = join(repo.top, '..', name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Before and after each start of node by a shim. */
  node(repo: TestRepository): string {
    const node = `'${process.execPath}' "$@"`;
    return this.#script(
      repo,
      'node',
      `'${this.keep}'; ${node}; code=$?; '${this.keep}'; exit $code`,
    );
  }

  /** An editor of messages that looks as well. */
  editor(repo: TestRepository): string {
    return this.#script(repo, 'editor', `'${this.keep}'; echo by editor > "$1"`);
  }

  /** By its name below `coord`, each text that a file had. */
  all(): readonly (readonly [name: string, text: string])[] {
    return readdirSync(this.#folder).flatMap((one) => {
      const top = join(this.#folder, one, 'coord');
      return readdirSync(top, { recursive: true }).flatMap((name) => {
        const file = join(top, String(name));
        return statSync(file).isFile() ? [[String(name), readFileSync(file, 'utf8')] as const] : [];
      });
    });
  }
}

/** An agent of a harness, in its own session. */
function harness(
  repo: TestRepository,
  id: string,
  moment: string,
  tool: object,
  name = 'claude',
): void {
  const { status, stderr } = spawnSync('sh', [join(hooks, 'agent-hook'), name, moment], {
    cwd: repo.top,
    env: repo.env,
    input: JSON.stringify({ session_id: id, cwd: repo.top, hook_event_name: 'x', ...tool }),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

function editsAndShells(repo: TestRepository): void {
  const command = { tool_name: 'Bash', tool_input: { command: 'make' } };
  for (const [id, path] of [
    ['one', 'src/c'],
    ['two', 'src/d'],
  ] as const) {
    const tool = { tool_name: 'Edit', tool_input: { file_path: join(repo.top, path) } };
    for (const moment of ['before-read', 'before-edit', 'after-edit', 'before-edit'])
      harness(repo, id, moment, tool);
    appendFileSync(join(repo.top, path), `of ${id}\n`);
  }
  const shared = { file_path: join(repo.top, 'src/e'), old_string: 'e 1\n', new_string: 'one\n' };
  for (const moment of ['before-edit', 'before-edit'])
    harness(repo, 'one', moment, { tool_name: 'Edit', tool_input: shared });
  harness(repo, 'one', 'before-shell', command);
  harness(repo, 'one', 'after-shell', command);
  const sub = { agent_id: 'sub', tool_use_id: 'call', ...command };
  harness(repo, 'one', 'before-shell', { ...sub, tool_input: { command: 'git status' } });
  harness(
    repo,
    'three',
    'before-shell',
    { ...sub, tool_input: { command: 'git status' } },
    'codex',
  );
  // The shells start no node, and so take no picture.
  harness(repo, 'one', 'prompt', {});
}

function sessionsGit(ann: Session): void {
  ann.edit('src/a');
  went(ann.git('commit', '-q'));
  ann.edit('src/a', 'again');
  went(ann.git('commit', '-q', '-m', 'again'));
  went(ann.git('rm', '-q', '--cached', 'src/e'));
  went(ann.git('reset', '-q'));
  const made = ann.git('commit-tree', '-m', 'made', '-p', 'HEAD', 'HEAD^{tree}').stdout.trim();
  went(ann.git('update-ref', 'refs/heads/made', made));
  went(ann.git('switch', '-q', '-c', 'side', 'HEAD~1'));
  ann.edit('src/a', 'otherwise');
  went(ann.git('commit', '-q', '-m', 'otherwise'));
  expect(ann.git('merge', '-q', 'made').code).not.toBe(0);
  went(ann.git('merge', '--abort'));
}

/** A path is staged that another session commits, and some files are left out for a while. */
function behindAndSparse(repo: TestRepository, ann: Session): void {
  const bob = session(repo, 'bob');
  ann.edit('src/b');
  repo.git('add', 'src/b');
  bob.edit('src/b');
  went(bob.git('commit', '-q', '-m', 'bob'));
  went(ann.git('status'));
  repo.git('reset', '-q', '--', 'src/b');
  went(ann.git('sparse-checkout', 'set', 'src', 'docs'));
  went(ann.git('sparse-checkout', 'disable'));
}

/** In a linked work tree what an agent has there is copied before its commits. */
function inLinkedTree(repo: TestRepository, snapshots: Snapshots): void {
  repo.git('worktree', 'add', '-q', '../linked');
  const eve = session(repo, 'eve', join(repo.top, '../linked'));
  eve.edit('linked');
  went(eve.git('commit', '-q', '-m', 'in a linked work tree'));
  const own = join(repo.top, '.git/worktrees/linked/coord');
  went(
    ranIn(repo.top, repo.env, 'cp', ['-p', join(own, 'followed'), join(repo.top, '.git/coord')]),
  );
  went(ranIn(repo.top, repo.env, snapshots.keep, []));
  went(ranIn(repo.top, repo.env, 'rm', [join(repo.top, '.git/coord/followed')]));
}

function personsGit(repo: TestRepository): void {
  for (const path of ['docs/x', 'docs/y']) {
    repo.write(path, 'text\n');
    repo.git('add', path);
    repo.git('commit', '-q', '-m', path);
  }
}

/** With a look at every start of node, in every editor and at the beginning of git's hooks. */
function watched(): { readonly repo: TestRepository; readonly snapshots: Snapshots } {
  const plain = checkout();
  const snapshots = new Snapshots(plain);
  for (const hook of ['post-commit', 'reference-transaction']) {
    const file = join(plain.top, '.git/hooks', hook);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('\n', `\n'${snapshots.keep}'\n`));
  }
  const env = {
    ...plain.env,
    COORD_NODE: snapshots.node(plain),
    GIT_EDITOR: snapshots.editor(plain),
  };
  return { repo: { ...plain, env }, snapshots };
}

/** A team's work with every file of the table in it. */
function work(): Snapshots {
  const { repo, snapshots } = watched();
  repo.coord('zoe', 'reserve', 'src/b');
  repo.coord('zoe', 'release', '--all');
  const idle = ['commit', '-q', '--allow-empty', '-m', 'idle'];
  went(ranIn(repo.top, repo.env, 'git', idle));
  const ann = session(repo, 'ann');
  sessionsGit(ann);
  behindAndSparse(repo, ann);
  editsAndShells(repo);
  // git is told to do what nobody can foresee, while others have unsaved work.
  went(ann.git('-c', `alias.any=!'${snapshots.keep}'`, 'any'));
  personsGit(repo);
  inLinkedTree(repo, snapshots);
  return snapshots;
}

describe('files that coord and the shims share', () => {
  test('every text that one has at work has its form', { timeout: 240_000 }, () => {
    const seen = work().all();
    const found = table.map(([key, file]) => {
      const texts = seen.filter(([name]) => keyOf(name) === key).map(([, text]) => text);
      const wrong = texts.flatMap((text) => misshapen(file, text));
      return [key, texts.length === 0 ? ['never seen'] : [...new Set(wrong)]] as const;
    });
    expect(Object.fromEntries(found.filter(([, problems]) => problems.length > 0))).toEqual({});
  });

  test('the shims know no others, and all that the table says they write or read', () => {
    const text = readdirSync(hooks, { recursive: true })
      .map((name) => join(hooks, String(name)))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, 'utf8').replace(/^\s*#.*$/gm, ''))
      .join('\n');
    const heads = [...text.matchAll(/(?:\$dir|\$common|\$mine|\$place)\/coord\/([a-z-]+)/g)].map(
      ([, head]) => head ?? '',
    );
    const known = new Set(table.map(([, { name }]) => /^[a-z-]+/.exec(name)?.[0] ?? ''));
    // Where the log's copy stands is git's business and not a file of ours.
    expect([...new Set(heads)].filter((head) => !known.has(head) && head !== 'remote')).toEqual([]);
    const missing = table
      .filter(([, { writers, readers }]) => [...writers, ...readers].includes('shim'))
      .map(([, { name }]) =>
        name
          .replace(/<\w+>/g, ' ')
          .split(/[ /]/)
          .findLast((word) => word !== ''),
      )
      .filter((word) => word !== '@' && !text.includes(word ?? ''));
    expect(missing).toEqual([]);
  });
});
