/**
 * Several agents change one file in every order, commit parts, are not heard of, and somebody whom
 * nobody knows edits between them. Against a ledger in which every line has a name of its own:
 * nobody commits a line of anybody else, and no line is lost.
 */
import { expect, test } from 'vitest';
import { change, editsBetween } from '../../../src/core/lines/change.ts';
import { merge } from '../../../src/core/lines/merge.ts';
import { rebased } from '../../../src/core/lines/rebase.ts';
import {
  baseOf,
  committed,
  fileOf,
  type LineRecord,
  nobodyKnown,
  ownersOf,
  versionOf,
} from '../../../src/core/lines/record.ts';
import { collisions } from '../../../src/core/lines/rule.ts';
import { edited, type Intent, settle } from '../../../src/core/lines/settle.ts';
import { type Lines, sameLines } from '../../../src/core/lines/split.ts';
import { type Chance, chanceOf, seeds } from '../pattern-generator.ts';
import { someChange, someEdit, someLines } from './texts.ts';

const agents = ['ann', 'ben', 'cleo'];

function recordOf(lines: Lines): LineRecord {
  return lines.map(committed);
}

/** What holds of every record, whatever happened. */
function checkProjections(record: LineRecord): void {
  const [base, file] = [baseOf(record), fileOf(record)];
  expect(versionOf(record, () => true)).toEqual(file);
  expect(versionOf(record, () => false)).toEqual(base);
}

/** One agent's edit, if the rule allows it. */
function tried(chance: Chance, record: LineRecord, owner: string): LineRecord | null {
  const file = fileOf(record);
  const after =
    chance.below(4) === 0 ? someChange(chance, file) : edited(file, [someEdit(chance, file)]);
  const { record: next, others } = change(record, editsBetween(file, after), () => owner);
  expect(fileOf(next)).toEqual(after);
  checkProjections(next);
  return others.length === 0 && collisions(next, owner).length === 0 ? next : null;
}

test.for(seeds)('what the rule allows can be committed in every order, seed %i', (seed) => {
  const chance = chanceOf(seed);
  let [allowed, shared] = [0, 0];
  for (let round = 0; round < 400; round++) {
    let record = recordOf(someLines(chance, 5 + chance.below(40)));
    for (let step = 0; step < 6; step++) {
      const next = tried(chance, record, chance.pick(agents));
      if (next === null) continue;
      allowed++;
      record = next;
    }
    const owners = ownersOf(record);
    if (owners.length < 2) continue;
    shared++;
    const [base, file] = [baseOf(record), fileOf(record)];
    for (const order of [owners, [...owners].reverse()]) {
      const all = order.reduce<Lines | null>(
        (text, owner) =>
          text &&
          merge(
            base,
            text,
            versionOf(record, (one) => one === owner),
          ),
        base,
      );
      expect(all?.join(''), JSON.stringify(record)).toBe(file.join(''));
    }
  }
  expect(allowed).toBeGreaterThan(1_000);
  expect(shared).toBeGreaterThan(150);
});

test.for(seeds)('a commit of one part leaves the others theirs, seed %i', (seed) => {
  const chance = chanceOf(seed);
  let commits = 0;
  for (let round = 0; round < 250; round++) {
    let record = recordOf(someLines(chance, 5 + chance.below(40)));
    for (let step = 0; step < 8; step++) {
      if (chance.below(3) > 0) {
        record = tried(chance, record, chance.pick(agents)) ?? record;
        continue;
      }
      const owners = ownersOf(record);
      if (owners.length === 0) continue;
      const owner = chance.pick(owners);
      const before = new Map(
        owners.map((one) => [one, versionOf(record, (other) => other === one)]),
      );
      const [base, file] = [baseOf(record), fileOf(record)];
      const mine = versionOf(record, (one) => one === owner);
      record = rebased(record, mine);
      commits++;
      expect(baseOf(record)).toEqual(mine);
      expect(fileOf(record)).toEqual(file);
      expect(ownersOf(record)).not.toContain(nobodyKnown);
      for (const other of owners.filter((one) => one !== owner))
        expect(versionOf(record, (one) => one === other)).toEqual(
          merge(base, mine, before.get(other) ?? []),
        );
    }
  }
  expect(commits).toBeGreaterThan(100);
});

test.for(
  seeds,
)('an editor between the hooks is nobody, and intents are done or open, seed %i', (seed) => {
  const chance = chanceOf(seed);
  let [done, open] = [0, 0];
  for (let round = 0; round < 400; round++) {
    const record = recordOf(
      someLines(chance, 10 + chance.below(40)).map((line, i) => `${i} ${line}`),
    );
    const file = fileOf(record);
    const at = (part: number): number => Math.floor((file.length * part) / 4) + 1;
    const intentOf = (owner: string, part: number): Intent => ({
      owner,
      edits: [{ start: at(part), end: at(part) + 1, lines: [`of ${owner} ${round}\n`] }],
    });
    const intents = [intentOf('ann', 0), intentOf('ben', 2)];
    const landed = intents.filter(() => chance.below(2) === 0);
    let now = file;
    for (const intent of landed) now = edited(now, intent.edits);
    const foreign = `somebody ${round}\n`;
    const place = at(1) + 1;
    if (chance.below(2) === 0) now = [...now.slice(0, place), foreign, ...now.slice(place)];
    const result = settle(record, now, intents);
    expect(fileOf(result.record)).toEqual(now);
    expect(result.done.map(({ owner }) => owner).sort()).toEqual(
      landed.map(({ owner }) => owner).sort(),
    );
    done += result.done.length;
    open += result.open.length;
    for (const { text, addedBy } of result.record)
      if (addedBy !== null)
        expect(addedBy).toBe(
          text === foreign ? nobodyKnown : text.startsWith('of ann') ? 'ann' : 'ben',
        );
    for (const intent of result.open) expect(sameLines(edited(now, intent.edits), now)).toBe(false);
  }
  expect(Math.min(done, open)).toBeGreaterThan(100);
});
