/** What others do beside a program, bob at a shell of his own, and what they see of it. */
import type { Scene } from './scene.ts';

export function reserveAs({ repo }: Scene, agent: string, path: string): void {
  const { code, stderr } = repo.coord(agent, 'reserve', path, '--ttl', '10m');
  if (code !== 0) throw new Error(stderr);
}

/** Who has what, by the names of agents. */
export function held({ repo }: Scene): Readonly<Record<string, string>> {
  const { leases } = repo.coord(null, 'status').json as {
    readonly leases: readonly { agent: { name: string }; patterns: readonly string[] }[];
  };
  return Object.fromEntries(
    leases.flatMap(({ agent, patterns }) => patterns.map((path) => [path, agent.name])),
  );
}

export function agents({ repo }: Scene): readonly string[] {
  const status = repo.coord(null, 'status').json as { readonly agents: { name: string }[] };
  return status.agents.map(({ name }) => name);
}

/** Who made the newest commit. */
export function trailer({ repo }: Scene): string {
  const said = repo.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)');
  return said.trim().replace(/ \(.*/, '');
}

/** The subject of the newest commit, and who is said to have made it. */
export function message({ repo }: Scene): string {
  return repo.git('log', '-1', '--format=%s %(trailers)').trim();
}
