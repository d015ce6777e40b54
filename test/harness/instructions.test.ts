/** The block in a project's instructions: short, and about what this team uses. */
import { describe, expect, test } from 'vitest';
import { withInstructions, withoutInstructions } from '../../src/harness/instructions.ts';
import type { Used } from '../../src/harness/used.ts';

const plain: Used = { edit: 'auto', beads: false, gate: false, locks: false };
const all: Used = { edit: 'require', beads: true, gate: true, locks: true };

describe('the block', () => {
  test('has at most 700 characters, and knows nothing of beads, gates and locks where there are none', () => {
    const text = withInstructions(null, plain);
    expect(text.length).toBeLessThanOrEqual(700);
    expect(text).not.toMatch(/bead|claim|gate|verify|coord run|unclaim/i);
    expect(text).toContain('Run the whole test suite before you call something done.');
  });

  test.for<readonly [string, Partial<Used>, RegExp]>([
    ['beads', { beads: true }, /`coord claim --next`.*`Bead: <id>`.*`coord done <id>`/],
    ['a gate', { gate: true }, /`coord verify --own -- <command>`.*`coord gate`/],
    ['locks', { locks: true }, /`coord run -- <command>`/],
    ['edits that have to be reserved', { edit: 'require' }, /Reserve a file before you edit it/],
    ['edits that reserve nothing', { edit: 'conflict' }, /to yourself you reserve/],
  ])('speaks of %s where the team has them', ([, used, says]) => {
    expect(withInstructions(null, plain)).not.toMatch(says);
    expect(withInstructions(null, { ...plain, ...used })).toMatch(says);
    expect(withInstructions(null, { ...plain, ...used }).length).toBeLessThanOrEqual(900);
  });

  test('is brought up to date where it stands, and taken out to the byte', () => {
    const ours = '# Ours\n';
    const once = withInstructions(ours, plain);
    const below = `${once}\n## More of ours\n`;
    const twice = withInstructions(below, all);
    expect(twice.endsWith('\n## More of ours\n')).toBe(true);
    expect(twice).toContain('coord claim');
    expect(withInstructions(twice, plain)).toBe(below);
    expect(withoutInstructions(once)).toBe(ours);
  });
});
