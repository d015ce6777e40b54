/**
 * What coord said in the log of a test and in its own trace. In a test that passes it is a refusal
 * or a failure that the test did not look at.
 */

export interface Finding {
  /** 0 before the first. */
  readonly subtest: number;
  readonly words: string;
}

const fromCoord = /(?:^|\s)coord: |could not be checked|^\s+at .*\b(?:coord|hot)\.cjs|^\s*next: /;

/** Names, numbers and hashes left out, so that one cause is one text. */
export function kindOf(words: string): string {
  if (/^at .*\.cjs/.test(words)) return 'a stack trace';
  return words
    .replace(/^\+/, '')
    .replace(/^(submodule '[^']*': )+/, 'submodule: ')
    .replaceAll(/'\S*trash directory[^']*'/g, '<path>')
    .replaceAll(/\b[0-9a-f]{7,64}\b( ".*")?/g, '<commit>')
    .replaceAll(/\/\S*trash directory\.[\w-]+/g, '<trash>')
    .replaceAll(/\b[a-z0-9._-]+ \([a-z0-9]{8}\)/g, '<agent>')
    .replaceAll(/\b\d+\b/g, '<n>')
    .trim();
}

/** Each kind of words once in a subtest. */
export function findWords(
  log: ReadonlyMap<number, readonly string[]>,
  trace: string,
): readonly Finding[] {
  const logged = [...log].flatMap(([subtest, lines]) => {
    const said = lines.filter((line, at) => fromCoord.test(line) || isReason(line, lines[at - 1]));
    return said.map((line): Finding => ({ subtest, words: line.trim() }));
  });
  const seen = new Set<string>();
  return [...logged, ...failedCommands(trace)].filter(({ subtest, words }) => {
    const key = `${subtest} ${kindOf(words)}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The first line below a refusal says what it is about. */
function isReason(line: string, before = ''): boolean {
  return /(?:^|\s)coord: /.test(before) && /^(?:remote: )? {2}\S/.test(line);
}

/** The trace tells also what a test has sent to a file. */
function failedCommands(trace: string): readonly Finding[] {
  let subtest = 0;
  return trace.split('\n').flatMap((line): readonly Finding[] => {
    const [, number] = /^subtest (\d+)$/.exec(line) ?? [];
    if (number !== undefined) subtest = Number(number);
    if (!line.includes('"what":"command"')) return [];
    const { verb, result, exit } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const words = `coord ${String(verb)} ended with ${String(exit)}: ${String(result)}`;
    return exit === 0 ? [] : [{ subtest, words }];
  });
}
