/**
 * `coord rescue`: work that was in no commit, kept before something wiped it or its session ended.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { showAgent } from '../../core/agent.ts';
import { counted } from '../../core/counted.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { formatTime } from '../../core/instant.ts';
import { shellLine } from '../../core/shell-line.ts';
import { joined, joinShared } from '../../draft/joined.ts';
import { keptOfGone } from '../../draft/quarantine.ts';
import { bringBack, differenceOf, filesOf, keepReplaced, realPlace } from '../../draft/rescued.ts';
import { ofOthers, saveWork, unsavedWork } from '../../draft/saved-work.ts';
import { type Saved, snapshotsIn } from '../../draft/snapshot.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import { decisionContext } from '../../loop/operate.ts';
import { ago } from '../../render/lines.ts';
import type { Report } from '../../render/report.ts';
import { keptFacts, keptLine } from '../../render/work-trees.ts';
import { settledTrees } from '../../work/worktree/remove.ts';
import { type Call, isOn, limitFlag, text, type Verb, whole } from '../verb.ts';

function facts({ id, agent, at, why }: Saved): Report['facts'] {
  return { id, agent, at: formatTime(at), why };
}

const whichSnapshot: NonNullable<Verb['positional']> = {
  name: 'id',
  completes: 'snapshot',
  least: 1,
  most: 1,
  about: 'of a snapshot, or an agent for its newest',
};

function found(call: Call): Saved {
  const [id = ''] = call.positionals;
  const saved = snapshotsIn(call.world().repository).find(
    (candidate) => candidate.id === id || candidate.agent === id || candidate.agentId === id,
  );
  if (saved === undefined)
    throw new CoordError('usage', `nothing is kept under '${id}'`, 'coord rescue list');
  return saved;
}

export const rescueList: Verb = {
  words: ['rescue', 'list'],
  group: 'commits',
  isTold: false,
  about: 'list all that can come back',
  more: 'These are unsaved work that was kept, what was staged when a session ended, and work trees and branches that are gone.',
  flags: [limitFlag],
  examples: [['coord rescue list', 'after somebody ran git stash']],
  run: async (call) => {
    const world = call.world();
    const all = snapshotsIn(world.repository);
    const shown = all.slice(0, whole(call, 'limit') ?? all.length);
    const c = decisionContext(world, await world.store.observe());
    const trees = keptOfGone(world.repository, settledTrees(world.repository));
    const isEmpty = shown.length + trees.length === 0;
    return {
      ok: true,
      exit: exits.done,
      result: isEmpty ? 'nothing' : 'listed',
      facts: {
        saved: shown.map(facts),
        workTrees: trees.map(keptFacts),
        ...(shown.length < all.length ? { total: all.length } : {}),
      },
      says: isEmpty
        ? ['nothing is kept']
        : [
            ...shown.map(
              (saved) => `${saved.id}  ${saved.agent}  ${ago(saved.at, c)}, before ${saved.why}`,
            ),
            ...trees.map((one) => keptLine(one, c)),
          ],
    };
  },
};

export const rescueShow: Verb = {
  words: ['rescue', 'show'],
  group: 'commits',
  isTold: false,
  about: 'show the files of a snapshot',
  positional: whichSnapshot,
  flags: [],
  examples: [['coord rescue show ann', 'the newest of ann']],
  run: (call) => {
    const saved = found(call);
    const files = filesOf(call.world(), saved);
    return {
      ok: true,
      exit: exits.done,
      result: 'shown',
      facts: { ...facts(saved), files: files.map(({ path, oid }) => ({ path, oid })) },
      says: [
        `kept before ${saved.why}`,
        ...files.map(({ path, oid }) => `  ${path}  git cat-file blob ${oid.slice(0, 10)}`),
      ],
    };
  },
};

export const rescueRestore: Verb = {
  words: ['rescue', 'restore'],
  group: 'commits',
  isTold: false,
  about: 'bring a snapshot back, byte for byte',
  more: 'Into a folder of its own, unless you say --in-place.',
  positional: whichSnapshot,
  flags: [
    {
      name: 'to',
      value: 'dir',
      about: 'where to; a new temporary folder unless it is said',
      usual: 'a new temporary folder',
    },
    { name: 'in-place', about: 'over the work tree itself' },
  ],
  examples: [
    ['coord rescue restore ann', 'into a new folder'],
    ['coord rescue restore ann --in-place', 'over the work tree'],
  ],
  run: async (call) => {
    const world = call.world();
    const saved = found(call);
    const to = text(call, 'to');
    const { top } = world.repository;
    const folder = realPlace(
      isOn(call, 'in-place')
        ? top
        : to === undefined
          ? mkdtempSync(join(tmpdir(), 'coord-rescue-'))
          : resolve(call.cwd, to),
    );
    const place = placeIn(world, folder);
    const all =
      place === null
        ? { files: filesOf(world, saved), parts: [], conflicts: [] }
        : joined(world, saved, place);
    if (all.conflicts.length > 0) return refusalInConflict(saved, all.conflicts);
    const kept =
      place === null ? nothingKept : await keepWhatIsThere(world, saved, place, all.parts);
    if ('refusal' in kept) return kept.refusal;
    const shared = place === null ? [] : joinShared(world, await world.store.observe(), place, all);
    const files = [
      ...shared,
      ...bringBack(
        world,
        all.files.filter(({ path }) => !shared.includes(path)),
        folder,
        (path) => kept.paths.has(join(place ?? '', path)),
      ),
    ];
    return {
      ok: true,
      exit: exits.done,
      result: 'restored',
      facts: { ...facts(saved), folder, files },
      says: [
        `restored ${counted(files.length, 'file')} of ${saved.agent} to ${folder}`,
        ...files.slice(0, 20).map((path) => `  ${path}`),
      ],
    };
  },
};

const nothingKept = { paths: new Set<string>() };

/** Where in the work tree a folder is; null for one elsewhere. What git keeps is no place for it. */
function placeIn({ repository }: RealWorld, folder: string): string | null {
  const isBelow = (above: string): boolean => `${folder}/`.startsWith(`${realPlace(above)}/`);
  const { gitDir, commonDir, top } = repository;
  if ([gitDir, commonDir].some(isBelow))
    throw new CoordError(
      'not_writable',
      `'${folder}' is where git keeps its own files`,
      'coord rescue restore <id> --to <new folder>',
    );
  return isBelow(top) ? relative(realPlace(top), folder) : null;
}

