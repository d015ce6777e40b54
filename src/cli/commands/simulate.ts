/**
 * How far one log on a remote carries, without a remote: a model of many machines that share it.
 */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { writeFailure } from '../../git/write-failure.ts';
import type { Report } from '../../render/report.ts';
import type { RemoteOptions, RemoteRun } from '../../study/remote-model.ts';
import { remoteDefaults } from '../../study/remote-options.ts';
import { type Call, duration, isOn, text, type Verb, whole } from '../verb.ts';

interface Bounds {
  readonly least: number;
  readonly most: number;
}

function within(
  call: Call,
  name: string,
  value: number | undefined,
  { least, most }: Bounds,
): number | undefined {
  if (value === undefined || (value >= least && value <= most)) return value;
  throw new CoordError(
    'usage',
    `--${name} '${text(call, name) ?? ''}' is not from ${least} to ${most}`,
  );
}

function count(call: Call, name: string, most: number, least = 1): number | undefined {
  return within(call, name, whole(call, name), { least, most });
}

function decimal(call: Call, name: string, bounds: Bounds): number | undefined {
  const said = text(call, name);
  if (said === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(said))
    throw new CoordError(
      'usage',
      `--${name} '${said}' is not a number from ${bounds.least} to ${bounds.most}`,
    );
  return within(call, name, Number(said), bounds);
}

function latency(call: Call): number | undefined {
  const ms = duration(call, 'latency');
  if (ms === undefined || (ms >= 1 && ms <= 60_000)) return ms;
  throw new CoordError('usage', `--latency '${text(call, 'latency') ?? ''}' is not from 1ms to 1m`);
}

/** Only what was said: the model has a default for everything else. */
function optionsOf(call: Call): Partial<RemoteOptions> {
  const said = {
    machines: count(call, 'machines', 10_000),
    agents: count(call, 'agents', 10_000),
    ratePerHour: decimal(call, 'rate', { least: 0.01, most: 100_000 }),
    latencyMs: latency(call),
    failures: decimal(call, 'failures', { least: 0, most: 1 }),
    files: count(call, 'files', 1_000_000),
    hours: decimal(call, 'hours', { least: 0.01, most: 168 }),
    seed: count(call, 'seed', 2 ** 32 - 1, 0),
    waitMs: duration(call, 'wait'),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function factsOf({ options, ...figures }: RemoteRun): Readonly<Record<string, unknown>> {
  const { lease: _lease, ...said } = options;
  return { options: said, ...figures };
}

function save(file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    const known = writeFailure(error, file);
    throw known instanceof CoordError
      ? known
      : new CoordError(
          'not_writable',
          `cannot write '${file}': ${error instanceof Error ? error.message : String(error)}`,
          'name a file in a folder that is there',
        );
  }
}

async function oneRun(call: Call): Promise<Report> {
  const { remoteAssumptions, simulateRemote } = await import('../../study/remote-model.ts');
  const { runLines } = await import('../../study/remote-table.ts');
  const run = simulateRemote(optionsOf(call));
  return {
    ok: true,
    exit: exits.done,
    result: 'simulated',
    facts: { ...factsOf(run), assumptions: remoteAssumptions },
    says: runLines(run),
    notes: [hint],
  };
}

async function sweep(call: Call): Promise<Report> {
  for (const name of [
    'agents',
    'machines',
    ...(call.fromEnvironment.has('wait') ? [] : ['wait']),
  ]) {
    if (text(call, name) !== undefined)
      throw new CoordError(
        'usage',
        `--${name} says nothing to a sweep, which has its own`,
        'leave it out, or leave out --sweep and --svg',
      );
  }
  const { remoteAssumptions } = await import('../../study/remote-model.ts');
  const { sweepLatenciesMs, sweepRemote } = await import('../../study/remote-sweep.ts');
  const { sweepLines } = await import('../../study/remote-table.ts');
  const { latencyMs, ...options } = optionsOf(call);
  const swept = sweepRemote(
    { ...options, waitMs: 0 },
    latencyMs === undefined ? sweepLatenciesMs : [latencyMs],
  );
  const svg = text(call, 'svg');
  const file = svg === undefined ? undefined : resolve(call.cwd, svg);
  if (file !== undefined) save(file, (await import('../../study/remote-plot.ts')).sweepPlot(swept));
  return {
    ok: true,
    exit: exits.done,
    result: 'simulated',
    facts: {
      rows: swept.runs.map(factsOf),
      limits: swept.limits,
      ...(file === undefined ? {} : { svg: file }),
      assumptions: remoteAssumptions,
    },
    says: sweepLines(swept),
    notes: [...(file === undefined ? [] : [`drawn: ${file}`]), hint],
  };
}

const hint = 'what is taken for granted: --json lists it under assumptions';

export const simulate: Verb = {
  words: ['simulate'],
  group: 'programs',
  about: 'model how many machines one remote log can serve',
  more: 'It is a model of many machines that share it.',
  flags: [
    { name: 'remote', about: 'many machines, one log on a server (the only model there is)' },
    {
      name: 'machines',
      value: 'n',
      about: 'clones: 5 unless asked',
      usual: String(remoteDefaults.machines),
    },
    {
      name: 'agents',
      value: 'n',
      about: 'agents on all of them: 20 unless asked',
      usual: String(remoteDefaults.agents),
    },
    {
      name: 'rate',
      value: 'n',
      about: 'requests an agent-hour: 12 unless asked',
      usual: String(remoteDefaults.ratePerHour),
    },
    {
      name: 'latency',
      value: 'time',
      about: 'a round trip to the server: 300ms unless asked',
      usual: `${remoteDefaults.latencyMs}ms`,
    },
    {
      name: 'failures',
      value: 'p',
      about: 'how likely a push is cut, or an agent dies holding: 0.01 unless asked',
      usual: String(remoteDefaults.failures),
    },
    {
      name: 'files',
      value: 'n',
      about: 'files that are wanted, some much more than others: 200 unless asked',
      usual: String(remoteDefaults.files),
    },
    {
      name: 'hours',
      value: 'n',
      about: 'of simulated time: 8 unless asked',
      usual: String(remoteDefaults.hours),
    },
    {
      name: 'seed',
      value: 'n',
      about: 'the same seed gives the same run: 1 unless asked',
      usual: String(remoteDefaults.seed),
    },
    {
      name: 'sweep',
      about: 'from 5 to 500 agents, 4 on a machine, near and far: where one log stops being enough',
    },
    { name: 'svg', value: 'file', about: 'draw the sweep there' },
  ],
  examples: [
    [
      'coord simulate --remote --agents 50 --machines 12',
      'waits, pushes and fairness of 50 agents',
    ],
    [
      'coord simulate --remote --sweep',
      'a table of many sizes, and where one log stops being enough',
    ],
    ['coord simulate --remote --svg sweep.svg', 'the same as a picture'],
  ],
  run: (call) => {
    if (!isOn(call, 'remote'))
      throw new CoordError('usage', 'say what to simulate: --remote', 'coord simulate --remote');
    return isOn(call, 'sweep') || text(call, 'svg') !== undefined ? sweep(call) : oneRun(call);
  },
};
