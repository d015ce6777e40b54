/**
 * The table of ordinary calls, which the tests of two versions go by, has every verb and every hook
 * of the product, and none that is not there.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from '../../src/adapter/claude.ts';
import { harnesses } from '../../src/adapter/harnesses.ts';
import { eventNames } from '../../src/adapter/hook-event.ts';
import { pluginHooks } from '../../src/adapter/plugin-hooks.ts';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { findVerb, readArguments } from '../../src/cli/arguments.ts';
import { gitEvents } from '../../src/cli/commands/hook.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { hookEvents, serverEvents } from '../../src/git/hook-files.ts';
import { type OrdinaryCall, ordinaryCalls } from '../support/ordinary-calls.ts';
import { gitHooks, harnessHooks, harnessMoments, serverHooks } from '../support/ordinary-hooks.ts';

const sorted = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].sort();

/** What differs between the product's verbs and the table's calls. */
function unmatched(
  verbs: readonly Verb[],
  calls: readonly Pick<OrdinaryCall, 'args'>[],
): readonly string[] {
  const called = new Set(calls.map(({ args }) => findVerb(args, verbs)));
  return [
    ...verbs
      .filter((verb) => !called.has(verb))
      .map(({ words }) => `no call of ${words.join(' ')}`),
    ...calls
      .filter(({ args }) => readArguments(args, verbs, {}) === null)
      .map(({ args }) => `no verb takes ${args.join(' ')}`),
  ];
}

/** `harness moment` of each command that these texts run. */
function commandsIn(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(/git coord-hook (\w+) ([a-z-]+)/g)].map(
      ([, harness, moment]) => `${harness ?? ''} ${moment ?? ''}`,
    ),
  );
}

test('every verb has an ordinary call, and every call is one of a verb', () => {
  expect(unmatched(allVerbs, ordinaryCalls)).toEqual([]);
});

test('a verb without a call is found, and so are a call without a verb and one with an odd flag', () => {
  const without = ordinaryCalls.filter(({ args }) => args[0] !== 'sweep');
  const more = [{ args: ['conquer'] }, { args: ['sweep', '--odd'] }];
  expect(unmatched(allVerbs, without)).toEqual(['no call of sweep']);
  expect(unmatched(allVerbs, [...ordinaryCalls, ...more])).toEqual([
    'no verb takes conquer',
    'no verb takes sweep --odd',
  ]);
});

test('every hook of git that install writes, or a shim calls, is there, and no other', () => {
  const shims = ['hooks/git-hook', 'hooks/git-judge', 'hooks/bin/git', 'hooks/bin/rm'].map((name) =>
    readFileSync(join(import.meta.dirname, '../..', name), 'utf8'),
  );
  const called = shims.flatMap((text) =>
    [...text.matchAll(/\bcoord\b.* hook git ([a-z-]+)/g)].map(([, event = '']) => event),
  );
  expect(called.length).toBeGreaterThan(4);
  expect(sorted(Object.keys(gitHooks))).toEqual(sorted(gitEvents));
  expect([...hookEvents, ...called].filter((event) => gitHooks[event] === undefined)).toEqual([]);
  expect(sorted(Object.keys(serverHooks))).toEqual(sorted(serverEvents));
});

test('every hook of a harness that install writes is there, and no other', () => {
  const plugin = readFileSync(join(import.meta.dirname, '../../hooks/opencode.js'), 'utf8');
  const written = [
    ...commandsIn(...harnesses.map(({ wanted }) => JSON.stringify(wanted(null)))),
    ...commandsIn(JSON.stringify(pluginHooks(claude))),
    ...[...plugin.matchAll(/'([a-z-]+)'/g)].flatMap(([, word = '']) =>
      eventNames.some((name) => name === word) ? [`opencode ${word}`, `kilo ${word}`] : [],
    ),
  ];
  const table = Object.entries(harnessHooks).flatMap(([harness, moments]) =>
    moments.map((moment) => `${harness} ${moment}`),
  );
  expect(sorted(table)).toEqual(sorted(written));
  expect(sorted(Object.keys(harnessMoments))).toEqual(sorted(eventNames));
  expect(sorted(Object.keys(harnessHooks))).toEqual(sorted(harnesses.map(({ name }) => name)));
});
