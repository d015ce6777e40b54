/** Throw-away repositories for the benchmark, filled with leases by the library. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Coord, CoordOptions } from '../../src/index.ts';

export const program: string = resolve('dist/coord.cjs');
const library = resolve('dist/index.js');

export interface Sandbox {
  readonly top: string;
  readonly env: NodeJS.ProcessEnv;
  coord(agent: string): Promise<Coord>;
  remove(): void;
}

export async function createCoord(options: CoordOptions): Promise<Coord> {
  const loaded = (await import(library)) as typeof import('../../src/index.ts');
  return loaded.createCoord(options);
}

export function sandbox(): Sandbox {
  const home = mkdtempSync(join(tmpdir(), 'coord-bench-'));
  const top = join(home, 'repo');
  // The caller's own environment: what node loads because of it, it loads for the floor too.
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GIT|COORD|XDG)_/.test(name)),
  );
  const env = {
    ...own,
    HOME: home,
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
  writeFileSync(
    join(home, 'gitconfig'),
    '[user]\n\tname = Bench\n\temail = bench@example.invalid\n',
  );
  execFileSync('git', ['init', '-q', top], { env });
  execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'first'], { cwd: top, env });
  return {
    top,
    env,
    coord: (agent) => createCoord({ cwd: top, agent, env }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** So many live leases, at most 50 an agent. */
export async function fill(box: Sandbox, leases: number): Promise<void> {
  for (let i = 0; i < leases; ) {
    const coord = await box.coord(`holder-${Math.floor(i / 50)}`);
    for (const end = Math.min(leases, i + 50); i < end; i += 1)
      await coord.reserve(`held/module-${i}/src/file-${i}.ts`, { ttl: '2h', reason: `task ${i}` });
  }
}
