/** Coord's lines in a hook that is there already: put in between two marks, and taken out again. */

import { basename, dirname } from 'node:path';

/**
 * The lines between the marks. Where coord is gone it is looked for on the PATH; being nowhere is
 * the one thing that lets everything pass.
 */
export function section(event: string, shim: Shim, isAlone: boolean): string {
  // In somebody else's script a shell of its own keeps our variables from theirs.
  const apart = `(set +eu; ${sourced(event, shim).join('; ')})`;
  const fed = [
    '  coord_input=$(cat; echo .)',
    '  coord_input=${coord_input%.}',
    `  printf %s "$coord_input" | ${apart} || exit $?`,
    '  if [ -z "$coord_input" ]; then exec </dev/null; else',
    '    exec <<COORD_INPUT',
    '${coord_input%?}',
    'COORD_INPUT',
    '  fi',
  ];
  const inPlace = [...sourced(event, shim).map((line) => `  ${line}`), '  [ $? = 0 ] || exit 1'];
  const run =
    readsInput.includes(event) && !(isAlone && isFrequent(event))
      ? fed
      : isAlone
        ? inPlace
        : [`  ${apart} </dev/null || exit $?`];
  const missing = missingIn(event, shim);
  return [
    begin,
    ...(isAlone ? [remark] : []),
    ...found(shim),
    `if [ -x ${shimIn(shim)} ]; then`,
    ...run,
    ...(missing === null ? [] : ['else', `  ${missing}`]),
    'fi',
    end,
    '',
  ].join('\n');
}

/** Sets where the shims are: where they were when coord was installed, else by the PATH. */
function found(shim: Shim): readonly string[] {
  return [
    `coord_hooks=${quote(dirname(shim.file))}`,
    `[ -x ${shimIn(shim)} ] || coord_hooks=$(git-coord-hook --where 2>/dev/null) || :`,
  ];
}

function shimIn({ file }: Shim): string {
  return `"$coord_hooks/${basename(file)}"`;
}

/** Said by one of the hooks that git runs for a command, the first. */
function missingIn(event: string, { file }: Shim): string | null {
  return comesFirst.includes(event)
    ? `echo ${quote(`coord: '${file}' is gone, and coord is not on the PATH, so nothing is guarded: npm install --global git-coord, or coord uninstall`)} >&2`
    : null;
}

const comesFirst: readonly string[] = [
  'pre-commit',
  'pre-merge-commit',
  'pre-rebase',
  'pre-push',
  'pre-receive',
  'update',
];

const remark =
  '# Another tool may write this hook anew: coord install puts these lines into it again.';

const begin = '# >>> coord >>>';
const end = '# <<< coord <<<';
export const ours = '#!/bin/sh\n# Made by coord install; coord uninstall takes it away.\n';
export const moved = '.before-coord';

/** Behind the first line, before anything that may exit or exec. */
export function putIn(text: string, lines: string): string {
  const first = text.startsWith(ours) ? ours.length : text.indexOf('\n') + 1;
  return `${text.slice(0, first)}${lines}${text.slice(first)}`;
}

/** What is between the marks. */
export function coordLines(text: string): string {
  const from = text.indexOf(`${begin}\n`);
  const to = text.indexOf(`${end}\n`, from);
  return from < 0 || to < 0 ? '' : text.slice(from, to + end.length + 1);
}

export function takeOut(text: string): string {
  return text.replace(coordLines(text), () => '');
}

/**
 * Nothing in it but the call of what was moved aside, or not even that where it was switched off.
 */
export function isWrapper(without: string, file: string): boolean {
  return without === ours || without === `${ours}exec ${quote(`${file}${moved}`)} "$@"\n`;
}

/**
 * The same inside a script that is a shell already: no process is started for it where there is
 * nothing to do.
 */
function sourced(event: string, shim: Shim): readonly string[] {
  return [
    `COORD_GIT_PID=$PPID COORD_NODE=${quote(shim.node)}`,
    'export COORD_GIT_PID COORD_NODE',
    `. ${shimIn(shim)}`,
    `coord_hook ${event} "$@"`,
  ];
}

/** git's own process id tells the two calls for one ref update that they belong together. */
export function commandFor(event: string, shim: Shim): string {
  const run = `COORD_GIT_PID=$PPID COORD_NODE=${quote(shim.node)} exec ${shimIn(shim)} ${event} "$@"`;
  const missing = missingIn(event, shim) ?? ':';
  const lines = [...found(shim), `[ ! -x ${shimIn(shim)} ] || ${run}`, missing];
  return `coord_run() { ${lines.join('; ')}; }; coord_run`;
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** These are told something on standard input, and a script behind ours wants it too. */
const readsInput: readonly string[] = [
  'post-rewrite',
  'reference-transaction',
  'pre-push',
  'pre-receive',
];

/** Runs whenever a ref or an index changes, so that a process more counts; nobody adds lines. */
function isFrequent(event: string): boolean {
  return event === 'reference-transaction' || event === 'post-index-change';
}

export function shellScript(text: string): boolean {
  return /^#!\s*(\/usr)?\/bin\/(env\s+)?(ba|da|k|a)?sh\b.*\n/.test(text);
}

export interface Shim {
  readonly node: string;
  readonly file: string;
}
