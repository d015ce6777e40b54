/** How lines are told: granted, refused, looked at, and where more is held than was asked for. */
import { describe, expect, test } from 'vitest';
import { sentence } from '../../src/core/event-words.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { decisionContext } from '../../src/loop/operate.ts';
import type { Report } from '../../src/render/report.ts';
import { plainLines } from '../../src/render/table.ts';
import { statusLine, statusReport, whoReport } from '../../src/show/status.ts';
import { check, release, reserve } from '../support/rendered.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

const file = ['src/app.ts'];

interface Scene {
  readonly ann: TestWorld;
  readonly bob: TestWorld;
  /** In another work tree. */
  readonly far: TestWorld;
}

function scene(): Scene {
  const log = new MemoryLog();
  const clock = new HandClock();
  const world = (name: string, seed: number, tree: string): TestWorld => ({
    ...worldOf(name, new MemoryLogStore(log), clock, seed),
    workTree: () => tree,
  });
  return {
    ann: world('ann', 1, 'treehere'),
    bob: world('bob', 2, 'treehere'),
    far: world('far', 3, 'treethere'),
  };
}

async function shared(): Promise<Scene> {
  const made = scene();
  await reserve(made.ann, file, { mode: 'lines' });
  return made;
}

const said = ({ says, notes = [] }: Report): string =>
  [...plainLines(says), ...notes].join('\n').replaceAll(/[0-9a-z]{8}(?=[),\n]|$)/g, '<id>');

describe('lines that are granted', () => {
  test('are told as lines, with their work tree for programs', async () => {
    const { ann } = scene();
    const report = await reserve(ann, file, { mode: 'lines' });
    expect(said(report)).toBe(
      'granted lines of src/app.ts: ann (<id>) for 15m, lease <id>, token 1',
    );
    expect(report.facts['leases']).toMatchObject([{ mode: 'lines', workTree: 'treehere' }]);
    expect(report.facts).not.toHaveProperty('alone');
  });

  test('are shown as that to whoever looks who is here', async () => {
    const { ann } = await shared();
    const at = await ann.store.observe();
    const c = decisionContext(ann, at);
    for (const report of [
      statusReport(at, c, undefined),
      statusLine(at, c),
      whoReport(at, c, [], 9),
    ])
      expect(said(report)).toContain('lines of src/app.ts');
    const told = (await ann.store.history(at, 0)).flatMap(({ events }) => events.map(sentence));
    expect(told).toContainEqual(
      expect.stringMatching(/^ann \(\w{8}\) reserved lines of src\/app\.ts/),
    );
  });
});

describe('more than lines is granted', () => {
  test('where the work tree has no id', async () => {
    const { ann } = scene();
    const lost: TestWorld = { ...ann, workTree: () => undefined };
    const report = await reserve(lost, file, { mode: 'lines' });
    expect(report.facts).toMatchObject({ alone: 'place', leases: [{ mode: 'exclusive' }] });
    expect(said(report)).toContain('note: held for you alone: coord could not keep an id');
  });

  test('where it is held already by more than what was named', async () => {
    const { ann } = scene();
    await reserve(ann, ['src/**'], {});
    const report = await reserve(ann, file, { mode: 'lines' });
    expect(report.facts).toMatchObject({ alone: 'before', leases: [{ mode: 'exclusive' }] });
    expect(said(report)).toContain('note: still held for you alone');
  });

  test('and nothing is said where that was asked for', async () => {
    const report = await reserve(scene().ann, file, {});
    expect([report.notes, 'alone' in report.facts]).toEqual([[], false]);
  });
});

describe('who is refused', () => {
  test('all of what lines of are held here is told that it can have lines', async () => {
    const { bob } = await shared();
    const report = await reserve(bob, file, {});
    expect(said(report)).toMatch(
      /^refused: lines of src\/app\.ts are held by ann; with --lines you can have lines of it too\n {2}lines of src\/app\.ts, held by ann/,
    );
    expect(report.next).toBe('coord reserve --lines --wait 2m -- src/app.ts');
    expect(report.facts['refusal']).toMatchObject({ kind: 'held', lines: true });
  });

  test.for(['lines', 'exclusive'] as const)('%s in another work tree waits', async (mode) => {
    const { far } = await shared();
    const report = await reserve(far, file, { mode });
    expect(report.next).toBe(
      `coord reserve --wait 2m${mode === 'lines' ? ' --lines' : ''} -- src/app.ts`,
    );
    expect(report.facts['refusal']).not.toHaveProperty('lines');
    expect(said(report)).not.toContain('you can have');
  });

  test('lines of what another has waits for lines', async () => {
    const { ann, bob } = scene();
    await reserve(ann, file, {});
    expect((await reserve(bob, file, { mode: 'lines' })).next).toBe(
      'coord reserve --wait 2m --lines -- src/app.ts',
    );
  });
});

describe('a look at what lines of are held', () => {
  test('says who shares it, and how to have lines too', async () => {
    const { bob } = await shared();
    const report = await check(bob, file);
    expect(report).toMatchObject({ ok: true, exit: 0, result: 'shared' });
    expect(report.facts).toMatchObject({
      paths: [{ path: 'src/app.ts', result: 'shared' }],
      blockers: [],
      sharers: [{ mode: 'lines', workTree: 'treehere', agent: { name: 'ann' } }],
      next: 'coord reserve --lines src/app.ts',
    });
    expect(said(report)).toMatch(/^shared src\/app\.ts\n {2}lines of src\/app\.ts, held by ann/);
  });

  test('says who shares what is one’s own', async () => {
    const { ann, bob } = await shared();
    expect((await check(ann, file)).facts).not.toHaveProperty('sharers');
    await reserve(bob, ['src/**'], { mode: 'lines' });
    const report = await check(ann, file);
    expect(report).toMatchObject({
      result: 'mine',
      facts: { blockers: [], sharers: [{ agent: { name: 'bob' } }] },
    });
    expect(said(report)).toMatch(/^mine src\/app\.ts\n {2}lines of src\/\*\*, held by bob/);
    await release(ann, { by: 'all' });
    expect(await check(ann, file)).toMatchObject({ result: 'shared' });
  });

  test('from another work tree says that it is held', async () => {
    const { far } = await shared();
    const report = await check(far, file);
    expect(report).toMatchObject({ ok: false, exit: 1, result: 'held' });
    expect(report.facts).not.toHaveProperty('sharers');
  });
});
