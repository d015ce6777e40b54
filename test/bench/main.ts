/** `npm run bench [-- --full] [-- <part>]`: prints every figure beside its target. Never a test. */

import { keepFigures } from '../figures/kept.ts';
import { auditFigures } from './audit.ts';
import { beforeFigures } from './before.ts';
import { besideFigures } from './beside.ts';
import { commitFigures } from './commits.ts';
import { crowdFigures, queueFigures } from './contention.ts';
import { harnessFigures } from './harness.ts';
import { idleFigures } from './idle.ts';
import { joiningFigures } from './joining.ts';
import { decideFigures, growthFigures, throughputFigures } from './library.ts';
import type { Figure } from './measure.ts';
import { machineFigures, remoteFigures } from './remote.ts';
import { startFigures } from './starts.ts';
import { workFigures } from './work.ts';
import { workTreeFigures } from './work-trees.ts';

const args = process.argv.slice(2);
const parts: Readonly<Record<string, () => readonly Figure[] | Promise<readonly Figure[]>>> = {
  starts: startFigures,
  before: beforeFigures,
  decide: decideFigures,
  throughput: throughputFigures,
  crowd: crowdFigures,
  queue: queueFigures,
  commits: commitFigures,
  idle: idleFigures,
  beside: besideFigures,
  harness: harnessFigures,
  work: () => workFigures(args.includes('--full') ? 100 : 5),
  remote: remoteFigures,
  machines: machineFigures,
  joining: joiningFigures,
  'work-trees': workTreeFigures,
  audit: auditFigures,
  growth: () => growthFigures(args.includes('--full') ? 100_000 : 5_000),
};

// With these every start of node takes longer, and ours would look cheaper beside it.
delete process.env['NODE_EXTRA_CA_CERTS'];
delete process.env['NODE_OPTIONS'];

const chosen = args.filter((arg) => arg in parts);
for (const [name, figures] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stdout.write(`${name}\n`);
  const measuredNow = await figures();
  keepFigures(name, measuredNow);
  for (const { what, measured, target } of measuredNow)
    process.stdout.write(`  ${what.padEnd(80)}  ${measured.padEnd(30)}  ${target}\n`);
}
