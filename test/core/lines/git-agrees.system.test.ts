/** The diff and the merge of line records are those of git, to the line. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diff } from '../../../src/core/lines/diff.ts';
import { merge } from '../../../src/core/lines/merge.ts';
import type { Lines } from '../../../src/core/lines/split.ts';
import { temporaryFolder } from '../../support/repository.ts';
import { chanceOf, seeds } from '../pattern-generator.ts';
import { someChange, someLines } from './texts.ts';

function withFiles(folder: string, texts: Readonly<Record<string, Lines>>): void {
  for (const [name, lines] of Object.entries(texts))
    writeFileSync(join(folder, name), lines.join(''), 'latin1');
}

/** As git prints them: where each change stands in both texts. */
function gitDiff(folder: string): readonly string[] {
  const { stdout } = spawnSync(
    'git',
    ['-c', 'diff.indentHeuristic=false', 'diff', '--no-index', '-U0', 'base', 'ours'],
    { cwd: folder, encoding: 'latin1' },
  );
  return [...stdout.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, start, removed = '1', from, added = '1']) => {
      const first = Number(start) - (removed === '0' ? 0 : 1);
      const other = Number(from) - (added === '0' ? 0 : 1);
      return `${first}-${first + Number(removed)} ${other}-${other + Number(added)}`;
    },
  );
}

function gitMerge(folder: string): string | null {
  const { status, stdout } = spawnSync(
    'git',
    ['merge-file', '-p', '-q', 'ours', 'base', 'theirs'],
    { cwd: folder, encoding: 'latin1' },
  );
  return status === 0 ? stdout : null;
}

test.for(
  seeds,
)('texts with repeated lines, seed %i: diff and merge are as git does them', (seed) => {
  const chance = chanceOf(seed);
  const folder = temporaryFolder();
  let clean = 0;
  for (let i = 0; i < 700; i++) {
    const base = someLines(chance, chance.below(chance.below(20) === 0 ? 400 : 30));
    const [ours, theirs] = [someChange(chance, base), someChange(chance, base)];
    withFiles(folder, { base, ours, theirs });
    const hunks = diff(base, ours).map(
      (hunk) => `${hunk.start}-${hunk.end} ${hunk.from}-${hunk.to}`,
    );
    expect(hunks, JSON.stringify({ base, ours })).toEqual(gitDiff(folder));
    const merged = gitMerge(folder);
    if (merged !== null) clean++;
    expect(
      merge(base, ours, theirs)?.join('') ?? null,
      JSON.stringify({ base, ours, theirs }),
    ).toBe(merged);
  }
  expect(clean).toBeGreaterThan(150);
});

test('two long texts that have little in common are compared in bounded time', () => {
  const chance = chanceOf(7);
  const [one, two] = [someLines(chance, 50_000), someLines(chance, 50_000)];
  const hunks = diff(one, two);
  const again = hunks.reduceRight<string[]>(
    (text, { start, end, from, to }) => {
      text.splice(start, end - start, ...two.slice(from, to));
      return text;
    },
    [...one],
  );
  expect(again).toEqual(two);
});
