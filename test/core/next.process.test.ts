/**
 * Every next command there is: one that coord, or git, understands, with the flags that say who
 * acts.
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { limits } from '../../src/core/limits.ts';
import {
  type Asked,
  afterAsked,
  afterBehind,
  afterCheck,
  afterGate,
  afterRefusal,
} from '../../src/core/next.ts';
import { path, refusals } from '../support/refusals.ts';
import { reserve } from '../support/rendered.ts';
import { worldOf } from '../support/world.ts';

const said: readonly Asked[] = [
  { again: [], self: [] },
  {
    again: ['reserve', '--wait', '2m', '--agent', 'ann', 'x'],
    self: ['--agent', 'ann', '--config', 'coord.grace=1s'],
    hasTracker: true,
  },
  {
    again: ['run', '--lock', 'test', '--wait', '2m', '--', 'npm', 'test'],
    self: ['--directory', '../x y'],
  },
];

const lines: readonly string[] = [
  ...said.flatMap((asked) => refusals.map((refusal) => afterRefusal(refusal, asked))),
  ...said.flatMap((asked) => [
    afterRefusal({ kind: 'live_leases', leases: [] }, { ...asked, again: ['remote', 'off'] }),
    afterAsked(path, asked),
  ]),
  ...said.flatMap((asked) =>
    [['npm', 'test'], undefined].flatMap((command) =>
      ['bd-1', null].map((bead) =>
        afterGate({ commit: 'a'.repeat(40), bead, meant: bead, command }, asked),
      ),
    ),
  ),
  afterCheck('held', ['a b']),
  afterCheck('free', ['--', '-x']),
  afterCheck('shared', ['a b']),
  afterBehind('origin', 'refs/heads/a b'),
];

/** The commands of a line, as a shell would start them. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const shown = `show() { for word; do printf '%s\\0' "$word"; done; printf '\\n\\0'; }`;
  const functions = ['coord', 'git', 'bd']
    .map((name) => `${name}() { show ${name} "$@"; }`)
    .join('\n');
  const text = execFileSync('bash', ['-c', `${shown}\n${functions}\n${line}`], {
    encoding: 'utf8',
  });
  return text
    .split('\n\0')
    .filter((part) => part !== '')
    .map((part) => part.split('\0').slice(0, -1));
}

describe('next commands [U15]', () => {
  test.for([...new Set(lines)])('%s is understood by the program that it is for', (line) => {
    const commands = commandsIn(line);
    expect(commands.length).toBeGreaterThan(0);
    for (const [program, ...words] of commands) {
      if (program === 'coord') expect(readArguments(words, allVerbs, {})).not.toBeNull();
      else expect(['git', 'bd']).toContain(program);
    }
  });

  test('none frees what may hold an edit, nor waits for a bead', () => {
    expect(lines.filter((line) => /release --all|claim .*--wait/.test(line))).toEqual([]);
  });

  test('who holds as much as one may is told what makes room, and it does', async () => {
    const world = worldOf('ann');
    for (let i = 0; i < limits.leasesPerAgent; i += 1) await reserve(world, [`f${i}`], {});
    const refused = await reserve({ ...world, self: ['--agent', 'ann'] }, ['one-more'], {});
    expect({ ok: refused.ok, next: refused.facts['next'] }).toEqual({
      ok: false,
      next: 'coord release --unchanged --agent ann',
    });
  });
});
