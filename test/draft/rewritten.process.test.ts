/** A shared file that coord itself changes, while others change it. */
import { appendFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RealWorld, realWorld } from '../../src/agent/world.ts';
import { agentNamed } from '../../src/core/decide/enrol.ts';
import { fileOf, ownersOf } from '../../src/core/lines/record.ts';
import { without } from '../../src/core/lines/without.ts';
import { lineFileAt } from '../../src/draft/line-store.ts';
import { lookAtLines } from '../../src/draft/lines.ts';
import { rewriteShared } from '../../src/draft/rewritten.ts';
import {
  changedByBoth,
  nameOf,
  numbered,
  type SharedFile,
  textOf,
} from '../support/shared-file.ts';

async function scene(): Promise<SharedFile & { world: RealWorld; owner: string }> {
  const made = changedByBoth();
  const world = realWorld({ cwd: made.repo.top, env: made.repo.env });
  const { state } = await world.store.observe();
  // Else what is done next falls into the turn of whoever was at it last.
  lookAtLines(world.repository, 'shared');
  return { ...made, world, owner: agentNamed(state, nameOf(made.ann))?.id ?? '' };
}

function undo(
  { world, owner }: Pick<Awaited<ReturnType<typeof scene>>, 'world' | 'owner'>,
  meanwhile: () => void,
): string {
  return rewriteShared(world.repository, {
    path: 'shared',
    owner,
    at: world.clock.now().at,
    text: (lines) => fileOf(without(lines, owner)),
    keep: meanwhile,
  });
}

test('what lands in between is not written over, and nothing stays announced', async () => {
  const made = await scene();
  const before = textOf(made);
  expect(undo(made, () => appendFileSync(join(made.repo.top, 'shared'), 'by hand\n'))).toBe(
    'moved',
  );
  expect(textOf(made)).toBe(`${before}by hand\n`);
  const { repository } = made.world;
  expect(ownersOf(lookAtLines(repository, 'shared')?.file.lines ?? [])).toHaveLength(3);
  expect(lineFileAt(repository, 'shared')?.intents).toEqual([]);
  expect(undo(made, () => {})).toBe('written');
  expect(textOf(made)).toBe(`${numbered(20).replace('line 12\n', 'line 12 of ben\n')}by hand\n`);
});

test('a link that has taken its place is not followed', async () => {
  const made = await scene();
  const [shared, elsewhere] = ['shared', '../elsewhere'].map((name) => join(made.repo.top, name));
  writeFileSync(elsewhere ?? '', textOf(made));
  const link = (): void => {
    rmSync(shared ?? '');
    symlinkSync('../elsewhere', shared ?? '');
  };
  expect(undo(made, link)).toBe('moved');
  expect(textOf(made)).toContain('line 3 of ann\n');
});

test('a file that is gone comes back', async () => {
  const made = await scene();
  const { repository } = made.world;
  rmSync(join(made.repo.top, 'shared'));
  // ben's new line is gone with the file, and kept as ben's; the old one ben still takes away.
  lookAtLines(repository, 'shared', () => made.owner);
  expect(undo(made, () => {})).toBe('written');
  expect(textOf(made)).toBe(numbered(20).replace('line 12\n', ''));
  expect(statSync(join(made.repo.top, 'shared')).mode & 0o777).toBe(0o644);
});
