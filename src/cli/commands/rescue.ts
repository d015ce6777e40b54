/** `coord rescue`: work that was in no commit, kept before something wiped it. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CoordError } from '../../core/errors.ts';
import { formatTime } from '../../core/instant.ts';
import { areKin } from '../../core/ids.ts';
import { collide } from '../../core/overlap.ts';
import { literal } from '../../core/pattern.ts';
import { existsAt } from '../../git/commits.ts';
import { keyOf } from '../../git/paths.ts';
import type { Repository } from '../../git/repository.ts';
import { bringBack, filesOf, savedOf, saveWork, unsavedWork, type Saved } from '../../guard/saved-work.ts';
import { wipes } from '../../guard/wipes.ts';
import { judgeMove } from '../../guard/moves.ts';
import { refusalText } from '../../guard/refusal-text.ts';
import { noteStash, stashesOfOthers } from '../../guard/stash-owner.ts';
import { circumstances } from '../../operate.ts';
import { ago, exits, type Report } from '../../report.ts';
import { isOn, limitFlag, text, whole, type Call, type Verb } from '../verb.ts';

function facts({ id, agent, at, why }: Saved): Report['facts'] {
  return { id, agent, at: formatTime(at), why };
}

function found(call: Call): Saved {
  const [id = ''] = call.positionals;
  const saved = savedOf(call.world()).find((candidate) => candidate.id === id || candidate.agent === id || candidate.agentId === id);
  if (saved === undefined) throw new CoordError('usage', `nothing is kept under '${id}'`, 'coord rescue list');
  return saved;
}

export const rescueList: Verb = {
  words: ['rescue', 'list'],
  about: 'the snapshots of unsaved work, newest first',
  flags: [limitFlag],
  examples: [['coord rescue list', 'after somebody ran git stash']],
  run: async (call) => {
    const world = call.world();
    const all = savedOf(world);
    const shown = all.slice(0, whole(call, 'limit') ?? all.length);
    const c = circumstances(world, await world.store.observe());
    return {
      ok: true, exit: exits.done, result: shown.length === 0 ? 'nothing' : 'listed', facts: { saved: shown.map(facts), ...(shown.length < all.length ? { total: all.length } : {}) },
      says: shown.length === 0 ? ['nothing is kept'] : shown.map((saved) => `${saved.id}  ${saved.agent}  ${ago(saved.at, c)}, before ${saved.why}`),
    };
  },
};

export const rescueShow: Verb = {
  words: ['rescue', 'show'],
  about: 'the files of a snapshot',
  positional: { name: 'id', least: 1, most: 1, about: 'of a snapshot, or an agent for its newest' },
  flags: [],
  examples: [['coord rescue show ann', 'the newest of ann']],
  run: (call) => {
    const saved = found(call);
    const files = filesOf(call.world(), saved);
    return { ok: true, exit: exits.done, result: 'shown', facts: { ...facts(saved), files: files.map(({ path, oid }) => ({ path, oid })) }, says: [`kept before ${saved.why}`, ...files.map(({ path, oid }) => `  ${path}  git cat-file blob ${oid.slice(0, 10)}`)] };
  },
};

export const rescueRestore: Verb = {
  words: ['rescue', 'restore'],
  about: 'bring a snapshot back, byte for byte, into a folder of its own',
  positional: { name: 'id', least: 1, most: 1, about: 'of a snapshot, or an agent for its newest' },
  flags: [{ name: 'to', value: 'dir', about: 'where to; a new temporary folder unless it is said' }, { name: 'in-place', about: 'over the work tree itself' }],
  examples: [['coord rescue restore ann', 'into a new folder'], ['coord rescue restore ann --in-place', 'over the work tree']],
  run: (call) => {
    const world = call.world();
    const saved = found(call);
    const to = text(call, 'to');
    const folder = isOn(call, 'in-place') ? world.repository.top : to === undefined ? mkdtempSync(join(tmpdir(), 'coord-rescue-')) : resolve(call.cwd, to);
    const files = bringBack(world, saved, folder);
    return { ok: true, exit: exits.done, result: 'restored', facts: { ...facts(saved), folder, files }, says: [`restored ${files.length} ${files.length === 1 ? 'file' : 'files'} of ${saved.agent} to ${folder}`, ...files.slice(0, 20).map((path) => `  ${path}`)] };
  },
};

/** Would a commit that the command names bring a file of this name? Where it names none that is known here, nobody can tell. */
function isInReach(repository: Repository, words: readonly string[], path: string): boolean {
  return words.slice(1).filter((word) => !word.startsWith('-')).some((word) => existsAt(repository, word, path));
}

