/**
 * `npm run effect [-- --agents 5 --tasks 25 --step 400ms --hold --policy off,files,lines
 * --repository PATH --seed 1 --trace FILE]`: what coord brings, and costs, to agents at work on real commits.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { keepFigures } from '../figures/kept.ts';
import { type EffectOptions, readOptions } from './options.ts';
import { type Source, sourceOf } from './place.ts';
import { figuresOf, harm, table } from './report.ts';
import { type Effect, effectOf } from './run.ts';

/** Under this name the figures are kept, so that each setting has its own. */
function nameOf({ agents, hold }: EffectOptions): string {
  return `effect-${agents}${hold ? '-hold' : ''}`;
}

function sources(options: EffectOptions, folder: string): readonly Source[] {
  const { repository, tasks, seed } = options;
  if (repository !== null)
    return [sourceOf(basename(resolve(repository)), resolve(repository), tasks)];
  execFileSync(process.execPath, ['fixtures/histories.mjs', folder, String(seed)]);
  return ['shop', 'pages'].map((name) => sourceOf(name, join(folder, name), tasks));
}

async function measure(options: EffectOptions, folder: string): Promise<void> {
  const effects: Effect[] = [];
  for (const source of sources(options, folder)) {
    const here: Effect[] = [];
    for (const policy of options.policies) here.push(await effectOf(source, policy, options));
    process.stdout.write(`${source.name}\n${[...table(here), ...here.flatMap(harm)].join('\n')}\n`);
    effects.push(...here);
  }
  keepFigures(
    nameOf(options),
    effects.flatMap((effect) => figuresOf(effect, options)),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'coord-effect-'));
try {
  await measure(readOptions(process.argv.slice(2)), folder);
} catch (error) {
  process.stderr.write(`effect: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
