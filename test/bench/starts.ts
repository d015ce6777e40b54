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
    check: '<= 1.35 x',
    'check held': '<= 1.35 x',
    granted: '<= 1.5 x',
    refused: '<= 1.4 x',
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
  ];
}
