/** Rows under headings, for a terminal and for a pipe. */
import { describe, expect, test } from 'vitest';
import { type Table, tableLines } from '../../src/render/table.ts';
import { widthOf } from '../../src/render/width.ts';

const table: Table = {
  headings: ['LEASE', 'WHAT', 'FOR'],
  rows: [
    ['93ap6ixo', 'lock deploy', 'release with notes'],
    ['p80907wk', 'src/a/rather/long/path/to/somewhere.ts', ''],
  ],
  paints: ['dim', 'strong'],
  giveWay: [2, 1],
};

describe('a table', () => {
  test('has headings on a terminal, in columns', () => {
    expect(tableLines(table, { columns: 80, isColored: false })).toEqual([
      'LEASE     WHAT                                    FOR',
      '93ap6ixo  lock deploy                             release with notes',
      'p80907wk  src/a/rather/long/path/to/somewhere.ts',
    ]);
  });

  test('in a pipe has no headings, and nothing is cut', () => {
    expect(tableLines(table, { columns: null, isColored: false })).toEqual([
      '93ap6ixo  lock deploy                             release with notes',
      'p80907wk  src/a/rather/long/path/to/somewhere.ts',
    ]);
  });

  test.each([
    24, 30, 40, 60,
  ])('fits %i columns: the widest column is cut in its middle', (columns) => {
    const lines = tableLines(table, { columns, isColored: false });
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  test('where it is narrow a column gives way after the other, the first one altogether', () => {
    expect(tableLines(table, { columns: 62, isColored: false })[1]).toBe(
      '93ap6ixo  lock deploy                             release wit…',
    );
    expect(tableLines(table, { columns: 30, isColored: false })).toEqual([
      'LEASE     WHAT',
      '93ap6ixo  lock deploy',
      'p80907wk  src/a/rath…ewhere.ts',
    ]);
  });

  test('is painted by columns, headings dim, and the paint takes no width', () => {
    const [head, first] = tableLines(table, { columns: 80, isColored: true });
    expect(head).toContain('\u001b[2mLEASE\u001b[0m     ');
    expect(first).toContain('\u001b[2m93ap6ixo\u001b[0m  \u001b[1mlock deploy\u001b[0m   ');
  });

  test('says in a pipe what it is told to', () => {
    expect(
      tableLines({ ...table, inPipe: ['2 leases'] }, { columns: null, isColored: false }),
    ).toEqual(['2 leases']);
  });

  test('counts wide characters as two columns, and what joins the one before as none', () => {
    const rows = [
      ['日本語.txt', 'x'],
      ['cafe\u0301', 'y'],
      ['🎉', 'z'],
    ];
    expect(tableLines({ headings: ['', ''], rows }, { columns: 80, isColored: false })).toEqual([
      '日本語.txt  x',
      'cafe\u0301        y',
      '🎉          z',
    ]);
  });

  test('cuts no character in two, and is not wider than the terminal with wide ones', () => {
    const rows = [['docs/日本語/日本語/日本語.md', '🎉🎉🎉🎉🎉🎉🎉🎉 thanks 🎉🎉🎉']];
    for (let columns = 20; columns < 60; columns += 1)
      for (const line of tableLines(
        { headings: ['', ''], rows, giveWay: [1, 0] },
        { columns, isColored: false },
      )) {
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
        expect(line).toBe(line.toWellFormed());
      }
  });

  test('a column may go on in the next line, and nothing of it is cut', () => {
    const rows = [
      ['ann', 'src/login/**, lock deploy, src/a/rather/long/path'],
      ['bob', 'nothing'],
    ];
    expect(
      tableLines(
        { headings: ['WHO', 'HOLDS'], rows, goesOn: 1 },
        { columns: 20, isColored: false },
      ),
    ).toEqual([
      'WHO  HOLDS',
      'ann  src/login/**,',
      '     lock deploy,',
      '     src/a/rather/lo',
      '     ng/path',
      'bob  nothing',
    ]);
  });

  test('text of others reaches no terminal raw', () => {
    const lines = tableLines(
      { headings: ['A'], rows: [['\u001b[31mred\u202e']] },
      { columns: 80, isColored: true },
    );
    expect(lines[1]).toBe('\\u{1b}[31mred\\u{202e}');
  });
});
