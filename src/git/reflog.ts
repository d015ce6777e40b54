/** Where HEAD and the branches have been, as their reflogs tell. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { readText } from './head.ts';
import type { Repository } from './repository.ts';
import { git, runGit } from './run-git.ts';

/** So many entries of the reflogs, from the newest, count. */
const reflogEntries = 5_000;

/** What HEAD and the branches were at, as their reflogs tell. */
export function wasHere(repository: Repository): readonly Oid[] {
  const { commonDir, gitDir, refs } = repository;
  if (refs === 'reftable') {
    const { stdout } = runGit(repository.git, [
      `--git-dir=${gitDir}`,
      'log',
      '-g',
      '--ignore-missing',
      '--format=%H',
      `--max-count=${reflogEntries}`,
      'HEAD',
      '--branches',
    ]);
    return [
      ...new Set(
        stdout
          .toString('utf8')
          .split('\n')
          .filter((oid) => oid !== ''),
      ),
    ];
  }
  const branches = filesBelow(join(commonDir, 'logs', 'refs', 'heads'));
  const texts = [join(gitDir, 'logs', 'HEAD'), join(commonDir, 'logs', 'HEAD'), ...branches];
  const entries = texts.flatMap((file) => [...readText(file).matchAll(reflogLine)]);
  const oids = entries.slice(-reflogEntries).flatMap(([, old = '', next = '']) => [old, next]);
  return [...new Set(oids)].filter((oid) => !/^0+$/.test(oid));
}

/** So many places that HEAD was at are gone through for what was committed meanwhile. */
const mostVisited = 200;

/** Where HEAD of this work tree has been after it was last here, newest first. */
export function visitedSince(repository: Repository, since: Oid): readonly Oid[] {
  const { gitDir, refs } = repository;
  const newestFirst =
    refs === 'reftable'
      ? runGit(repository.git, [
          `--git-dir=${gitDir}`,
          'log',
          '-g',
          '--format=%H',
          `--max-count=${mostVisited}`,
          'HEAD',
        ])
          .stdout.toString('utf8')
          .split('\n')
      : [...readText(join(gitDir, 'logs', 'HEAD')).matchAll(reflogLine)]
          .map(([, , next = '']) => next)
          .reverse();
  const end = newestFirst.indexOf(since);
  const visited = newestFirst.slice(0, Math.min(end < 0 ? mostVisited : end, mostVisited));
  return [...new Set(visited)].filter((oid) => /[1-9a-f]/.test(oid));
}

const reflogLine = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) /gm;

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  } catch {
    return [];
  }
}

/** Has the branch that is checked out had this other name? */
export function isRenamed({ gitDir }: Repository, was: string, now: string): boolean {
  return readText(join(gitDir, 'logs', 'HEAD'))
    .split('\n')
    .some((line) => line.endsWith(`\tBranch: renamed ${was} to ${now}`));
}

/** Was it put on HEAD by a rebase, and so written by somebody before? */
export function wasReplayed({ gitDir }: Repository, oid: Oid): boolean {
  return readText(join(gitDir, 'logs', 'HEAD'))
    .split('\n')
    .some(
      (line) =>
        line.slice(oid.length + 1).startsWith(`${oid} `) &&
        /\t(pull.*|rebase.*)\((pick|continue|reword|fixup|squash|edit)\)/.test(line),
    );
}

/** Newest first, as `stash@{0}`, `stash@{1}` ... */
export function stashes({ commonDir }: Repository): readonly Oid[] {
  const text = readText(join(commonDir, 'logs', 'refs', 'stash'));
  return [...text.matchAll(/^[0-9a-f]+ ([0-9a-f]+) /gm)].map(([, oid = '']) => oid).reverse();
}

/** Where git keeps commits that no ref may have: a HEAD of no branch, and what is under way. */
const underWay: readonly string[] = [
  'HEAD',
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'ORIG_HEAD',
  'rebase-merge/autostash',
  'rebase-merge/orig-head',
  'rebase-apply/autostash',
  'rebase-apply/orig-head',
];

/**
 * Tips of commits that only this work tree knows of: its HEAD was at them, or what is under way in
 * it needs them, and nothing but refs of coord reaches them.
 */
export function onlyKnownTo(repository: Repository, gitDir: string): readonly Oid[] {
  const entries = [...readText(join(gitDir, 'logs', 'HEAD')).matchAll(reflogLine)];
  const named = underWay.flatMap((name) =>
    [...readText(join(gitDir, name)).matchAll(/^[0-9a-f]{40,64}/gm)].map(([oid]) => oid),
  );
  const known = entries.slice(-reflogEntries).flatMap(([, old = '', next = '']) => [old, next]);
  const oids = [...new Set([...known, ...named])].filter((oid) => !/^0+$/.test(oid));
  if (oids.length === 0) return [];
  const stdout = git(
    repository.git,
    [
      `--git-dir=${repository.commonDir}`,
      'rev-list',
      '--ignore-missing',
      '--parents',
      '--stdin',
      '--not',
      '--exclude=refs/coord/*',
      '--glob=refs/*',
    ],
    oids.map((oid) => `${oid}\n`).join(''),
  );
  const rows = stdout
    .toString('utf8')
    .split('\n')
    .map((row) => row.split(' '));
  const parents = new Set(rows.flatMap(([, ...above]) => above));
  return rows.flatMap(([oid = '']) => (oid === '' || parents.has(oid) ? [] : [oid]));
}
