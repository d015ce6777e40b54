/** What others do beside a program: bob at a shell of his own. */
import type { Scene } from './scene.ts';

export function reserveAs({ repo }: Scene, agent: string, path: string): void {
  const { code, stderr } = repo.coord(agent, 'reserve', path, '--ttl', '10m');
  if (code !== 0) throw new Error(stderr);
}
