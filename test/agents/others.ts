/** What others do beside a program, bob at a shell of his own, and what they see of it. */
import type { Scene } from './scene.ts';

export function reserveAs({ repo }: Scene, agent: string, path: string): void {
  const { code, stderr } = repo.coord(agent, 'reserve', path, '--ttl', '10m');
  if (code !== 0) throw new Error(stderr);
}

/** `a.txt ann`: what is held, and by whom. */
export function holders({ repo }: Scene): readonly string[] {
  const { leases } = repo.coord(null, 'status').json;
  return leases
    .flatMap(({ agent, patterns }: { agent: { name: string }; patterns: readonly string[] }) =>
      patterns.map((path) => `${path} ${agent.name}`),
    )
    .sort();
}

/** Who made the newest commit. */
export function trailer({ repo }: Scene): string {
  const said = repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)');
  return said.trim().replace(/ \(.*/, '');
}
