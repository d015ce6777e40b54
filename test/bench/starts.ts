/** What one command costs, counted in starts of node. */
import { type Command, type Figure, interleaved, median, quantile, ratio } from './measure.ts';
import { fill, program, sandbox } from './sandbox.ts';

const rounds = 40;

function commands(): readonly Command[] {
  return [
    { name: 'node', args: ['-e', '0'] },
    { name: 'check', args: [program, 'check', 'free/path.ts', '--agent', 'me'] },
    {
      name: 'check held',
      args: [program, 'check', 'held/module-1/src/file-1.ts', '--agent', 'me'],
    },
    {
      name: 'granted',
      args: [program, 'reserve', 'free/%n.ts', '--agent', 'me'],
      after: [program, 'release', '--all', '--agent', 'me'],
    },
    { name: 'refused', args: [program, 'reserve', 'held/module-1/src/file-1.ts', '--agent', 'me'] },
  ];
}

/** What is called now and then, and what renews much at once. */
async function coldFigures(): Promise<readonly Figure[]> {
  const box = sandbox();
  await fill(box, 10);
  const held = Array.from({ length: 25 }, (_, i) => `mine/${i}.ts`);
  const me = await box.coord('me');
  for (const path of held) await me.reserve(path);
  const lines: Readonly<Record<string, readonly [target: string, ...args: string[]]>> = {
    whoami: ['<= 1.4 x', 'whoami', '--agent', 'me'],
    'renew of 25 leases': ['<= 2.3 x', 'renew', '--agent', 'me'],
    '--version': ['<= 3.5 x', '--version'],
    '--help': ['<= 3.5 x', '--help'],
    log: ['<= 3.5 x', 'log'],
    stats: ['<= 3.5 x', 'stats'],
  };
  const times = interleaved(
    [
      { name: 'node', args: ['-e', '0'] },
      ...Object.entries(lines).map(([name, [, ...args]]) => ({ name, args: [program, ...args] })),
    ],
    rounds,
    box.top,
    box.env,
  );
  box.remove();
  const floor = median(times.get('node') ?? []);
  return Object.entries(lines).map(([name, [target]]) => ({
    what: name,
    measured: ratio(median(times.get(name) ?? []) / floor),
    target,
  }));
}

export async function startFigures(): Promise<readonly Figure[]> {
  const [few, many] = [sandbox(), sandbox()];
  await fill(few, 10);
  await fill(many, 1_000);
  const small = interleaved(commands(), rounds, few.top, few.env);
  const large = interleaved(commands(), rounds, many.top, many.env);
  const again = interleaved(commands(), rounds, few.top, few.env);
  few.remove();
  many.remove();
  const floor = [...(small.get('node') ?? []), ...(again.get('node') ?? [])];
  const of = (name: string): readonly number[] => [
    ...(small.get(name) ?? []),
    ...(again.get(name) ?? []),
  ];
  const targets: Readonly<Record<string, string>> = {
    check: '<= 1.4 x',
    'check held': '<= 1.4 x',
    granted: '<= 2.1 x',
    refused: '<= 1.5 x',
  };
  return [
    {
      what: 'node -e 0',
      measured: `${median(floor).toFixed(1)} ms, p95 ${quantile(floor, 0.95).toFixed(1)}`,
      target: '',
    },
    ...Object.entries(targets).flatMap(([name, target]): Figure[] => [
      {
        what: `${name}, 10 leases`,
        measured: `${ratio(median(of(name)) / median(floor))}, p95 ${ratio(quantile(of(name), 0.95) / median(floor))}`,
        target,
      },
      {
        what: `${name}, 1,000 leases, of its 10-lease figure`,
        measured: ratio(
          median(large.get(name) ?? []) /
            median(large.get('node') ?? []) /
            (median(of(name)) / median(floor)),
        ),
        target: '<= 1.3 x',
      },
    ]),
    ...(await coldFigures()),
  ];
}
