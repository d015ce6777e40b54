/** The shell commands of `npm run effect` write what the edit says, and a run of it counts right. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';
import { editOf } from './edit.ts';
import { shellEdit } from './ways.ts';

const change = {
  path: "it's.txt",
  at: 1,
  before: ['one'],
  old: ['a [b]* /c\\ $d^.'],
  fresh: ["it's & \\1 /new/", '$(x)'],
  after: ['three'],
  isNew: false,
};

test.each(['python', 'sed', 'cat'] as const)('%s', (way) => {
  const folder = temporaryFolder();
  const file = join(folder, change.path);
  const seen = `one\n${change.old[0]}\nthree\n`;
  writeFileSync(file, seen);
  const edit = editOf(seen, change, 'bd-1.0@ann');
  if (edit === null) throw new Error('no place');
  execFileSync('sh', ['-c', shellEdit(way, change.path, edit)], { cwd: folder });
  expect(readFileSync(file, 'utf8')).toBe(edit.whole);
});

test('a run of two agents on a made history loses nothing by files', async () => {
  const folder = temporaryFolder();
  execFileSync(process.execPath, [resolve('fixtures/histories.mjs'), folder, '1']);
  const { sourceOf } = await import('./place.ts');
  const { effectOf } = await import('./run.ts');
  const { usual } = await import('./options.ts');
  const source = sourceOf('shop', join(folder, 'shop'), 2);
  const effect = await effectOf(source, 'files', { ...usual, agents: 2, tasks: 2, stepMs: 10 });
  expect(effect).toMatchObject({ finished: 2, tasks: 2, lost: [], doubled: [], foreign: [] });
  expect(effect.edits).toBeGreaterThan(1);
  expect(effect.cost.call).toBeGreaterThan(effect.cost.sh);
  mkdirSync(join(folder, 'same'));
  execFileSync(process.execPath, [resolve('fixtures/histories.mjs'), join(folder, 'same'), '1']);
  expect(sourceOf('shop', join(folder, 'same', 'shop'), 2).tasks).toEqual(source.tasks);
}, 120_000);
