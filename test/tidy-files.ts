/** The files of the house: what they import, and whether a test is where its tier says. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { needs, needsIn, tierOf } from './tiers.ts';

export const root = join(import.meta.dirname, '..');

export const text = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Imports of our own, as paths from the top. */
export function importsOf(name: string, content = text(name)): readonly string[] {
  return [...content.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map((match) =>
    relative(root, join(root, dirname(name), match[1] ?? '')),
  );
}

/** What a file of the tests imports of the tests, and what that imports. */
function withImports(name: string, content = text(name)): readonly string[] {
  const seen = new Set([name]);
  const visit = (targets: readonly string[]): void => {
    for (const target of targets.filter((each) => each.startsWith('test/') && !seen.has(each))) {
      seen.add(target);
      visit(importsOf(target));
    }
  };
  visit(importsOf(name, content));
  return [...seen];
}

/** What a file stands on, and what it has to say that it needs then. */
const stoodOn: readonly (readonly [support: string, needs: readonly string[]])[] = [
  ['test/support/strace.ts', ['strace']],
  ['test/support/machine.ts', ['faketime', 'namespaces']],
  ['test/support/servers.ts', ['nginx', 'fcgiwrap']],
  ['test/support/nginx.ts', ['nginx']],
  ['test/support/newer-git.ts', ['newer git']],
  ['test/support/neighbours.ts', ['git-lfs', 'pre-commit', 'husky and lefthook']],
];

const startsProcesses = /from 'node:child_process'|support\/(repository|sessions)\.ts'/;

export function misplaced(name: string, content = text(name)): readonly string[] {
  const tier = tierOf(name);
  const said = needsIn(content);
  const all = withImports(name, content);
  const wanted = new Set(
    stoodOn.flatMap(([support, words]) => (all.includes(support) ? words : [])),
  );
  const starts = all.some((each) => startsProcesses.test(each === name ? content : text(each)));
  return [
    ...(tier === null ? ['is of no tier'] : []),
    ...(tier === 'unit' && starts ? ['is a unit test and starts processes'] : []),
    ...[...wanted]
      .filter((word) => !said.includes(word))
      .map((word) => `does not say that it needs ${word}`),
    ...said
      .filter((word) => needs[word] === undefined)
      .map((word) => `needs ${word}, which nobody knows`),
    ...(said.length > 0 && (tier === 'unit' || tier === 'process')
      ? ['needs more than Node and git']
      : []),
  ].map((what) => `${name} ${what}`);
}

/**
 * Lines of each function that begins at the margin or as a method, by the bracket that closes it.
 */
export function longFunctions(name: string, most: number, content = text(name)): readonly string[] {
  const lines = content.split('\n');
  return lines.flatMap((line, at) => {
    const [, indent] =
      /^( {0,2})(?:export )?(?:async )?(?:function\*? \w|[#\w]+\([^)]*\)[^;=]*\{$)/.exec(line) ??
      [];
    if (indent === undefined || /^ *(describe|test)\b/.test(line)) return [];
    const length = lines.slice(at).indexOf(`${indent}}`);
    return length >= most ? [`${name}:${at + 1} has ${length} lines`] : [];
  });
}
