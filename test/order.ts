/**
 * In which order test files run: tier by tier, so that a worker can go on with what it has loaded,
 * and in each the long ones first, so that no core is idle at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Tier, tierOf } from './tiers.ts';

/** The short tier comes last and fills what is left over. */
const turns: readonly Tier[] = ['long', 'system', 'process', 'unit'];

/** Longest first, as measured; the others are in between by their size. */
const longest: readonly string[] = [
  'remote/cut',
  'race/remote',
  'remote/repair',
  'remote/offline-log',
  'remote/network-down',
  'remote/partition',
  'guard/commands',
  'work/gate',
  'draft/saved-work',
  'core/overlap-brute',
  'study/swarm',
];

export class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .map((file) => ({ file, rank: rankOf(file.moduleId) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file);
  }
}

function rankOf(file: string): number {
  const tier = tierOf(file);
  const turn = tier === null ? turns.length : turns.indexOf(tier);
  const place = longest.findIndex((name) => file.includes(`/test/${name}.`));
  return turn * 1_000 + (place === -1 ? longest.length : place);
}
