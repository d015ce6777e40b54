/** What a run of one of git's test scripts says: the outcome of each subtest, and its log. */

export type Outcome = 'passed' | 'failed' | 'skipped' | 'known breakage' | 'absent';

export interface Subtest {
  readonly number: number;
  readonly title: string;
  readonly outcome: Outcome;
}

const line = /^(not )?ok (\d+) (?:- (.*?)|# skip (.*?))( # TODO known breakage(?: vanished)?)?$/;

export function parseTap(text: string): readonly Subtest[] {
  return text.split('\n').flatMap((said): readonly Subtest[] => {
    const [whole, not, number, title, skipped, known] = line.exec(said) ?? [];
    if (whole === undefined) return [];
    const passed = not === undefined;
    // One that is known to be broken and works is called passed, which differs as well.
    const outcome =
      skipped !== undefined
        ? 'skipped'
        : known !== undefined && !passed
          ? 'known breakage'
          : passed
            ? 'passed'
            : 'failed';
    return [{ number: Number(number), title: title ?? skipped ?? '', outcome }];
  });
}

/** The lines of a verbose log by subtest; 0 is what comes before the first. */
export function sections(log: string): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  let lines: string[] = [];
  found.set(0, lines);
  for (const said of log.split('\n')) {
    const begin = /^(?:expecting success of|checking known breakage of) \d+\.(\d+) /.exec(said);
    if (begin !== null) {
      lines = [];
      found.set(Number(begin[1]), lines);
    }
    lines.push(said);
  }
  return found;
}
