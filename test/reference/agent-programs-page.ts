/** docs/reference/agent-programs.md: what the real programs have shown, with versions and date. */
import { readFileSync } from 'node:fs';
import { harnessNamed } from '../../src/adapter/harnesses.ts';
import type { Shown } from '../agents/shown.ts';
import { page, table } from './markdown.ts';

/** Reasons are told below the table, by number. */
class Reasons {
  readonly list: string[] = [];

  cell(said: string | undefined): string {
    if (said === undefined || said === 'yes') return said ?? '';
    if (!this.list.includes(said)) this.list.push(said);
    return `no (${this.list.indexOf(said) + 1})`;
  }
}

export function agentProgramsPage(): string {
  const text = readFileSync('fixtures/agent-programs.json', 'utf8');
  const { on, programs, scenarios } = JSON.parse(text) as Shown;
  const reasons = new Reasons();
  const rows = Object.entries(scenarios).map(([title, by]) => [
    title,
    ...programs.map(({ name }) => reasons.cell(by[name])),
  ]);
  const own = ['tests of its own that pass', ...programs.map((one) => String(one.own))];
  return page('Agent programs', [
    `Each of these was run as its users run it, with a scripted model, on ${on} (\`npm run test:agents\` does so and writes this down). [Coding agents](../agents.md) says what coord does for them.`,
    table(
      ['an agent', ...programs.map((one) => `${harnessNamed(one.name).title} ${one.version}`)],
      [...rows, own],
    ),
    reasons.list.map((reason, i) => `${i + 1}. ${reason}`),
    'Cursor is not on npm: it is tested with recorded payloads.',
  ]);
}
