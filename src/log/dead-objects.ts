/** What the log has left behind: packed, pruned, dropped, once nothing reaches it any more. */

import { appendFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { appendLocal, dropLocal, localPath, readLocal, wallAge, writeLocal } from '../git/local.ts';
import { loosePath, type ObjectKind } from '../git/loose-object.ts';
import { draftOf } from '../git/object-draft.ts';
import { writeObject } from '../git/objects.ts';
import { askObjects, isMissing } from '../git/read-objects.ts';
import { listRefs, updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { git, runGit } from '../git/run-git.ts';
import type { Observation } from './log-store.ts';

/** Everything written so far, and what an interrupted clean-up left over. */
export function takeJournal(repository: Repository): readonly Oid[] {
  const [now, old] = [
    localPath(repository.commonDir, journal),
    localPath(repository.commonDir, `${journal}.old`),
  ];
  try {
    const text = readFileSync(now, 'utf8');
    appendFileSync(old, text);
    rmSync(now, { force: true });
  } catch {
    // Nothing was written since, or it cannot be listed: then it is left for git gc.
  }
  return [
    ...new Set(
      (readLocal(repository.commonDir, `${journal}.old`) ?? '')
        .split('\n')
        .filter((oid) => /^[0-9a-f]{40,64}$/.test(oid)),
    ),
  ];
}

/**
 * Has somebody put a ref of their own on our objects? Then their git decides what goes, and when.
 */
export function isShared(repository: Repository, ours: readonly Oid[], rootAt: number): boolean {
  const since = Math.floor(rootAt / 1_000) - 86_400;
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'rev-list',
    '--exclude=refs/coord/*',
    '--exclude=refs/coord-remote/*',
    '--all',
    '--reflog',
    `--since=${since}`,
  ]);
  if (code !== 0) return true;
  const theirs = new Set(stdout.toString('utf8').split('\n').concat(foreignTips(repository)));
  return ours.some((oid) => theirs.has(oid));
}

/** What every ref but ours points at, tags seen through. */
function foreignTips(repository: Repository): readonly Oid[] {
  const rows = git(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'for-each-ref',
    '--format=%(refname) %(objectname) %(*objectname)',
  ])
    .toString('utf8')
    .split('\n');
  return rows
    .filter((row) => !/^refs\/coord(-remote)?\//.test(row))
    .flatMap((row) => row.split(' ').slice(1));
}

export function clearAway(
  repository: Repository,
  before: Observation,
  listed: readonly Oid[],
  startedMs: number,
): void {
  const inUse = liveObjects(repository);
  const archived = new Set(
    reachable(repository, [...listRefs(repository, archivePrefix).values()]),
  );
  const pack = packObjects(
    repository,
    listed.filter((oid) => archived.has(oid)),
  );
  if (pack !== null) appendLocal(repository.commonDir, packs, `${before.seq} ${pack}\n`);
  const kept: Oid[] = [];
  for (const oid of listed) {
    const packed = pack !== null || !archived.has(oid);
    if (inUse.has(oid) || !packed || !removeLoose(repository, oid, startedMs - slackMs))
      kept.push(oid);
  }
  rmSync(localPath(repository.commonDir, `${journal}.old`), { force: true });
  appendLocal(repository.commonDir, journal, kept.map((oid) => `${oid}\n`).join(''));
}

/**
 * Of a log that is elsewhere no new root is made here: what was drawn of it and is not shown any
 * more goes once it is much.
 */
export function clearIfMuch(repository: Repository): void {
  if (
    (statSync(localPath(repository.commonDir, journal), { throwIfNoEntry: false })?.size ?? 0) <
    limits.journalBytes
  )
    return;
  const startedMs = wallAge(0);
  const listed = takeJournal(repository);
  if (isShared(repository, listed, startedMs - limits.archiveAgeMs)) {
    dropLocal(repository.commonDir, `${journal}.old`);
    return;
  }
  const inUse = new Set([
    ...liveObjects(repository),
    ...reachable(repository, [...listRefs(repository, archivePrefix).values()]),
  ]);
  const kept = listed.filter(
    (oid) => inUse.has(oid) || !removeLoose(repository, oid, startedMs - slackMs),
  );
  rmSync(localPath(repository.commonDir, `${journal}.old`), { force: true });
  appendLocal(repository.commonDir, journal, kept.map((oid) => `${oid}\n`).join(''));
}

/** All that the log and the view reach now. */
function liveObjects(repository: Repository): ReadonlySet<Oid> {
  const refs = [
    ...listRefs(repository, 'refs/coord'),
    ...listRefs(repository, 'refs/coord-remote'),
  ].filter(([ref]) => !ref.startsWith(archivePrefix));
  const isDraft = ([ref]: readonly [string, Oid]): boolean => ref.startsWith(draftsPrefix);
  const tips = refs.filter((entry) => !isDraft(entry)).map(([, oid]) => oid);
  // A draft stands on the user's history, which is none of ours to walk.
  const drafts = refs.filter(isDraft).flatMap(([, oid]) => [oid, `^${oid}^@`]);
  return new Set([...reachable(repository, tips), ...reachable(repository, drafts)]);
}

