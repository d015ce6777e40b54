/**
 * Says what a run of the tests leaves out: at its start and at its end the files that lack
 * something on this machine, each missing thing once, and at its end the tiers that were not asked
 * for. On CI nothing may be left out: there it is a failure. Where COORD_TEST_TALLY names a file,
 * the runs that share it are counted together.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { keepFigures } from './figures/kept.ts';
import { filesIn, needs, type Tier, tierFacts, tierOf, tiers, type Unrun } from './tiers.ts';

const root = join(import.meta.dirname, '..');

export class TierReport implements Reporter {
  readonly #unrun: readonly Unrun[];
  #asked: readonly Tier[] = [];
  /** One file or a few by name: then nobody asks after the rest. */
  #isPart = false;
  #began = 0;

  constructor(unrun: readonly Unrun[]) {
    this.#unrun = unrun;
  }

  onInit(vitest: Vitest): void {
    const names = vitest.projects.map(({ name }) => name);
    this.#asked = tiers.filter((tier) => names.includes(tier));
  }

  onTestRunStart(specifications: readonly { readonly moduleId: string }[]): void {
    this.#began = Date.now();
    const run = new Set(specifications.map(({ moduleId }) => moduleId));
    const whole = this.#asked.flatMap((tier) => filesIn(root, tier)).length - this.#left().length;
    this.#isPart = run.size < whole;
    say(missingLines(this.#left()));
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const left = this.#left();
    const others = this.#isPart ? [] : tiers.filter((tier) => !this.#asked.includes(tier));
    say([...missingLines(left), ...left.map(fileLine), ...others.map(tierLine)]);
    const tally = process.env['COORD_TEST_TALLY'];
    if (tally !== undefined) say([inAll(tally, modules)]);
    if (!this.#isPart) this.#keep(modules);
    if (process.env['CI'] === 'true' && left.some(isDemanded)) process.exitCode = 1;
  }

  #keep(modules: readonly TestModule[]): void {
    const source = this.#asked.includes('system') ? 'tests-all' : 'tests';
    const seconds = Math.round((Date.now() - this.#began) / 1_000);
    const count = (state: 'passed' | 'failed'): number =>
      modules.flatMap(({ children }) => [...children.allTests(state)]).length;
    keepFigures(source, [
      {
        what: `seconds for the tiers ${this.#asked.join(', ')}`,
        measured: `${seconds} s`,
        target: source === 'tests' ? '< 180 s' : '< 900 s',
      },
      {
        what: 'tests that passed; that failed',
        measured: `${count('passed')}; ${count('failed')}`,
        target: 'all; 0',
      },
    ]);
  }

  /** Files of the tiers that were asked for. */
  #left(): readonly Unrun[] {
    return this.#isPart
      ? []
      : this.#unrun.filter(({ file }) => this.#asked.some((tier) => tier === tierOf(file)));
  }
}

/** This run and those before it that share the file, in the words of vitest. */
function inAll(file: string, modules: readonly TestModule[]): string {
  const before = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : [];
  const counts = (['failed', 'skipped', 'passed'] as const).map((state, i) => {
    const now = modules.flatMap(({ children }) => [...children.allTests(state)]).length;
    return { state, count: (before[i] ?? 0) + now };
  });
  writeFileSync(file, counts.map(({ count }) => count).join(' '));
  const some = counts.filter(({ state, count }) => count > 0 || state === 'passed');
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return `Tests  ${some.map(({ state, count }) => `${count} ${state}`).join(' | ')} (${total}) in all runs`;
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
