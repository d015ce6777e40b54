/**
 * Says what a run of the tests leaves out: at its start and at its end the files that lack something on
 * this machine, each missing thing once, and at its end the tiers that were not asked for. On CI nothing
 * may be left out: there it is a failure.
 */
import type { Reporter, Vitest } from 'vitest/node';
import { needs, tierFacts, tierOf, tiers, type Tier, type Unrun } from './tiers.ts';

export class TierReport implements Reporter {
  readonly #unrun: readonly Unrun[];
  #asked: readonly Tier[] = [];
  /** One file or a few by name: then nobody asks after the rest. */
  #isPart = false;

  constructor(unrun: readonly Unrun[]) {
    this.#unrun = unrun;
  }

  onInit(vitest: Vitest): void {
    const names = vitest.projects.map(({ name }) => name);
    this.#asked = tiers.filter((tier) => names.includes(tier));
  }

  onTestRunStart(specifications: readonly { readonly moduleId: string }[]): void {
    const run = new Set(specifications.map(({ moduleId }) => moduleId));
    this.#isPart = !this.#asked.every((tier) => [...run].some((file) => tierOf(file) === tier));
    say(missingLines(this.#left()));
  }

  onTestRunEnd(): void {
    const left = this.#left();
    const others = this.#isPart ? [] : tiers.filter((tier) => !this.#asked.includes(tier));
    say([...missingLines(left), ...left.map(fileLine), ...others.map(tierLine)]);
    if (process.env['CI'] === 'true' && left.some(isDemanded)) process.exitCode = 1;
  }

  /** Files of the tiers that were asked for. */
  #left(): readonly Unrun[] {
    return this.#isPart ? [] : this.#unrun.filter(({ file }) => this.#asked.some((tier) => tier === tierOf(file)));
  }
}

function say(lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`\n${lines.map((line) => ` ${line}\n`).join('')}`);
}

function isDemanded({ missing }: Unrun): boolean {
  return missing.some((name) => needs[name]?.isRare !== true);
}

/** A line for each missing thing. */
function missingLines(unrun: readonly Unrun[]): readonly string[] {
  const missing = [...new Set(unrun.flatMap((each) => each.missing))];
  return missing.map((name) => {
    const count = unrun.filter((each) => each.missing.includes(name)).length;
    const files = count === 1 ? 'file' : 'files';
    return `missing here: ${name}, for ${count} test ${files} (${needs[name]?.remedy ?? 'unknown'})`;
  });
}

function fileLine({ file, missing }: Unrun): string {
  return `not run: ${file} (needs ${missing.join(', ')})`;
}

function tierLine(tier: Tier): string {
  const { about, command } = tierFacts[tier];
  return `not run: tier ${tier} (${about}): ${command}`;
}
