/** Texts in which the same lines come again and again, and changes of them, from a seed. */
import type { Edit } from '../../../src/core/lines/change.ts';
import { edited } from '../../../src/core/lines/settle.ts';
import type { Lines } from '../../../src/core/lines/split.ts';
import type { Chance } from '../pattern-generator.ts';

const common = ['}\n', '\n', 'a\n', 'b\n', '  x;\n', 'end\n'];

export function someLines(chance: Chance, count: number): string[] {
  return Array.from({ length: count }, () =>
    chance.below(3) === 0 ? `u${chance.below(1_000)}\n` : chance.pick(common),
  );
}

/** A line more, less or other; a block copied, moved or gone; sometimes no newline at the end. */
export function someEdit(chance: Chance, text: Lines): Edit {
  const start = chance.below(text.length + 1);
  const end = Math.min(text.length, start + chance.below(4));
  switch (chance.below(6)) {
    case 0:
      return { start, end: start, lines: someLines(chance, 1 + chance.below(3)) };
    case 1:
      return { start, end, lines: [] };
    case 2: {
      const from = chance.below(text.length + 1);
      return { start, end: start, lines: text.slice(from, from + 1 + chance.below(4)) };
    }
    default:
      return { start, end, lines: someLines(chance, chance.below(4)) };
  }
}

export function someChange(chance: Chance, text: Lines): Lines {
  let now = text;
  for (let left = 1 + chance.below(3); left > 0; left--) now = edited(now, [someEdit(chance, now)]);
  const ended = now.map((line) => (line.endsWith('\n') ? line : `${line}\n`));
  const last = ended.at(-1);
  if (last === undefined || last === '\n' || chance.below(20) > 0) return ended;
  return [...ended.slice(0, -1), last.slice(0, -1)];
}
