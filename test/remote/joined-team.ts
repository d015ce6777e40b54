/** Clones that have joined the log of one server, one of them late. */
import { expect } from 'vitest';
import { clones } from '../support/clones.ts';
import type { TestRepository } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';

export async function team(): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly two: TestRepository;
  readonly late: TestRepository;
}> {
  const server = await serve('http');
  const [one, two, late] = clones(server, 3) as [TestRepository, TestRepository, TestRepository];
  expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  expect(late.coord(null, 'sync').code).toBe(0);
  expect(two.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  expect(one.coord(null, 'sync').code).toBe(0);
  return { server, one, two, late };
}

export const holders = (repo: TestRepository): readonly string[] =>
  repo
    .coord(null, 'status')
    .json['leases'].map((lease: { agent: { name: string } }) => lease.agent.name)
    .sort();