/** What the git of a session asks before it lets a command go that may wipe the work tree. */
export const rescueSave: Verb = {
  words: ['rescue', 'save'],
  about: 'keep the unsaved work of everybody who holds something; with a git command, refuse it where it would wipe work of others',
  positional: { name: 'git command', least: 0, most: 1_000, about: 'that is about to run' },
  flags: [],
  examples: [['coord rescue save', 'before something daring'], ['coord rescue save -- reset --hard', 'as the git of a session does']],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const others = stashesOfOthers(world.repository, call.positionals, world.caller().name);
    if (others.length > 0) {
      return { ok: false, exit: exits.refused, result: 'refused', facts: { stashes: others }, says: [], notes: [`coord: refused: git ${call.positionals.join(' ')} would take what others have stashed`, ...others.map(({ name, agent }) => `  ${name}: ${agent}`), '  next: git stash list, and name your own: git stash pop stash@{n}'] };
    }
    const lost = judgeMove(world, { name: () => world.caller().name, isAgent: true }, call.positionals);
    if (lost.length > 0) {
      const notes = refusalText(lost, { repository: world.repository, base: null, head: null, state: at.state, c: circumstances(world, at), isAgent: true });
      return { ok: false, exit: exits.refused, result: 'refused', facts: { lost: lost.length }, says: [], notes };
    }
    const scope = call.positionals.length === 0 ? 'all' : wipes(call.positionals, (path) => existsSync(resolve(call.cwd, path)));
    if (call.positionals[0] === 'stash') noteStash(world.repository, scope === null ? null : world.caller().name);
    const moves = ['checkout', 'switch', 'merge', 'pull', 'rebase', 'cherry-pick'].includes(call.positionals[0] ?? '');
    if (scope === null && !moves) return { ok: true, exit: exits.done, result: 'harmless', facts: {}, says: [] };
    // Another commit is put in place: that writes over what git ignores, and keeps all else.
    const unsaved = unsavedWork(world, at).filter(({ isIgnored }) => scope !== null || isIgnored);
    if (scope === null && unsaved.length === 0) return { ok: true, exit: exits.done, result: 'harmless', facts: {}, says: [] };
    const why = call.positionals.length === 0 ? 'somebody asked' : `git ${call.positionals.slice(0, 3).join(' ')}`;
    const count = saveWork(world, unsaved, why);
    const keys = scope === 'all' ? null : scope === null ? unsaved.filter(({ path }) => isInReach(world.repository, call.positionals, path)).map(({ path }) => literal(path)) : scope.map((path) => keyOf({ repository: world.repository, cwd: call.cwd }, path, false));
    const me = world.caller().name;
    const atRisk = unsaved.filter(({ path, agent }) => !areKin(agent.name, me) && (keys === null || keys.some((key) => collide(key, literal(path), world.settings.folding))));
    if (call.positionals.length === 0 || atRisk.length === 0) return { ok: true, exit: exits.done, result: 'saved', facts: { files: count }, says: count === 0 ? [] : [`kept ${count} ${count === 1 ? 'file' : 'files'}`] };
    return {
      ok: false, exit: exits.refused, result: 'refused', facts: { files: count, atRisk: atRisk.map(({ path, agent }) => ({ path, agent })) }, says: [],
      notes: [`coord: refused: git ${call.positionals.join(' ')} would wipe unsaved work of others`, ...atRisk.slice(0, 20).map(({ path, agent }) => `  ${path}: ${agent.name} (${agent.id})`), '  next: name your own files, such as git restore -- <path>; what is there now is kept: coord rescue list'],
    };
  },
};
