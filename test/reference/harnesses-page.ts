/** docs/reference/harnesses.md: every harness that coord plugs into, from its record. */
import type { Harness } from '../../src/adapter/harness.ts';
import { harnesses } from '../../src/adapter/harnesses.ts';
import { code, page, table } from './markdown.ts';

/** Where one place stands for all that it may be. */
function fileOf(harness: Harness, isUser: boolean): string {
  const file = (top: string, mainTop: string): string =>
    harness.file({ top, mainTop, home: '~', env: {}, isUser });
  return file('', '') === file('', 'main')
    ? code(file('', ''))
    : `${code(file('', ''))}, of the main checkout also from a linked work tree`;
}

function found({ signs, homeSigns }: Harness): string {
  return [...signs, ...homeSigns.map((sign) => `~/${sign}`)].map(code).join(', ');
}

export function harnessesPage(): string {
  return page('Harnesses', [
    '`coord install` adds hooks to those that it finds in use, or that `--harness` names. [Coding agents](../agents.md) says what that means for an agent.',
    table(
      [
        'harness',
        '`--harness`',
        'found by',
        'hooks are written to',
        'with `--user`',
        'instructions are added to',
      ],
      harnesses.map((harness) => [
        harness.title,
        code(harness.name),
        found(harness),
        fileOf(harness, false),
        fileOf(harness, true),
        code(harness.instructions),
      ]),
    ),
  ]);
}
