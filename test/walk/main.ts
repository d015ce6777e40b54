/** A walk outside the test runner, for long ones: `node dist/walk/main.mjs`, with the settings of walk.test.ts. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { asJson, asText, merged } from './tally.ts';
import { Walk } from './walk.ts';
import type { Guard } from './world.ts';

const { env } = process;
const seeds = (env['COORD_SEED'] ?? '1').split(',').map(Number);
const shown = new Set<string>();
const tallies = seeds.map((seed) => {
  const walk = new Walk({
    seed, steps: Number(env['COORD_WALK_STEPS'] ?? 1_000), guard: (env['COORD_WALK_GUARD'] ?? 'coord') as Guard,
    renews: true, stops: env['COORD_WALK_STOPS'] !== undefined, keeps: env['COORD_WALK_KEEPS'] !== undefined,
    ...(env['COORD_WALK_TRACE'] === undefined ? {} : { hears: (text) => appendFileSync(env['COORD_WALK_TRACE'] ?? '', `${text}\n`) }),
    ...(env['COORD_WALK_PROGRAM'] === undefined ? {} : { program: env['COORD_WALK_PROGRAM'] }),
  });
  const tally = walk.run();
  for (const found of tally.found) {
    const key = `${found.kind} ${found.label} ${found.what.replace(/\d+/g, '').slice(0, 60)}`;
    if (shown.has(key)) continue;
    shown.add(key);
    process.stdout.write(`${asText(seed, found)}\n\n`);
  }
  return tally;
});
const summary = JSON.stringify(asJson(merged(tallies), seeds), null, 1);
process.stdout.write(`${summary}\n`);
if (env['COORD_WALK_SUMMARY'] !== undefined) writeFileSync(env['COORD_WALK_SUMMARY'], summary);