/** What is there now can come back as well; what others have not committed is left alone. */
async function keepWhatIsThere(
  world: RealWorld,
  saved: Saved,
  below: string,
  parts: readonly string[],
): Promise<{ readonly paths: ReadonlySet<string> } | { readonly refusal: Report }> {
  const paths = filesOf(world, saved).map(({ path }) => join(below, path));
  const isConcerned = new Set(paths);
  const at = await world.store.observe();
  await lookAtAllLines(world, at);
  const there = unsavedWork(world, at).filter(({ path }) => isConcerned.has(path));
  // Into these only lines are brought, and what others have there stays.
  const joins = new Set(parts.map((path) => join(below, path)));
  const theirs = ofOthers(world, there).filter(({ path }) => !joins.has(path));
  if (theirs.length > 0) return { refusal: refusalOver(saved, theirs) };
  return { paths: keepReplaced(world, paths, there, `coord rescue restore ${saved.id}`) };
}

/** The files stay as they are; what was kept can be looked at. */
function refusalInConflict(saved: Saved, paths: readonly string[]): Report {
  const next = shellLine('git', 'show', `${saved.ref}:${paths[0] ?? ''}`);
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { refusal: { kind: 'conflict' }, paths, ref: saved.ref, next },
    says: [],
    notes: [
      'refused: the same lines have changed since',
      ...paths.slice(0, 20).map((path) => `  ${path}`),
      `  next: ${next}`,
    ],
  };
}

function refusalOver(saved: Saved, theirs: ReturnType<typeof ofOthers>): Report {
  const next = shellLine('coord', 'rescue', 'restore', saved.id);
  const what = [
    ...new Set(
      theirs.map(({ path, agent }) => `  ${path}: ${showAgent(agent)} has not committed this`),
    ),
  ];
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { refusal: { kind: 'unsaved' }, paths: theirs.map(({ path }) => path), next },
    says: [],
    notes: [
      'refused: this would replace uncommitted changes of others',
      ...what.slice(0, 20),
      `  next: ${next}`,
    ],
  };
}

export const rescueDiff: Verb = {
  words: ['rescue', 'diff'],
  group: 'commits',
  isTold: false,
  about: 'show what bringing it back would change, as a patch',
  positional: whichSnapshot,
  flags: [],
  examples: [['coord rescue diff ann', 'before rescue restore ann --in-place']],
  run: (call) => {
    const world = call.world();
    const saved = found(call);
    const patch = differenceOf(world, joined(world, saved, '').files);
    return {
      ok: true,
      exit: exits.done,
      result: patch.length === 0 ? 'same' : 'differs',
      facts: { ...facts(saved), patch: patch.toString('utf8') },
      says: patch.length === 0 ? ['the work tree has it just so'] : [],
      patch,
    };
  },
};

export const rescueSave: Verb = {
  words: ['rescue', 'save'],
  group: 'commits',
  isTold: false,
  about: 'keep the unsaved changes of everybody in this work tree',
  flags: [],
  examples: [['coord rescue save', 'before something daring']],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    await lookAtAllLines(world, at);
    const { length: count } = saveWork(world, unsavedWork(world, at), 'coord rescue save');
    const says = count === 0 ? [] : [`kept ${counted(count, 'file')}`];
    return { ok: true, exit: exits.done, result: 'saved', facts: { files: count }, says };
  },
};