function reachable(repository: Repository, tips: readonly string[]): readonly Oid[] {
  if (tips.length === 0) return [];
  const text = git(
    repository.git,
    [`--git-dir=${repository.commonDir}`, 'rev-list', '--objects', '--stdin'],
    tips.map((tip) => `${tip}\n`).join(''),
  ).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ')[0] ?? '');
}

function packObjects(repository: Repository, oids: readonly Oid[]): string | null {
  if (oids.length === 0) return null;
  const { code, stdout } = runGit(
    repository.git,
    [
      `--git-dir=${repository.commonDir}`,
      'pack-objects',
      '-q',
      '--delta-base-offset',
      join(repository.commonDir, 'objects', 'pack', 'pack'),
    ],
    oids.map((oid) => `${oid}\n`).join(''),
  );
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

/**
 * Takes the file out of the way before it is judged, so that nobody can begin to use it in between.
 */
function removeLoose(repository: Repository, oid: Oid, beforeMs: number): boolean {
  const file = loosePath(repository, oid);
  const aside = draftOf(repository, oid);
  try {
    if (statSync(file).mtimeMs >= beforeMs) return false;
    renameSync(file, aside);
    if (statSync(aside).mtimeMs >= beforeMs) {
      renameSync(aside, file);
      return false;
    }
    rmSync(aside, { force: true });
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

export function dropArchives(repository: Repository, wallMs: number): void {
  const archives = [...listRefs(repository, archivePrefix)].sort(([a], [b]) => (a < b ? 1 : -1));
  const ages = new Map(
    git(repository.git, [
      `--git-dir=${repository.commonDir}`,
      'for-each-ref',
      '--format=%(refname) %(authordate:unix)',
      archivePrefix,
    ])
      .toString('utf8')
      .split('\n')
      .map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1]] as const),
  );
  const old = archives.filter(([ref], i) => {
    const ageMs = wallMs - Number(ages.get(ref) ?? 0) * 1_000;
    return ageMs > (i >= limits.archivesKept ? limits.archiveFreshMs : limits.archiveAgeMs);
  });
  if (old.length === 0) return;
  const inUse = liveObjects(repository);
  const lines = (readLocal(repository.commonDir, packs) ?? '')
    .split('\n')
    .filter((line) => line !== '');
  const dropped = new Map(
    old.map(([ref, tip]) => [
      Number(ref.slice(archivePrefix.length)),
      isShared(repository, commitsOf(repository, tip), wallMs - 2 * limits.archiveAgeMs),
    ]),
  );
  if (
    updateRefs(
      repository,
      old.map(([ref, value]) => ({ ref, value: null, expected: value })),
    ).code !== 0
  )
    return;
  const seqOf = (line: string): number => Number(line.split(' ')[0]);
  for (const line of lines)
    if (dropped.get(seqOf(line)) === false) dropPack(repository, line.split(' ')[1] ?? '', inUse);
  writeLocal(
    repository.commonDir,
    packs,
    lines
      .filter((line) => !dropped.has(seqOf(line)))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function commitsOf(repository: Repository, tip: Oid): readonly Oid[] {
  return git(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'rev-list',
    '--end-of-options',
    tip,
  ])
    .toString('utf8')
    .trim()
    .split('\n');
}

/**
 * What is still in use may have been left in this pack alone: it is written out before the pack
 * goes.
 */
function dropPack(repository: Repository, pack: string, inUse: ReadonlySet<Oid>): void {
  const base = join(repository.commonDir, 'objects', 'pack', `pack-${pack}`);
  if (
    !/^[0-9a-f]{40,64}$/.test(pack) ||
    statSync(`${base}.idx`, { throwIfNoEntry: false }) === undefined
  )
    return;
  const { code, stdout } = runGit(
    repository.git,
    ['show-index', `--object-format=${repository.hash}`],
    readFileSync(`${base}.idx`),
  );
  if (code !== 0) return;
  const needed = stdout
    .toString('utf8')
    .split('\n')
    .map((row) => row.split(' ')[1] ?? '')
    .filter((oid) => inUse.has(oid));
  for (const object of askObjects(repository, needed)) {
    if (object === null) return;
    writeObject(repository, object.kind as ObjectKind, object.body);
    appendLocal(repository.commonDir, journal, `${object.oid}\n`);
  }
  // The index goes first: git finds a pack by it.
  for (const suffix of ['.idx', '.rev', '.pack']) rmSync(`${base}${suffix}`, { force: true });
}

/** `seq pack`, a line for each archived chain that was packed. */
const packs = 'packs';
export const archivePrefix = 'refs/coord/archive/';
export const draftsPrefix = 'refs/coord/drafts/';
export const journal = 'journal';
const slackMs = 1_000;
