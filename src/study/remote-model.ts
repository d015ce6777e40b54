/**
 * Many machines that share one remote log, simulated event by event from a seed: how long requests
 * wait, how many pushes are lost, and whether anybody starves or two ever hold one file. What is
 * taken for granted stands in `remote-options.ts`.
 */
import { Agenda } from './remote-agenda.ts';
import { RemoteAgent, type Scene } from './remote-agent.ts';
import { Chance, zipf } from './remote-chance.ts';
import { figures, Judge, type RemoteRun, Tally } from './remote-figures.ts';
import { RemoteLog } from './remote-log.ts';
import { RemoteMachine } from './remote-machine.ts';
import { type RemoteOptions, remoteDefaults, remoteRules } from './remote-options.ts';

export type { RemoteRun } from './remote-figures.ts';
export { type RemoteOptions, remoteAssumptions, remoteDefaults } from './remote-options.ts';

export function simulateRemote(asked: Partial<RemoteOptions> = {}): RemoteRun {
  const options = { ...remoteDefaults, ...asked };
  const chance = new Chance(options.seed);
  let born = 0;
  const scene: Scene = {
    options,
    chance,
    agenda: new Agenda(),
    log: new RemoteLog(options.lease),
    tally: new Tally(),
    judge: new Judge(),
    wantedFile: zipf(options.files, remoteRules.zipfExponent, chance),
    newAgent: () => (born += 1),
  };
  const machines = Array.from({ length: options.machines }, (_, i) => new RemoteMachine(i, scene));
  const agents = Array.from(
    { length: options.agents },
    (_, i) => new RemoteAgent(scene, machines[i % machines.length] as RemoteMachine),
  );
  const endMs = options.hours * 3_600_000;
  scene.agenda.runUntil(endMs);
  return figures(
    options,
    scene.tally,
    scene.judge,
    scene.log,
    agents.map((agent) => agent.servedShare(endMs)),
  );
}
