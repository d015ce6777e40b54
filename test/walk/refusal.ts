/** A refusal by coord: was it one, what did it change, and which commands does it print? */
import type { Ran } from '../support/repository.ts';
import type { Deed } from './deed.ts';
import type { Model } from './model.ts';
import { overlaps } from './named-path.ts';
import type { Objects } from './objects.ts';
import { differing, type Scene } from './scene.ts';

export function isRefusal({ code, stderr }: Ran): boolean {
  return code !== 0 && /^coord: (?!note)/m.test(stderr);
}

/** The first lines of what coord said, without what differs each time. */
export function reasonOf({ stderr }: Ran): string {
  const lines = stderr.split('\n').filter((line) => line !== '');
  const at = lines.findIndex((line) => line.startsWith('coord: '));
  return lines
    .slice(at, at + 2)
    .join(' | ')
    .replace(/[0-9a-f]{10,40}/g, 'COMMIT')
    .replace(/\b[0-9a-z]{8}\b(?=\))/g, 'ID')
    .slice(0, 200);
}

export function failedInside({ stderr }: Ran): boolean {
  return (
    /\(exit (69|70)\)|could not be checked|^coord: unexpected/m.test(stderr) ||
    stderr.includes("inside the repository's own files")
  );
}

export function nextOf({ stderr }: Ran): readonly string[] {
  return [...stderr.matchAll(/^ +next: (.*)$/gm)].map(([, command = '']) => command);
}

/**
 * What was staged and what others have committed have no common outcome: their author has to look.
 */
export function isConflict(ran: Ran): boolean {
  return (
    isRefusal(ran) &&
    /^coord: .* conflicts? with what others have committed, and (is|are) staged as in HEAD now$/m.test(
      ran.stderr,
    )
  );
}

/** It changes nothing: somebody has to look, or to wait, first. */
export function isLook(next: string): boolean {
  return next === 'git status' || next === 'git stash list';
}

/** Words for people, or a gap that somebody has to fill in. */
export function isNoCommand(next: string): boolean {
  return (
    /<[\w ]+>|, (or|then|when|such|and)\b|\bonce more\b|\badd again\b/.test(next) ||
    !/^(git|coord|cd|env|[A-Z_]+=)/.test(next)
  );
}

/**
 * What a refusal changed of work trees, index, refs and stash. What HEAD holds anyhow may come into
 * an index, what was fetched before may stay, and the fetch of a pull is no part of what was
 * refused.
 */
export function changedBy(
  deed: Deed,
  before: Scene,
  after: Scene,
  objects: Objects,
): readonly string[] {
  const place = after.places.get(deed.actor.place);
  const head = objects.listing(place?.head ?? null);
  return differing(before, after, /^refs\/remotes\//).filter((name) => {
    const [, file = '', path = ''] = /^index (.*?): (.*)$/.exec(name) ?? [];
    return (
      file === '' ||
      (after.indexes.get(file)?.entries.get(path) ?? null) !== (head.get(path) ?? null)
    );
  });
}

/** What `coord reserve` in such a line names. */
export function pathsToReserve(next: string): readonly string[] {
  const [, words = ''] = /\bcoord reserve [^&]*?-- ([^&]*)/.exec(next) ?? [];
  return words
    .split(' ')
    .map((word) => word.replaceAll("'", ''))
    .filter((word) => word !== '');
}

/** The command went past coord, and git had a reason of its own to end it. */
export function isByGitItself(ran: Ran): boolean {
  return (
    !isRefusal(ran) &&
    /nothing (added )?to commit|could not read '.git\/rebase-merge\/|index contains uncommitted changes|no changes added|cannot switch branch while|could not apply|CONFLICT|would be overwritten|conflict|unmerged|unstaged changes|no rebase in progress|would make\s+it empty|unable to write file|not uptodate|needs merge|already exists in working directory|already exists, no checkout|could not restore untracked|there is no merge to abort|checked out at|in the middle of a merge|seems that there is already a rebase|please commit your changes/i.test(
      `${ran.stdout}${ran.stderr}`,
    )
  );
}

/** Whoever holds what a command waits for has to free it, or it would wait for ever. */
export function holdersInTheWay(next: string, deed: Deed, model: Model): ReadonlySet<string> {
  const wanted = pathsToReserve(next);
  return new Set(
    [...model.leases].flatMap(([path, holder]) =>
      holder !== deed.actor.name && wanted.some((one) => overlaps(one, path)) ? [holder] : [],
    ),
  );
}
