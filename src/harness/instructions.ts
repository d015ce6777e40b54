/**
 * What stands in the instructions of a project for agents: few lines between two marks, about what
 * this team uses and nothing else.
 */
import { join } from 'node:path';
import { harnesses } from '../adapter/harnesses.ts';
import { limits } from '../core/limits.ts';
import type { Settings } from '../core/settings.ts';
import { regularText } from '../git/regular-file.ts';
import { withBlock, withoutBlock } from './text-block.ts';
import type { Used } from './used.ts';

const begin = '<!-- coord: begin -->';
const end = '<!-- coord: end -->';

const firstEdit: Readonly<Record<Settings['edit'], string>> = {
  auto: 'Your first edit of a file reserves it',
  require: 'Reserve a file before you edit it: `coord reserve <path>`',
  conflict: 'A file that you want to yourself you reserve: `coord reserve <path>`',
};

/** For a session whose project has no instructions of coord's. */
export function howToWork(edit: Settings['edit']): string {
  return `${firstEdit[edit].replaceAll('`', '')}; what others hold you cannot edit or commit. Commit your own files by name, and never stash, reset or clean the whole tree.`;
}

function block({ edit, beads, gate, locks }: Used): string {
  const lines = [
    `${firstEdit[edit]}${edit === 'auto' ? '; what scripts will change, reserve first: `coord reserve <path>`' : ''}.`,
    'A refusal names the holder and the next command. Work on something else meanwhile; never write the file another way.',
    'Commit with `git add <your files>` and `git commit`: of a file that others edit too it takes your lines. Never stash, reset, clean or check out the whole tree.',
    '`coord status` shows who holds what, `coord ask <path> --reason <why>` asks for it.',
    ...(beads
      ? [
          'Take a bead (an issue) with `coord claim --next`, name it in the commit (`Bead: <id>`), end it with `coord done <id>`, or `coord unclaim <id> --failed --reason <why>`.',
        ]
      : []),
    ...(locks ? ['Run what others may run too, such as tests, by `coord run -- <command>`.'] : []),
    `Run the whole test suite before you call something done${gate ? ': `coord verify --own -- <command>` does it on your work alone and keeps the outcome, `coord gate` says what is missing' : ''}.`,
  ];
  return `## Working beside other agents\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

export function withInstructions(text: string | null, used: Used): string {
  return withBlock(text, { begin, end }, block(used));
}

export function withoutInstructions(text: string): string {
  return withoutBlock(text, { begin, end });
}

/** Each file that some harness reads for its instructions. */
const files: readonly string[] = [...new Set(harnesses.map(({ instructions }) => instructions))];

/**
 * The file that this one takes in (`@AGENTS.md`) and that has the block, or gets it: who reads the
 * one reads the other.
 */
export function blockTakenIn(
  name: string,
  textOf: (file: string) => string,
  getsIt: (file: string) => boolean,
): string | null {
  const words = textOf(name).split(/\s+/);
  const has = (file: string): boolean => getsIt(file) || textOf(file).includes(begin);
  return (
    files.find(
      (file) =>
        file !== name &&
        (words.includes(`@${file}`) || words.includes(`@./${file}`)) &&
        has(file) &&
        !textOf(file).split(/\s+/).includes(`@${name}`),
    ) ?? null
  );
}

/** Has whoever reads this file of the project been told already how one works here? */
export function isInstructed(top: string, name: string): boolean {
  const textOf = (file: string): string =>
    regularText(join(top, file), limits.projectFileBytes) ?? '';
  return textOf(name).includes(begin) || blockTakenIn(name, textOf, () => false) !== null;
}
