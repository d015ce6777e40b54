/**
 * What a work tree is at: its HEAD, and what git leaves there while a merge, a rebase or the like
 * is under way. Read from git's own files, as far as it keeps files.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { readBranch } from './refs.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export interface Head {
  readonly oid: Oid | null;
  readonly branch: string | null;
  /** What HEAD names: the branch, or a symbolic ref that leads to it. */
  readonly name: string | null;
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function oidsIn(file: string): readonly Oid[] {
  return [...readText(file).matchAll(/^[0-9a-f]{40,64}/gm)].map(([oid]) => oid);
}

/** What a fetch or a merge that is under way has brought: it is there already. */
export function broughtIn({ gitDir }: Repository): readonly Oid[] {
  return ['FETCH_HEAD', 'MERGE_HEAD'].flatMap((name) => oidsIn(join(gitDir, name)));
}

/**
 * What HEAD is being merged with. git says so in the environment until the merge stops for
 * somebody.
 */
export function mergedWith({ gitDir }: Repository, env: NodeJS.ProcessEnv): readonly Oid[] {
  const said = Object.keys(env).flatMap(
    (name) => /^GITHEAD_([0-9a-f]{40,64})$/.exec(name)?.[1] ?? [],
  );
  return [...new Set([...oidsIn(join(gitDir, 'MERGE_HEAD')), ...said])];
}

/** What git leaves in a work tree while something is unfinished, by a file that it writes once. */
const endedByCommit = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['SQUASH_MSG', 'merge --squash'],
] as const;
const endedByItself = [
  ['rebase-merge/onto', 'rebase'],
  ['rebase-apply/rebasing', 'rebase'],
  ['rebase-apply/applying', 'am'],
] as const;

interface Operation {
  readonly name: string;
  readonly sinceMs: number;
}

function firstOf(gitDir: string, files: readonly (readonly [string, string])[]): Operation | null {
  for (const [file, name] of files) {
    const stat = statSync(join(gitDir, file), { throwIfNoEntry: false });
    if (stat !== undefined) return { name, sinceMs: stat.mtimeMs };
  }
  return null;
}

/** What a commit would end. */
export function operationUnderWay({ gitDir }: Repository): Operation | null {
  return firstOf(gitDir, endedByCommit);
}

/** What a commit of somebody else would end, or land in the middle of. */
export function anyOperation({ gitDir }: Repository): Operation | null {
  return firstOf(gitDir, endedByItself) ?? firstOf(gitDir, endedByCommit);
}

/**
 * Tells one operation from the next: a file that it keeps as long as it lasts, its inode, and the
 * first word in it. hooks/bin/git writes it in the same way.
 */
export function operationMark({ gitDir }: Repository, noted?: string): string | null {
  const there = lastingFiles.filter((name) => existsSync(join(gitDir, name)));
  const [first] = there;
  // Beside what somebody has begun another git may leave files of a pick, but of no rebase.
  const isBeside = noted !== undefined && there.includes(noted) && !first?.startsWith('rebase-');
  const file = isBeside ? noted : first;
  if (file === undefined) return null;
  const [word = ''] = readText(join(gitDir, file)).split(/\s/);
  const inode = statSync(join(gitDir, file), { throwIfNoEntry: false })?.ino ?? 0;
  return `${file} ${inode} ${word}`.trim();
}

const lastingFiles = [
  'rebase-merge/orig-head',
  'rebase-apply/orig-head',
  'rebase-apply/applying',
  'sequencer/head',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'SQUASH_MSG',
];

/**
 * A rebase, which may be stopped for somebody; not `git am`, which keeps its files in the same
 * place.
 */
export function isRebasing({ gitDir }: Pick<Repository, 'gitDir'>): boolean {
  const places = ['rebase-merge', join('rebase-apply', 'rebasing')];
  return places.some((name) => existsSync(join(gitDir, name)));
}

/** The branch that a rebase under way will move. */
export function branchRebased({ gitDir }: Repository): string | null {
  const name = ['rebase-merge', 'rebase-apply']
    .map((place) => readText(join(gitDir, place, 'head-name')).trim())
    .find((one) => one !== '');
  return name?.startsWith('refs/') === true ? name : null;
}

