/**
 * Claims that race, notes that race, and what it costs to be told that a tree has been verified.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, median, ratio, timed } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

interface Ended {
  readonly code: number | null;
  readonly json: Readonly<Record<string, unknown>>;
}

function coord(box: Sandbox, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, '--json', ...args], {
    cwd: box.top,
    env: box.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  return new Promise((done) =>
    child.on('close', (code) =>
      done({ code, json: JSON.parse(out === '' ? '{}' : out) as Record<string, unknown> }),
    ),
  );
}

const many = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

async function oneBead(rounds: number): Promise<string> {
  const box = sandbox();
  let right = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ended = await many(50, (i) =>
      coord(box, '--agent', `agent-${i}`, 'claim', `bd-${round}`),
    );
    const winners = ended.filter(({ code }) => code === 0);
    const told = ended.filter(
      ({ code, json }) => code === 1 && (json['blockers'] as readonly unknown[]).length === 1,
    );
    if (winners.length === 1 && told.length === 49) right += 1;
    spawnSync(process.execPath, [program, 'sweep'], { cwd: box.top, env: box.env });
    await many(50, async (i) =>
      ended[i]?.code === 0 ? coord(box, '--agent', `agent-${i}`, 'unclaim', `bd-${round}`) : null,
    );
  }
  box.remove();
  return `${right} of ${rounds}`;
}

async function nextOnes(): Promise<string> {
  const box = sandbox();
  mkdirSync(join(box.top, '.beads'));
  writeFileSync(
    join(box.top, '.beads/issues.jsonl'),
    Array.from({ length: 8 }, (_, i) => `{"id":"bd-${i}","status":"open"}\n`).join(''),
  );
  const ended = await many(8, (i) => coord(box, '--agent', `agent-${i}`, 'claim', '--next'));
  box.remove();
  return `${new Set(ended.map(({ json }) => json['bead'])).size} different`;
}

async function notes(): Promise<string> {
  const box = sandbox();
  writeFileSync(join(box.top, 'file'), 'x\n');
  for (const args of [
    ['add', '.'],
    ['commit', '-q', '-m', 'files'],
  ])
    execFileSync('git', args, { cwd: box.top, env: box.env });
  await many(20, (i) =>
    coord(box, '--agent', `agent-${i}`, 'verify', '--lock', `lock-${i}`, '--', 'echo', `${i}`),
  );
  const note = execFileSync('git', ['notes', '--ref=coord', 'show', 'HEAD'], {
    cwd: box.top,
    env: box.env,
    encoding: 'utf8',
  });
  box.remove();
  return `${(note.match(/^Evidence: /gm) ?? []).length} of 20`;
}

function verified(): string {
  const box = sandbox();
  for (let i = 0; i < 200; i += 1) writeFileSync(join(box.top, `f${i}`), `${i}\n`);
  for (const args of [
    ['add', '.'],
    ['commit', '-q', '-m', 'files'],
  ])
    execFileSync('git', args, { cwd: box.top, env: box.env });
  const run = (args: readonly string[]): unknown =>
    spawnSync(process.execPath, args, { cwd: box.top, env: box.env });
  const times: Record<'node' | 'verify', number[]> = { node: [], verify: [] };
  for (let i = 0; i < 25; i += 1) {
    times.node.push(timed(() => run(['-e', '0'])));
    times.verify.push(timed(() => run([program, 'verify', '--agent', 'ann', '--', 'true'])));
  }
  box.remove();
  return ratio(median(times.verify.slice(2)) / median(times.node));
}

export async function workFigures(rounds: number): Promise<readonly Figure[]> {
  return [
    {
      what: `50 processes claim one bead, ${rounds} rounds: one winner, everyone else told who`,
      measured: await oneBead(rounds),
      target: 'all',
    },
    {
      what: '8 at once take the next of 8 beads',
      measured: await nextOnes(),
      target: '8 different',
    },
    { what: '20 write notes on one commit at once', measured: await notes(), target: '20 of 20' },
    {
      what: 'verify of a tree that is verified already: of node -e 0',
      measured: verified(),
      target: '<= 1.6 x',
    },
  ];
}
