/**
 * The only writer: a report becomes one JSON object or lines of text on stdout, words for people on
 * stderr. What came from somebody else is made harmless here, once, for everything.
 */
import { fstatSync, writeSync } from 'node:fs';
import { harmless, toJson } from '../core/harmless.ts';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import type { Report } from '../render/report.ts';
import { type Paint, paintAs, type Screen, tableLines, usualColumns } from '../render/table.ts';
import { cutTo } from '../render/width.ts';
import { hanging } from '../render/wrap.ts';
import type { Verb } from './verb.ts';

interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: string;
  /** Text is cut at 8 KB unless more was asked for. */
  readonly whole: boolean;
  readonly env: NodeJS.ProcessEnv;
}

export class Output {
  readonly #options: OutputOptions;

  /** What stands on the terminal and is to go before anything else comes. */
  #progress = '';

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  show(verb: Verb | null, report: Report): void {
    if (this.#progress !== '') this.progress('');
    if (report.silent === true) return;
    const { json, quiet } = this.#options;
    if (json) {
      write(
        1,
        `${toJson({ schema: schemaOf(verb), ok: report.ok, result: report.result, ...report.facts })}\n`,
      );
      return;
    }
    if (report.patch !== undefined) this.#patch(report.patch);
    if (report.says.length > 0) this.#says(report);
    if (!quiet && report.notes !== undefined) this.#lines(2, report.notes);
  }

  tell(line: string): void {
    if (this.#options.json || this.#options.quiet) return;
    if (this.#progress !== '') this.progress('');
    this.#lines(2, [line]);
  }

  /** An empty one takes the last away. A dumb terminal cannot. */
  progress(line: string): boolean {
    const { json, quiet, env } = this.#options;
    if (json || quiet || !isTerminal(2) || env['TERM'] === 'dumb') return false;
    const shown = cutTo(harmless(line), (columnsOf(2) ?? usualColumns) - 1);
    if (shown !== this.#progress) write(2, `\r${shown}\u001b[K`);
    this.#progress = shown;
    return true;
  }

  heading(line: string): void {
    if (this.#options.json || !isTerminal(1)) return;
    this.#lines(1, [line], [[/.+/, 'dim']]);
  }

  /** False once nobody reads any more. */
  emit(verb: Verb, facts: Readonly<Record<string, unknown>>, text: string): boolean {
    return this.#options.json
      ? write(1, `${toJson({ schema: schemaOf(verb), ...facts })}\n`)
      : this.#lines(1, [text]);
  }

  #says({ says, isHelp, isWhole }: Report): void {
    const screen: Screen = { columns: columnsOf(1), isColored: this.#isColored(1) };
    const lines: string[] = [];
    for (const said of says) {
      const isTable = typeof said !== 'string';
      if (isTable && screen.columns !== null && lines.length > 0) lines.push('');
      lines.push(
        ...(isTable
          ? tableLines(said, screen)
          : isWhole === true
            ? [harmless(said)]
            : this.#shown(1, said, isHelp === true ? helpPaints : paints)),
      );
    }
    write(1, `${cut(lines, this.#options.whole || isWhole === true).join('\n')}\n`);
  }

  #lines(descriptor: 1 | 2, lines: readonly string[], table = paints): boolean {
    return write(
      descriptor,
      lines.map((line) => `${this.#shown(descriptor, line, table).join('\n')}\n`).join(''),
    );
  }

  /** As many lines as the terminal needs for it. */
  #shown(descriptor: 1 | 2, line: string, table: typeof paints): readonly string[] {
    const columns = columnsOf(descriptor);
    const [first = '', ...rest] =
      columns === null ? [harmless(line)] : hanging(harmless(line), columns);
    return [this.#isColored(descriptor) ? paintedBy(table, first) : first, ...rest];
  }

  #patch(patch: Buffer): void {
    if (!this.#isColored(1) && !isTerminal(1)) write(1, patch);
    else if (patch.length > 0)
      write(
        1,
        shownLines(patch)
          .map((line) => `${this.#painted(harmless(line), patchPaints)}\n`)
          .join(''),
      );
  }

  #painted(line: string, table: typeof paints): string {
    return this.#isColored(1) ? paintedBy(table, line) : line;
  }

  #isColored(descriptor: 1 | 2): boolean {
    const { color, env } = this.#options;
    if (color !== 'auto') return color === 'always';
    return isTerminal(descriptor) && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }
}

/** Asks node only about what may be one: the module that knows is slow to load. */
function isTerminal(descriptor: 1 | 2): boolean {
  return fstatSync(descriptor).isCharacterDevice() && builtin.tty.isatty(descriptor);
}

/** Null where it is no terminal; one that does not know its width may say 0. */
export function columnsOf(descriptor: 1 | 2): number | null {
  if (!isTerminal(descriptor)) return null;
  const { columns } = descriptor === 1 ? process.stdout : process.stderr;
  return columns || usualColumns;
}

function schemaOf(verb: Verb | null): string {
  return `coord.${verb?.words[0] ?? 'coord'}/1`;
}

function cut(lines: readonly string[], whole: boolean): readonly string[] {
  if (whole) return lines;
  let size = 0;
  const end = lines.findIndex(
    (line) => (size += Buffer.byteLength(line) + 1) > limits.textBytes - 80,
  );
  return end < 0
    ? lines
    : [
        ...lines.slice(0, end),
        `... and ${lines.length - end} more lines: --limit <n> or --json shows them`,
      ];
}

const paints: readonly (readonly [RegExp, Paint])[] = [
  [/^ *(granted|free|mine|renewed|released|ok|started|adopted|done)\b/, 'good'],
  [/^ *(refused:|held|coord:|fail)/, 'bad'],
  [/^ *(waiting|would|note|warn(ing)?|asked)\b/, 'careful'],
  [/^ *(next:|try:)/, 'hint'],
  [/^ *(\d+|-) {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, 'dim'],
  [/^(\$ .*|\d\. .*)/, 'strong'],
];

const helpPaints: readonly (readonly [RegExp, Paint])[] = [[/^(coord |[A-Z]).*(:|\])$/, 'strong']];

function paintedBy(table: typeof paints, line: string): string {
  const found = table.find(([start]) => start.test(line));
  return found === undefined ? line : line.replace(found[0], (word) => paintAs(word, found[1]));
}

/** As git paints it. */
const patchPaints: readonly (readonly [RegExp, Paint])[] = [
  [/^(diff |index |--- |\+\+\+ |(new|deleted|old) .*mode |similarity |rename |# ).*/, 'strong'],
  [/^@@.*/, 'hint'],
  [/^\+.*/, 'good'],
  [/^-.*/, 'bad'],
];

function shownLines(patch: Buffer): readonly string[] {
  return patch.toString('utf8').replaceAll('\t', '    ').replace(/\n$/, '').split('\n');
}

function write(descriptor: 1 | 2, text: string | Buffer): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : '';
      // A reader that is slow is waited for; one that is gone has seen enough.
      if (code !== 'EAGAIN') return false;
    }
  }
  return true;
}
