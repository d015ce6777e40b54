/**
 * Keeps what a whole run of these tests has shown of each program, for the page of the reference:
 * docs/reference/agent-programs.md is made of it.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { programs } from './programs.ts';
import type { Shown } from './shown.ts';

const file = join(import.meta.dirname, '../../fixtures/agent-programs.json');

/** `title: not so, reason` */
function notSo(name: string): readonly [title: string, not: string | null] {
  const [title = '', not = null] = name.split(': not so, ');
  return [title, not];
}

export default class MatrixReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const failed = modules.flatMap(({ children }) => [...children.allTests('failed')]);
    if (failed.length > 0) return;
    const shared = modules.find(({ moduleId }) => basename(moduleId).startsWith('scenarios.'));
    const scenarios: Record<string, Record<string, string>> = {};
    for (const test of shared?.children.allTests('passed') ?? []) {
      const program = test.parent.type === 'suite' ? test.parent.name.replaceAll("'", '') : '';
      const [title, not] = notSo(test.name);
      (scenarios[title] ??= {})[program] = not ?? 'yes';
    }
    const own = (name: string): number =>
      modules
        .filter(({ moduleId }) => basename(moduleId).startsWith(name))
        .flatMap(({ children }) => [...children.allTests('passed')]).length;
    const shown: Shown = {
      on: new Date().toISOString().slice(0, 10),
      programs: programs.map(({ name, version }) => ({ name, version, own: own(name) })),
      scenarios,
    };
    writeFileSync(file, `${JSON.stringify(shown, null, 2)}\n`);
  }
}
