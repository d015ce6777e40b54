/**
 * What coord said in the log of a test and in its own trace, also where the test passed: a refusal or
 * a failure of coord there is one that the test did not look at.
 */

export interface Finding {
  readonly subtest: number;
  readonly words: string;
}

const fromCoord = /(?:^|\s)coord: |could not be checked|^\s+at .*\b(?:coord|hot)\.cjs|next: /;

/** Names, numbers and hashes left out, so that one cause is one text. */
export function kindOf(words: string): string {
  return words
    .replaceAll(/\b[0-9a-f]{7,64}\b/g, '<commit>')
    .replaceAll(/\/\S*trash directory\.[\w-]+/g, '<trash>')
    .replaceAll(/\b\d+\b/g, '<n>')
    .replaceAll(/\b([a-z0-9._-]+) \([a-z0-9]{8}\)/g, '<agent>')
    .trim();
}

/** Of one subtest each kind of words once. */
export function findWords(log: ReadonlyMap<number, readonly string[]>, trace: string): readonly Finding[] {
  const found: Finding[] = [];
  for (const [subtest, lines] of log) {
    for (const line of lines) if (fromCoord.test(line)) found.push({ subtest, words: line.trim() });
  }
  found.push(...failedCommands(trace));
  const seen = new Set<string>();
  return found.filter(({ subtest, words }) => {
    const key = `${subtest} ${kindOf(words)}`;
    return !seen.has(key) && seen.add(key);
  });
}

function failedCommands(trace: string): readonly Finding[] {
  let subtest = 0;
  return trace.split('\n').flatMap((line): readonly Finding[] => {
    const [, number] = /^subtest (\d+)$/.exec(line) ?? [];
    if (number !== undefined) subtest = Number(number);
    if (!line.includes('"what":"command"')) return [];
    const { verb, result, exit } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return exit === 0 ? [] : [{ subtest, words: `coord ${String(verb)} ended with ${String(exit)}: ${String(result)}` }];
  });
}
