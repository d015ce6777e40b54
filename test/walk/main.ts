/** A walk outside the test runner, for long ones, with the settings that walk.test.ts has. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { keepFigures } from '../figures/kept.ts';
import { plant, planted } from './planted.ts';
import { asFigures, asJson, asText, merged, type Tally } from './tally.ts';
import { Walk } from './walk.ts';
import type { Guard } from './world.ts';

const { env } = process;
const bug = planted.find(({ rule }) => rule.includes(env['COORD_WALK_PLANTED'] ?? 'none'));
const copy = bug === undefined ? null : plant(bug.edits);
const seeds = (env['COORD_SEED'] ?? '1').split(',').map(Number);
const shown = new Set<string>();
const tallies: Tally[] = [];
for (const seed of seeds) {
  const walk = new Walk({
    seed,
    steps: Number(env['COORD_WALK_STEPS'] ?? 1_000),
    guard: (env['COORD_WALK_GUARD'] ?? 'coord') as Guard,
    renews: true,
    ...(env['COORD_WALK_STOPS'] === undefined
      ? {}
      : { stops: new RegExp(env['COORD_WALK_STOPS']) }),
    keeps: env['COORD_WALK_KEEPS'] !== undefined,
    ...(env['COORD_WALK_TRACE'] === undefined
      ? {}
      : { hears: (text) => appendFileSync(env['COORD_WALK_TRACE'] ?? '', `${text}\n`) }),
    ...(copy === null ? {} : { program: copy.program }),
  });
  const tally = await walk.run();
  for (const found of tally.found) {
    const key = `${found.kind} ${found.label} ${found.what.replace(/\d+/g, '').slice(0, 60)}`;
    if (shown.has(key)) continue;
    shown.add(key);
    process.stdout.write(`${asText(found)}\n\n`);
  }
  tallies.push(tally);
}
copy?.end();
const all = merged(tallies);
if (bug === undefined && env['COORD_WALK_GUARD'] === undefined)
  keepFigures('walk', asFigures(all, seeds));
const summary = JSON.stringify(asJson(all, seeds), null, 1);
process.stdout.write(`${summary}\n`);
if (env['COORD_WALK_SUMMARY'] !== undefined) writeFileSync(env['COORD_WALK_SUMMARY'], summary);
