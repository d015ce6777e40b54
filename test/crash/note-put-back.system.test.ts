/**
 * What a killed writer has taken goes back for the next one in one step: whoever is killed at that
 * loses no note and tells none twice.
 */
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  coordProgram,
  repository,
  run,
  start,
  type TestRepository,
} from '../support/repository.ts';
import { plant } from '../walk/planted.ts';
import { toldIn } from './note-makers.ts';

const killer = resolve(import.meta.dirname, '../../fixtures/kill-at.mjs');
/** After this a killed writer is known to be gone. */
const goneMs = 2_100;

function wait(): Promise<void> {
  return new Promise((next) => setTimeout(next, goneMs));
}

async function killAt(repo: TestRepository, program: string, point: string): Promise<boolean> {
  const env = {
    ...repo.env,
    KILL_AT: `${point} 1`,
    KILL_TOLD: join(repo.top, '../struck'),
    NODE_OPTIONS: `--import=${killer}`,
  };
  const writer = start(repo.top, env, ['--agent', 'wes', 'reserve', point], [], program);
  await writer.ended;
  return writer.child.signalCode === 'SIGKILL';
}

/** How often a refusal is told that one writer took, and that another was giving back. */
async function toldAfter(point: string, program = coordProgram): Promise<Record<string, unknown>> {
  const repo = repository();
  const coord = (...args: readonly string[]) => run(repo.top, repo.env, args, [], program);
  coord('reserve', 'held/**', '--agent', 'ann');
  coord('reserve', 'held/n1e', '--agent', 'bob');
  const first = await killAt(repo, program, 'before update-ref');
  await wait();
  const second = await killAt(repo, program, point);
  await wait();
  coord('reserve', 'last', '--agent', 'wes');
  const times = toldIn(coord('log', '--json').stdout).get('conflict n1e') ?? 0;
  return { point, killed: [first, second], times };
}

describe('notes of a killed writer, and another that is killed giving them back [U9]', () => {
  test('they are told once', async () => {
    const points = ['after moving on', 'before dropping', 'after dropping'];
    expect(await Promise.all(points.map((point) => toldAfter(point)))).toEqual(
      points.map((point) => ({ point, killed: [true, true], times: 1 })),
    );
  });

  test('planted bug: in two steps they are lost', async () => {
    const copy = plant([
      {
        file: 'dist/agent/tally.js',
        inFunction: 'putBack',
        does:
          "const text = readLocal(commonDir, `tally/${name}`) ?? '';" +
          ' dropLocal(commonDir, `tally/${name}`);' +
          ' appendLocal(commonDir, `tally/${agentFile(original)}`, text); return;',
      },
    ]);
    const point = 'after dropping';
    expect(await toldAfter(point, copy.program)).toEqual({ point, killed: [true, true], times: 0 });
    copy.end();
  });
});