/** What a rebase under way puts its commits on. */
export function rebasedOnto({ gitDir }: Repository): Oid | null {
  const onto = ['rebase-merge', 'rebase-apply'].map((place) =>
    readText(join(gitDir, place, 'onto')).trim(),
  );
  return onto.find((oid) => oid !== '') ?? null;
}

/**
 * The first line of the message of the commit that a rebase under way makes again; empty where none
 * is.
 */
export function subjectReplayed({ gitDir }: Repository): string {
  const last =
    readText(join(gitDir, 'rebase-merge', 'done'))
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  return /^\S+ \S+ (?:# )?(.*)$/.exec(last)?.[1] ?? '';
}

/** The commit that a rebase under way makes again at this moment. */
export function beingReplayed({ gitDir }: Repository): Oid | null {
  const done =
    readText(join(gitDir, 'rebase-merge', 'done'))
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  const [, oid] = /^(?:[a-z]+)(?: -[cC])? ([0-9a-f]{7,64})\b/.exec(done) ?? [];
  const applied = readText(join(gitDir, 'rebase-apply', 'original-commit')).trim();
  return oid ?? (applied === '' ? null : applied);
}

/** The commits that a rebase which has stopped would make again next. */
export function leftToReplay({ gitDir }: Repository): readonly Oid[] {
  const todo = readText(join(gitDir, 'rebase-merge', 'git-rebase-todo'));
  return [
    ...todo.matchAll(
      /^(?:p|pick|r|reword|e|edit|s|squash|f|fixup)(?: -[cC])? ([0-9a-f]{7,64})\b/gm,
    ),
  ].map(([, oid = '']) => oid);
}

export function isApplying({ gitDir }: Repository): boolean {
  return existsSync(join(gitDir, 'rebase-apply', 'applying'));
}

/** The git directories of all work trees. */
export function workTreeFolders({ commonDir }: Pick<Repository, 'commonDir'>): readonly string[] {
  const folder = join(commonDir, 'worktrees');
  const linked = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [commonDir, ...linked];
}

/** Commits that work trees stand on without a branch, by the git directory of each. */
export function detachedHeads({ commonDir }: Repository): ReadonlyMap<string, Oid> {
  return new Map(
    workTreeFolders({ commonDir }).flatMap((gitDir) => {
      const oid = headPattern.exec(readText(join(gitDir, 'HEAD')))?.[2];
      // One that is being made names none yet, and what a rebase stands on it leaves again.
      const isFirm = oid !== undefined && !/^0+$/.test(oid) && !isRebasing({ gitDir });
      return isFirm ? [[gitDir, oid] as const] : [];
    }),
  );
}

/** HEAD as the repository has it now: the commit, and the branch if it is on one. */
export function headOf(repository: Repository): Head {
  const { gitDir, commonDir, refs } = repository;
  const [, ref, oid] = headPattern.exec(readText(join(gitDir, 'HEAD'))) ?? [];
  // Of a work tree that is being made it is all zeros.
  if (refs === 'files' && oid !== undefined) {
    return { oid: /^0+$/.test(oid) ? null : oid, branch: null, name: null };
  }
  if (refs === 'files' && ref !== undefined) {
    const branch = endOf(
      ref,
      (name) => symbolic.exec(readText(join(commonDir, name)))?.[1] ?? null,
    );
    return { oid: readBranch(repository, branch), branch, name: ref };
  }
  const says = (...args: readonly string[]): string | null => {
    const { code, stdout } = runGit(repository.git, [`--git-dir=${gitDir}`, ...args]);
    return code === 0 ? stdout.toString('utf8').trim() : null;
  };
  const at = says('rev-parse', '--verify', '-q', 'HEAD');
  const name = says('symbolic-ref', '-q', 'HEAD');
  return {
    oid: at,
    name,
    branch: name === null ? null : endOf(name, (ref) => says('symbolic-ref', '-q', ref)),
  };
}

const symbolic = /^ref: (refs\/\S+)\n?$/;
const headPattern = /^(?:ref: (refs\/\S+)|([0-9a-f]{40,64}))\n$/;

/** The branch that a symbolic ref leads to, over other symbolic refs. */
function endOf(ref: string, next: (ref: string) => string | null): string {
  let end = ref;
  for (let i = 0; i < 5; i += 1) end = next(end) ?? end;
  return end;
}
