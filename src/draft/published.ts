/**
 * What each agent has in hand, published for plain git: `git show refs/coord/drafts/ann` is a commit
 * on HEAD with ann's uncommitted changes. Made anew from the files at any time, read to decide by
 * nobody.
 */
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { treeOf } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import { appendLocal, localAge, readLocal, writeLocal } from '../git/local.ts';
import { encodeCommit } from '../git/object-text.ts';
import { writeObject } from '../git/objects.ts';
import { type RefUpdate, updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run-git.ts';
import { draftsPrefix, journal } from '../log/dead-objects.ts';
import type { Observation } from '../log/log-store.ts';
import { refComponent } from '../log/view.ts';
import { byOwner, draftOf, inHand, type Part } from './in-hand.ts';
import { statOf } from './vanished.ts';

interface Published {
  readonly ref: string;
  readonly commit: Oid;
  readonly tree: Oid;
  readonly parent: string;
  readonly workTree: string;
}

export function draftRef({ name }: Pick<AgentName, 'name'>): string {
  return `${draftsPrefix}${refComponent(name)}`;
}

/** The newest first. */
function publishedIn({ git: program, commonDir }: Repository): readonly Published[] {
  const fields = ['refname', 'objectname', 'tree', 'parent', 'trailers:key=Work-Tree,valueonly'];
  return git(program, [
    `--git-dir=${commonDir}`,
    'for-each-ref',
    '--sort=-committerdate',
    `--format=${fields.map((field) => `%(${field})`).join('%00')}%00`,
    draftsPrefix,
  ])
    .toString('utf8')
    .split(/\0\n/)
    .flatMap((row) => {
      const [ref = '', commit = '', tree = '', parent = '', workTree = ''] = row.split('\0');
      return ref === '' ? [] : [{ ref, commit, tree, parent, workTree: workTree.trim() }];
    });
}

/** Of everybody who works in this work tree; what is in nobody's hand any more goes. */
export function publishDrafts(world: RealWorld, at: Observation): readonly string[] {
  const { repository } = world;
  const known = publishedIn(repository);
  const workTree = world.workTree?.() ?? '';
  const drafts = byOwner(inHand(world, at).filter((part) => isPublished(repository, part)));
  const made = drafts.flatMap(({ agent, parts }) => {
    if (agent === null || !at.state.agents.has(agent.id)) return [];
    const ref = draftRef(agent);
    const before = known.find((one) => one.ref === ref);
    const update = updateOf(world, agent, parts, workTree, before);
    return update === null ? [] : [{ ref, update }];
  });
  const current = new Set(made.map(({ ref }) => ref));
  const names = new Set([...at.state.agents.values()].map((agent) => draftRef(agent)));
  const gone = known.filter(
    ({ ref, workTree: of }, i) =>
      !current.has(ref) && (of === workTree || !names.has(ref) || i >= limits.draftsKept),
  );
  const updates: RefUpdate[] = [
    ...made.flatMap(({ update }) => (update === 'same' ? [] : [update])),
    ...gone.map(({ ref, commit }) => ({ ref, value: null, expected: commit })),
  ];
  // Whoever has published meanwhile has seen the files later.
  if (updates.length > 0) updateRefs(repository, updates);
  return [...current];
}

function isPublished({ top }: Repository, { path }: Part): boolean {
  return (statOf(join(top, path))?.size ?? 0) <= limits.draftFileBytes;
}

/** Null where nothing of it differs from HEAD. */
function updateOf(
  { repository, clock }: RealWorld,
  agent: AgentName,
  parts: readonly Part[],
  workTree: string,
  before: Published | undefined,
): RefUpdate | 'same' | null {
  const { base, tree } = draftOf(repository, parts);
  const { oid: head } = headOf(repository);
  if (tree === (head === null ? base : treeOf(repository, head))) return null;
  if (before?.tree === tree && before.parent === (head ?? '')) return 'same';
  const signature = { name: agent.name, email: `${agent.id}@coord.invalid`, at: clock.now().at };
  const message = `${agent.name}'s uncommitted changes\n\nAgent: ${showAgent(agent)}\nWork-Tree: ${workTree}\n`;
  const commit = writeObject(
    repository,
    'commit',
    encodeCommit({ tree, parents: head === null ? [] : [head], message }, signature, signature),
  );
  // The commit alone is coord's: what is in it may be in the commit that its agent makes next.
  appendLocal(repository.commonDir, journal, `${commit}\n`);
  return { ref: draftRef(agent), value: commit, expected: before?.commit ?? null };
}

const lastPublished = 'drafts';

/**
 * Where files are shared, by whoever's hook runs, for all of this work tree: every few seconds at
 * most, or once HEAD has moved. Nothing rests on it, so that it cannot be done is no failure.
 */
export function publishNowAndThen(world: RealWorld, at: Observation): void {
  if (world.settings.editMode !== 'lines') return;
  const { repository } = world;
  const { gitDir } = repository;
  const head = headOf(repository).oid ?? '';
  const isLate = Math.abs(localAge(gitDir, lastPublished)) >= limits.draftEveryMs;
  if (readLocal(gitDir, lastPublished) === head && !isLate) return;
  writeLocal(gitDir, lastPublished, head);
  try {
    publishDrafts(world, at);
  } catch (error) {
    if (!(error instanceof CoordError)) throw error;
  }
}

/** Of agents that have ended. */
export function dropDrafts(repository: Repository, agents: readonly AgentName[]): void {
  const refs = new Set(agents.map((agent) => draftRef(agent)));
  drop(repository, ({ ref }) => refs.has(ref));
}

/** Of agents that are on record no more. */
export function sweepDrafts(repository: Repository, { state }: Observation): void {
  const refs = new Set([...state.agents.values()].map((agent) => draftRef(agent)));
  drop(repository, ({ ref }) => !refs.has(ref));
}

function drop(repository: Repository, isGone: (published: Published) => boolean): void {
  const gone = publishedIn(repository).filter(isGone);
  if (gone.length > 0)
    updateRefs(
      repository,
      gone.map(({ ref, commit }) => ({ ref, value: null, expected: commit })),
    );
}
