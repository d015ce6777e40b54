/**
 * The library in one process: against a bare loop of git, over many operations, and deciding alone.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../../src/agent/random.ts';
import { decideAcquire } from '../../src/core/decide/acquire.ts';
import type { Lease } from '../../src/core/lease.ts';
import { exactSpelling } from '../../src/core/overlap.ts';
import { canonical } from '../../src/core/pattern.ts';
import { emptyState } from '../../src/core/state.ts';
import { type Figure, median, quantile, ratio, timed } from './measure.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

const fsync = ['-c', 'core.fsync=committed,loose-object'];

export async function throughputFigures(): Promise<readonly Figure[]> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const box = sandbox();
    const oids = [0, 1].map((i) =>
      execFileSync('git', ['hash-object', '-w', '--stdin'], {
        cwd: box.top,
        env: box.env,
        input: `v${i}`,
        encoding: 'utf8',
      }).trim(),
    );
    const coord = await box.coord('me');
    await coord.reserve('a.ts');
    // The folders of the object store are made once in the life of a repository.
    for (let i = 0; i < 100; i += 1)
      await (i % 2 === 0 ? coord.reserve('b.ts') : coord.release('b.ts'));
    const bare: number[] = [];
    const ours: number[] = [];
    let old = '0'.repeat(40);
    for (let i = 0; i < 150; i += 1) {
      const next = oids[i % 2] ?? '';
      bare.push(
        timed(() =>
          spawnSync('git', [...fsync, 'update-ref', 'refs/bench/x', next, old], {
            cwd: box.top,
            env: box.env,
          }),
        ),
      );
      old = next;
      const started = performance.now();
      await (i % 2 === 0 ? coord.reserve('b.ts') : coord.release('b.ts'));
      ours.push(performance.now() - started);
    }
    ratios.push(median(bare) / median(ours));
    box.remove();
  }
  return [
    {
      what: 'operations through the library, of a bare git update-ref loop',
      measured: ratio(median(ratios)),
      target: '>= 0.5 x',
    },
  ];
}

const worst: Readonly<Record<string, (i: number) => string>> = {
  'stars in one segment': (i) => `**/${'*a'.repeat(480)}*${i}`,
  '64 alternatives': (i) => `{${Array.from({ length: 64 }, (_, j) => `x*${j}-${i}z`).join(',')}}`,
  '16 globstars': (i) => `a/${Array.from({ length: 16 }, (_, j) => `**/d${j}?`).join('/')}/f${i}`,
  classes: (i) => `**/${'[a-z]'.repeat(150)}${i}`,
  'long names': (i) => `${'n'.repeat(900)}/${i}`,
};

export function decideFigures(): readonly Figure[] {
  return Object.entries(worst).map(([name, pattern]) => {
    const times = Array.from({ length: 15 }, (_, round) => {
      const leases = new Map(
        Array.from(
          { length: 1_000 },
          (_row, i) => [String(i), leaseOn(canonical(pattern(i * 20 + round)), i)] as const,
        ),
      );
      const state = { ...emptyState(0), leases };
      const c = {
        now: { at: 0, domain: 'd', uptimeMs: 1_000, sinceSeenMs: () => 0 },
        seq: 5_000,
        stalledMs: 3_600_000,
        breakMs: 300_000,
        graceMs: 120_000,
        folding: exactSpelling,
        newId: () => systemRandom.id(),
      };
      const want = {
        kind: 'reservation',
        patterns: [canonical(pattern(999_999 - round))],
      } as const;
      return timed(() =>
        decideAcquire(
          {
            caller: { name: 'me', kind: 'agent', session: null, host: 'h' },
            want,
            mode: 'exclusive',
            ttlMs: null,
            defaultTtlMs: 900_000,
            reason: '',
            anew: false,
            wait: false,
            waitId: null,
          },
          state,
          c,
        ),
      );
    });
    return {
      what: `deciding against 1,000 leases: ${name}`,
      measured: `${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)}`,
      target: '< 10 ms',
    };
  });
}

function leaseOn(pattern: string, i: number): Lease {
  const stamp = { at: 0, domain: 'd', uptimeMs: 1_000 };
  return {
    kind: 'reservation',
    patterns: [pattern],
    id: String(i),
    agent: { id: 'xxxxxxxx', name: `other-${i % 30}` },
    mode: 'exclusive',
    reason: '',
    ttlMs: 900_000,
    token: i,
    acquiredAt: 0,
    renewed: stamp,
    steady: false,
    edited: null,
  };
}

export async function growthFigures(operations: number): Promise<readonly Figure[]> {
  const box = sandbox();
  const before = size(join(box.top, '.git'));
  const coord = await box.coord('me');
  for (let i = 0; i < 40; i += 1)
    await (i % 2 === 0 ? coord.reserve(`src/file-${i}.ts`) : coord.release(`src/file-${i - 1}.ts`));
  const first = await reads(box);
  let loose = 0;
  for (let i = 0; i < operations; i += 1) {
    await (i % 2 === 0
      ? coord.reserve(`src/file-${i % 40}.ts`)
      : coord.release(`src/file-${(i - 1) % 40}.ts`));
    if (i % 250 === 0) loose = Math.max(loose, looseObjects(box));
  }
  const last = await reads(box);
  execFileSync('git', ['gc', '-q', '--prune=now'], { cwd: box.top, env: box.env });
  const grown = (size(join(box.top, '.git')) - before) / 1e6;
  box.remove();
  return [
    {
      what: `${operations} operations: .git grown after git gc --prune=now`,
      measured: `${grown.toFixed(1)} MB`,
      target: '<= 20 MB',
    },
    {
      what: `${operations} operations: most loose objects at any time`,
      measured: String(loose),
      target: '<= 10,000',
    },
    {
      what: `${operations} operations: reading the state, of at the start`,
      measured: ratio(last / first),
      target: 'about 1 x',
    },
  ];
}

async function reads(box: Sandbox): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    const coord = await box.coord('reader');
    const started = performance.now();
    await coord.status();
    times.push(performance.now() - started);
  }
  return median(times);
}

function looseObjects(box: Sandbox): number {
  const { stdout } = spawnSync('git', ['count-objects'], {
    cwd: box.top,
    env: box.env,
    encoding: 'utf8',
  });
  return Number(stdout.split(' ')[0]);
}

function size(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
