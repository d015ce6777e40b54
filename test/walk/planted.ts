/**
 * Planted bugs: a copy of the built program and its hooks in which one rule is broken, so that it
 * shows whether a walk finds that. The copy runs its plain output, file by file, and never the
 * bundle.
 */
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { coordProgram } from '../support/repository.ts';

export type Edit =
  /** The function does this, and nothing else. */
  | { readonly file: string; readonly inFunction: string; readonly does: string }
  | { readonly file: string; readonly from: string; readonly to: string };

export interface Planted {
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** Of the kind, who, the command and what is wrong, as the walk says it. */
  readonly finds: RegExp;
}

export const planted: readonly Planted[] = [
  {
    rule: 'a stage that is older than HEAD is brought forward',
    edits: [
      { file: 'dist/draft/stage.js', inFunction: 'bringForward', does: "return { kind: 'same' };" },
    ],
    finds: /^unnecessary: .* would undo |^commit undoes: \w+ commit (-m|--)/,
  },
  {
    rule: 'no commit lands on a path that somebody else holds',
    edits: [{ file: 'dist/guard/evaluate.js', inFunction: 'heldPaths', does: 'return [];' }],
    finds: /^commit on held: /,
  },
  {
    rule: 'the unsaved work of others is kept before a command wipes it',
    edits: [{ file: 'dist/draft/saved-work.js', inFunction: 'unsavedWork', does: 'return [];' }],
    finds: /^lost line: \w+ (reset|checkout|restore|stash|clean|switch|rm|rebase|merge|am|diff)/,
  },
  {
    rule: 'published work moves freely',
    edits: [
      {
        file: 'dist/git/commits.js',
        from: "'--not', '--branches', '--remotes'",
        to: "'--not', '--branches'",
      },
      { file: 'dist/git/head.js', inFunction: 'broughtIn', does: 'return [];' },
      { file: 'dist/git/reflog.js', inFunction: 'wasHere', does: 'return [];' },
    ],
    finds: /^unnecessary: \w+ (pull|merge|switch|reset|branch|worktree|rebase)\b.*, held by /,
  },
  {
    rule: 'the index of the repository follows what agents commit',
    edits: [
      { file: 'dist/guard/after-commit.js', inFunction: 'afterMove', does: 'return;' },
      { file: 'hooks/git-judge', from: 'if [ -f "$foreseen/index" ]; then', to: 'if false; then' },
    ],
    finds: /^(status|commit has more|commit undoes|unnecessary): person /,
  },
  {
    rule: 'no update leaves a commit of somebody else on no branch',
    edits: [{ file: 'dist/guard/evaluate.js', inFunction: 'judgeLost', does: 'return [];' }],
    finds: /^(left behind|lost commit): /,
  },
];

const root = join(dirname(realpathSync(coordProgram)), '..');

/** Behind the parameters of the function that a file declares under this name. */
function bodyOf(text: string, name: string): number {
  const start = new RegExp(`^(export )?(async )?function\\*? ${name}\\(`, 'm').exec(text);
  if (start === null) {
    throw new Error(
      `there is no function ${name} any more: the planted bug has to be put elsewhere`,
    );
  }
  let depth = 1;
  let at = start.index + start[0].length;
  for (; depth > 0; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return text.indexOf('{', at) + 1;
}

function edited(text: string, edit: Edit): string {
  if ('inFunction' in edit) {
    const at = bodyOf(text, edit.inFunction);
    return `${text.slice(0, at)} ${edit.does} ${text.slice(at)}`;
  }
  if (!text.includes(edit.from)) {
    throw new Error(
      `${edit.file} has no ${edit.from} any more: the planted bug has to be put elsewhere`,
    );
  }
  return text.replaceAll(edit.from, edit.to);
}

/** The program with these edits, and how to be rid of it. */
export function plant(edits: readonly Edit[]): { readonly program: string; end(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'coord-planted-'));
  for (const name of ['dist', 'hooks', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'dist/coord.cjs');
  const start =
    '#!/usr/bin/env node\n' +
    "import('./cli/main.js').then(({ main }) => main(process.argv.slice(2), process.env));\n";
  writeFileSync(program, start);
  for (const edit of edits) {
    writeFileSync(
      join(folder, edit.file),
      edited(readFileSync(join(folder, edit.file), 'utf8'), edit),
    );
  }
  return { program, end: () => rmSync(folder, { recursive: true, force: true }) };
}
