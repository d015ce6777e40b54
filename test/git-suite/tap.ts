/** What a run of one of git's test scripts says: the outcome of each subtest, and the lines in its log. */

export type Outcome = 'passed' | 'failed' | 'skipped' | 'known breakage' | 'absent';

export interface Subtest {
  readonly number: number;
  readonly title: string;
  readonly outcome: Outcome;
}

const line = /^(not )?ok (\d+) (?:- (.*?)|# skip (.*?))( # TODO known breakage( vanished)?)?$/;

export function parseTap(text: string): readonly Subtest[] {
  return text.split('\n').flatMap((said): readonly Subtest[] => {
    const [whole, not, number, title, skipped, known] = line.exec(said) ?? [];
    if (whole === undefined) return [];
    const outcome: Outcome = skipped !== undefined ? 'skipped' : known !== undefined ? 'known breakage' : not === undefined ? 'passed' : 'failed';
    return [{ number: Number(number), title: title ?? skipped ?? '', outcome }];
  });
}

/** The parts of a verbose log that belong to each subtest; 0 is what comes before the first. */
export function sections(log: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  let lines: string[] = [];
  found.set(0, lines);
  for (const said of log.split('\n')) {
    const [, number] = /^(?:expecting success of|checking known breakage of) \d+\.(\d+) /.exec(said) ?? [];
    if (number !== undefined) {
      lines = [];
      found.set(Number(number), lines);
    }
    lines.push(said);
  }
  return found;
}
