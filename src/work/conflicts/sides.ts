/**
 * Everything that is still to be merged: the branches that live, here and as other machines have
 * pushed them, and changes that are in no commit yet.
 */
import type { RealWorld } from '../../agent/world.ts';
import type { Oid } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { readLocal } from '../../git/local.ts';
import { git } from '../../git/run-git.ts';
import { type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { draftsPrefix } from '../../log/dead-objects.ts';
import { noteOf } from '../worktree/note.ts';

export interface Side {
  /** What tells it from the others, whatever it is at: a ref. */
  readonly ref: string;
  readonly tip: Oid;
  /** As people call it: `coord/bd-1/1`. */
  readonly name: string;
  /** Whose it is, as far as that is known. */
  readonly agent: string | null;
  readonly bead: string | null;
  /** The work tree that it is in, if it is in one. */
  readonly path: string | null;
  /** Some of it is in no commit. */
  readonly isUncommitted: boolean;
  /** What its last commit says it is for. */
  readonly about: string;
}

interface Row {
  readonly ref: string;
  readonly tip: Oid;
  readonly parent: Oid;
  readonly at: number;
  readonly author: string;
  readonly agent: string;
  readonly about: string;
  /** Of uncommitted changes: the id of the work tree that they are in. */
  readonly workTree: string;
}

const fields = [
  'refname',
  'objectname',
  'parent',
  'committerdate:unix',
  'authorname',
  'trailers:key=Coord-Agent,valueonly,separator=%x2C',
  'contents:subject',
  'trailers:key=Work-Tree,valueonly',
  'symref',
];

/** Those that are part of this commit already have nothing to merge. */
function rowsOf({ repository }: RealWorld, main: Oid): readonly Row[] {
  return git(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'for-each-ref',
    `--no-merged=${main}`,
    '--sort=-committerdate',
    `--format=${fields.map((field) => `%(${field})`).join('%00')}%00`,
    'refs/heads',
    'refs/remotes',
    draftsPrefix,
    'refs/coord/quarantine',
  ])
    .toString('utf8')
    .split(/\0\n/)
    .flatMap((row) => {
      const [ref = '', tip = '', parents = '', at = '', author = '', ...rest] = row.split('\0');
      const [agent = '', about = '', workTree = '', link = ''] = rest.map((text) => text.trim());
      if (ref === '' || link !== '') return [];
      const [parent = ''] = parents.split(' ');
      return [{ ref, tip, parent, at: Number(at) * 1_000, author, agent, about, workTree }];
    });
}

export function sidesOf(world: RealWorld): readonly Side[] {
  const { repository, clock } = world;
  const trees = workTreesOf(repository);
  const main = trees.find(({ isMain }) => isMain) ?? trees[0];
  const base = main?.head.oid ?? null;
  if (main === undefined || base === null) return [];
  const rows = rowsOf(world, base);
  const fresh = rows.filter(({ at }) => clock.now().at - at <= limits.liveBranchMs);
  const checkedOut = new Set(trees.flatMap(({ head }) => head.branch ?? []));
  const branches = [
    ...rows.filter(({ ref }) => checkedOut.has(ref)),
    ...fresh.filter(({ ref }) => /^refs\/(heads|remotes)\//.test(ref) && !checkedOut.has(ref)),
  ];
  const mainIds = readLocal(main.gitDir, 'work-tree') ?? '';
  const drafts = fresh.filter(
    ({ ref, parent, workTree }) =>
      ref.startsWith(draftsPrefix) && parent === base && mainIds.includes(`${workTree} `),
  );
  const copies = new Map(
    rows.flatMap((row) => {
      const tree = trees.find(
        ({ id, isThere, isMain }) => isThere && !isMain && row.ref.endsWith(`/${id}`),
      );
      return tree !== undefined && tree.head.oid === row.parent ? [[tree, row] as const] : [];
    }),
  );
  const all = [
    ofMain(main, base),
    ...drafts.map((row) => ofDraft(row, main)),
    ...branches.map((row) => ofBranch(row, trees, copies)),
    ...[...copies]
      .filter(([{ head }]) => head.branch === null || !rows.some(({ ref }) => ref === head.branch))
      .map(([tree, row]) => ofCopy(tree, row)),
  ];
  return distinct(all).slice(0, limits.sidesCompared);
}

/** Of several that stand on one commit the first is enough. */
function distinct(sides: readonly Side[]): readonly Side[] {
  const seen = new Set<Oid>();
  return sides.filter(({ tip }) => {
    const isNew = !seen.has(tip);
    seen.add(tip);
    return isNew;
  });
}

function shortName(ref: string): string {
  return ref.replace(/^refs\/(heads|remotes|coord\/drafts)\//, '');
}

function ofMain(tree: WorkTree, tip: Oid): Side {
  const ref = tree.head.branch ?? 'HEAD';
  const none = { agent: null, bead: null, about: '' };
  return { ref, tip, name: shortName(ref), path: tree.path, isUncommitted: false, ...none };
}

function ofDraft({ ref, tip, author }: Row, { path }: WorkTree): Side {
  const name = `${author}'s uncommitted changes`;
  return { ref, tip, name, agent: author, bead: null, path, isUncommitted: true, about: '' };
}

function ofBranch(row: Row, trees: readonly WorkTree[], copies: ReadonlyMap<WorkTree, Row>): Side {
  const tree = trees.find(({ head, isThere }) => isThere && head.branch === row.ref);
  const copy = tree === undefined ? undefined : copies.get(tree);
  const note = tree === undefined ? null : noteOf(tree);
  return {
    ref: row.ref,
    tip: copy?.tip ?? row.tip,
    name: shortName(row.ref),
    agent: note?.agent.name ?? (row.agent === '' ? null : row.agent.replace(/ .*$/, '')),
    bead: note?.bead ?? null,
    path: tree?.path ?? null,
    isUncommitted: copy !== undefined,
    about: row.about,
  };
}

/** On no branch of its own, or on one that has nothing else to merge. */
function ofCopy(tree: WorkTree, { tip }: Row): Side {
  const note = noteOf(tree);
  const ref = tree.head.branch ?? `${tree.gitDir}/HEAD`;
  return {
    ref,
    tip,
    name: tree.head.branch === null ? tree.path : shortName(tree.head.branch),
    agent: note?.agent.name ?? null,
    bead: note?.bead ?? null,
    path: tree.path,
    isUncommitted: true,
    about: '',
  };
}
