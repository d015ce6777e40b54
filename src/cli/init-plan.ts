/** What `coord init` has found, and what it would do about it. */
import { relative } from 'node:path';
import type { Harness, Places } from '../adapter/harness.ts';
import type { RealWorld } from '../agent/world.ts';
import { few } from '../core/counted.ts';
import { CoordError } from '../core/errors.ts';
import { shellLine } from '../core/shell-line.ts';
import { teamFile } from '../core/team.ts';
import { hookManagers } from '../doctor/hook-surprises.ts';
import { configRows } from '../git/config.ts';
import { ignored } from '../git/paths.ts';
import { teamOf } from '../git/team-file.ts';
import { chosenHarnesses, planSetup } from '../harness/install.ts';
import { placesOf } from '../harness/places.ts';
import type { FilePlan } from '../harness/planned-file.ts';
import { usedBy } from '../harness/used.ts';
import { trackerOf } from '../work/tracker.ts';
import { actionOf, program } from './installing.ts';
import { type Call, text, texts } from './verb.ts';

export interface InitPlan {
  /** The team uses coord already: its files stay as they are. */
  readonly joins: boolean;
  readonly places: Places;
  readonly chosen: readonly Harness[];
  readonly found: readonly string[];
  readonly written: readonly FilePlan[];
  /** Of the team, and not as coord would write them. */
  readonly left: readonly FilePlan[];
  /** The remote that will have the log; null where it stays as it is. */
  readonly remote: string | null;
  /** The team's file is new, or is to name the remote that was said. */
  readonly writesTeam: boolean;
  readonly said: string | null;
  /** What is to be committed besides, from the top. */
  readonly toCommit: readonly string[];
  /** There is a remote that the log could be on, and it is on none. */
  readonly couldShare: boolean;
}

export function initPlan(call: Call, world: RealWorld): InitPlan {
  const { repository, settings } = world;
  const team = teamOf(repository);
  const remotes = remotesOf(world);
  const places: Places = { ...placesOf(call.env, repository), isUser: false };
  const chosen = chosenHarnesses(texts(call, 'harness'), places);
  const changes = planSetup(chosen, places, program, usedBy(world, call.env)).filter(
    (plan) => actionOf(plan) !== 'keep',
  );
  const ofTeam = changes.filter((plan) => isInside(places, plan));
  const out = ignored(
    repository,
    ofTeam.map((plan) => shownFile(places, plan)),
  );
  const left = team === null ? [] : ofTeam.filter((plan) => !out.has(shownFile(places, plan)));
  const said = text(call, 'remote') ?? null;
  const wanted = said ?? team?.remote ?? null;
  if (wanted !== null && !remotes.includes(wanted)) throw noSuchRemote(wanted, remotes);
  return {
    joins: team !== null,
    places,
    chosen,
    found: [
      `remotes   ${few(remotes) || 'none'}`,
      `hooks of  ${few(hookManagers(repository.top)) || 'no other tool'}`,
      `programs  ${few(chosen.map(({ title }) => title)) || 'none'}`,
      `tracker   ${trackers[trackerOf(world, call.env).kind]}`,
      `team      ${team === null ? `no ${teamFile} yet` : teamFile}`,
    ],
    written: changes.filter((plan) => !left.includes(plan)),
    left,
    remote: wanted === settings.remote ? null : wanted,
    writesTeam: team === null || (said !== null && team.remote !== said),
    said,
    toCommit: ofTeam
      .map((plan) => shownFile(places, plan))
      .filter((file) => team === null && !out.has(file)),
    couldShare: remotes.length > 0 && settings.remote === '',
  };
}

const trackers = { bd: 'bd', file: '.beads/issues.jsonl', none: 'none' } as const;

function remotesOf(world: RealWorld): readonly string[] {
  const names = configRows(world.repository).flatMap(
    ({ key }) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? [],
  );
  return [...new Set(names)];
}

function noSuchRemote(name: string, remotes: readonly string[]): CoordError {
  const why = `there is no remote '${name}' here${remotes.length === 0 ? '' : `, but ${few(remotes)}`}`;
  return new CoordError('usage', why, shellLine('git', 'remote', 'add', name, '<url>'));
}

/** As seen from the top of the work tree; whole where it is not in it. */
function shownFile({ top }: Places, { file }: FilePlan): string {
  const inside = relative(top, file);
  return inside.startsWith('..') ? file : inside;
}

function isInside({ top }: Places, { file }: FilePlan): boolean {
  return !relative(top, file).startsWith('..');
}

export function stepsOf({
  joins,
  writesTeam,
  places,
  written,
  left,
  remote,
  couldShare,
}: InitPlan): readonly string[] {
  return [
    'install the git hooks',
    ...written.map((one) => `${actionOf(one)} ${shownFile(places, one)}`),
    ...(writesTeam ? [`${joins ? 'change' : 'create'} ${teamFile}, to be committed`] : []),
    ...(remote === null ? [] : [`use the log on remote '${remote}'`]),
    ...(remote === null && couldShare
      ? ['keep the log in this clone (agents on several machines need --remote <name>)']
      : []),
    ...left.map(
      (one) => `leave ${shownFile(places, one)} to the team: coord install would change it`,
    ),
  ];
}
