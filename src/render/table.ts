/**
 * Rows under headings. On a terminal they fit its width and are painted; whoever reads a pipe gets
 * the whole of each cell, and no headings.
 */
import { harmless } from '../core/harmless.ts';
import { cutEnd, cutMiddle, cutTo, padEnd, widthOf } from './width.ts';
import { wrapped } from './wrap.ts';

export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Of each column. */
  readonly paints?: readonly Paint[];
  /** Columns that are cut where the terminal is narrow, the first one first; the last unless said. */
  readonly giveWay?: readonly number[];
  /** A column that goes on in the next line instead of being cut. */
  readonly goesOn?: number;
  /** What a pipe gets instead. */
  readonly inPipe?: readonly string[];
}

export type Paint = keyof typeof codes;

const codes = { plain: 0, strong: 1, dim: 2, good: 32, bad: 31, careful: 33, hint: 36 } as const;

/** What a report says: a line, or a table. */
export type Said = string | Table;

export interface Screen {
  /** Null where it is no terminal. */
  readonly columns: number | null;
  readonly isColored: boolean;
}

/** Of a terminal that does not say how wide it is. */
export const usualColumns = 80;

/** As whoever reads a pipe gets it. */
export function plainLines(says: readonly Said[]): readonly string[] {
  return says.flatMap((said) =>
    typeof said === 'string' ? said : tableLines(said, { columns: null, isColored: false }),
  );
}

export function paintAs(text: string, paint: Paint): string {
  return paint === 'plain' || text === '' ? text : `\u001b[${codes[paint]}m${text}\u001b[0m`;
}

/** Harmless, and painted where that is wanted. */
export function tableLines(table: Table, screen: Screen): readonly string[] {
  if (screen.columns === null && table.inPipe !== undefined) return table.inPipe.map(harmless);
  const rows = table.rows.map((row) => row.map(harmless));
  const isTitled = screen.columns !== null && table.headings.some((title) => title !== '');
  const all = isTitled ? [table.headings, ...rows] : rows;
  const natural = table.headings.map((_, i) =>
    Math.max(0, ...all.map((row) => widthOf(row[i] ?? ''))),
  );
  const giveWay = table.giveWay ?? [table.headings.length - 1];
  const widths = screen.columns === null ? natural : fitted(natural, screen.columns, giveWay);
  const shown = (row: readonly string[], paintOf: (i: number) => Paint): string =>
    row
      .flatMap((cell, i) => {
        const width = widths[i] ?? 0;
        if (width === 0) return [];
        const text = i === giveWay[0] ? cutEnd(cell, width) : cutMiddle(cell, width);
        const isLast = row.slice(i + 1).every((other) => other === '');
        const painted = screen.isColored ? paintAs(text, paintOf(i)) : text;
        return painted + (isLast ? '' : padEnd('', width - widthOf(text)));
      })
      .join('  ')
      .trimEnd();
  return [
    ...(isTitled ? [shown(table.headings, () => 'dim')] : []),
    ...rows
      .flatMap((row) => goingOn(row, table.goesOn, widths))
      .map((row) => shown(row, (i) => table.paints?.[i] ?? 'plain')),
  ];
}

/** The row, and rows for what does not fit into that column; a word that is longer is broken. */
function goingOn(
  row: readonly string[],
  column: number | undefined,
  widths: readonly number[],
): readonly (readonly string[])[] {
  if (column === undefined) return [row];
  const width = Math.max(2, widths[column] ?? 0);
  const [first = '', ...others] = wrapped(row[column] ?? '', width).flatMap((line) =>
    pieces(line, width),
  );
  return [row.with(column, first), ...others.map((more) => row.map(() => '').with(column, more))];
}

function pieces(line: string, width: number): readonly string[] {
  const first = cutTo(line, width);
  return first === line ? [line] : [first, ...pieces(line.slice(first.length), width)];
}

/** A path that is cut in its middle can still be told. */
const leastWidth = 6;
/** Of words that are cut at their end. */
const leastText = 12;

/** Columns give way in this order, each as far as it can; the first of them may go altogether. */
function fitted(
  natural: readonly number[],
  columns: number,
  giveWay: readonly number[],
): readonly number[] {
  const widths = [...natural];
  const over = (): number => {
    const shown = widths.filter((width) => width > 0);
    return shown.reduce((sum, width) => sum + width, 2 * (shown.length - 1)) - columns;
  };
  const [first, ...others] = giveWay;
  for (const i of giveWay) {
    const width = widths[i] ?? 0;
    const least = Math.min(i === first ? leastText : leastWidth, width);
    widths[i] = Math.max(least, width - Math.max(0, over()));
    if (i === first && over() > 0 && others.length > 0) widths[i] = 0;
  }
  return widths;
}
