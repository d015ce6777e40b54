/** Many processes at one log: how fast together, how fair, and how far behind the start of node. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { atOnce, ended, type Figure, jain, median, ratio } from './measure.ts';
import { program, sandbox } from './sandbox.ts';

const loop = resolve('fixtures/loop.mjs');

/**
 * Operations of each of so many agents in each of these places, all at once, in so many
 * milliseconds.
 */
export async function loops(
  places: readonly { readonly top: string; readonly env: NodeJS.ProcessEnv }[],
  each: number,
  ms: number,
): Promise<readonly number[]> {
  const children = places.flatMap(({ top, env }, p) =>
    Array.from({ length: each }, (_, i) =>
      spawn(process.execPath, [loop, `agent-${p}-${i}`, String(ms)], {
        cwd: top,
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    ),
  );
  const outputs = children.map((child) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    return () => text;
  });
  await Promise.all(
    children.map((child) => new Promise((ready) => child.stdout.once('data', ready))),
  );
  for (const child of children) child.stdin.write('go\n');
  await Promise.all(children.map(ended));
  return outputs.map((text) => Number(text().trim().split('\n').at(-1)));
}

export async function queueFigures(): Promise<readonly Figure[]> {
  const singles: number[] = [];
  const together: number[] = [];
  const fairness: number[] = [];
  const least: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const [one, many] = [sandbox(), sandbox()];
    const [alone = 0] = await loops([one], 1, 5_000);
    const shares = await loops([many], 32, 10_000);
    singles.push(alone / 5);
    together.push(shares.reduce((a, b) => a + b, 0) / 10);
    fairness.push(jain(shares));
    least.push(Math.min(...shares));
    one.remove();
    many.remove();
  }
  return [
    {
      what: '32 processes at once: throughput, of one process alone',
      measured: `${ratio(median(together) / median(singles))} (${median(together).toFixed(0)} and ${median(singles).toFixed(0)} a second)`,
      target: '>= 0.7 x',
    },
    {
      what: '32 processes at once: Jain fairness; least operations of one',
      measured: `${median(fairness).toFixed(3)}; ${Math.min(...least)}`,
      target: '>= 0.9; > 0',
    },
  ];
}

export async function crowdFigures(): Promise<readonly Figure[]> {
  const ratios: number[] = [];
  let refused = 0;
  for (let round = 0; round < 5; round += 1) {
    const box = sandbox();
    const floor = await atOnce(60, () => ['-e', '0'], box.top, box.env);
    const crowd = await atOnce(
      60,
      (i) => [program, 'reserve', `lib/file-${i}.ts`, '--agent', `agent-${i}`],
      box.top,
      box.env,
    );
    ratios.push(crowd.ms / floor.ms);
    refused += crowd.codes.filter((code) => code !== 0).length;
    box.remove();
  }
  return [
    {
      what: '60 processes at once, each another path: wall, of 60 x node -e 0; not granted',
      measured: `${ratio(median(ratios))}, worst ${ratio(Math.max(...ratios))}; ${refused}`,
      target: '<= 2.2 x; 0',
    },
  ];
}
