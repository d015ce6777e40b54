/** What others see of the agents at work. */
import type { Scene } from './scene.ts';

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
