/**
 * `coord init`: from nothing to a repository that is coordinated, or from a clone of a team's to one
 * that has joined it. What is found and what will be done is shown before anything is done.
 */
import { createInterface } from 'node:readline/promises';
import { type RealWorld, realWorld } from '../../agent/world.ts';
import { counted, few } from '../../core/counted.ts';
import { exits } from '../../core/exits.ts';
import { shellLine } from '../../core/shell-line.ts';
import { teamFile } from '../../core/team.ts';
import { examine } from '../../doctor/examine.ts';
import type { Finding } from '../../doctor/findings.ts';
import { installLauncher } from '../../git/launcher.ts';
import { teamOf } from '../../git/team-file.ts';
import { writeTeam } from '../../git/write-team-file.ts';
import { carryOut } from '../../harness/install.ts';
import { switchTo } from '../../landing/switch.ts';
import { logRef } from '../../log/view.ts';
import { renderSwitched } from '../../render/landing.ts';
import type { Report } from '../../render/report.ts';
import { type InitPlan, initPlan, stepsOf } from '../init-plan.ts';
import { gitShim, installGitHooks, notYet } from '../installing.ts';
import { type Call, isOn, text, texts, type Verb } from '../verb.ts';
import { tried } from './doctor.ts';
import { dryRunFlag } from './install.ts';

/** Whoever ends the input, or interrupts, has not agreed. */
async function isAgreed(): Promise<boolean> {
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asked.question('Do this? [Y/n] ').catch(() => {
      process.stderr.write('\n');
      return 'no';
    });
    return /^(y(es)?)?$/i.test(answer.trim());
  } finally {
    asked.close();
  }
}

/** A report only where the remote refused. */
async function carriedOut(world: RealWorld, plan: InitPlan): Promise<Report | null> {
  const { repository } = world;
  installGitHooks(repository, false);
  installLauncher(repository, gitShim);
  carryOut(repository, plan.written);
  if (plan.writesTeam) writeTeam(repository, plan.said === null ? {} : { remote: plan.said });
  if (plan.remote === null) return null;
  const outcome = await switchTo(world, { remote: plan.remote, ref: logRef }, false);
  return outcome.kind === 'refused' ? renderSwitched(outcome, world.settings.ttlMs) : null;
}

/** Doctor in five lines. */
async function health(call: Call, world: RealWorld, plan: InitPlan): Promise<readonly string[]> {
  const checks: readonly Finding[] = [...(await examine(world)), ...(await tried(world, call.env))];
  const failed = checks.filter(({ standing }) => standing === 'fail');
  const proof = checks.find(({ check }) => check === 'proof');
  const proven =
    proof?.standing === 'ok'
      ? 'a commit on a held path is refused, a free one passes'
      : (proof?.says ?? 'not tried');
  const waiting = plan.chosen.flatMap((harness) => notYet(harness, plan.places));
  const programs = few(plan.chosen.map(({ title }) => title)) || 'none';
  const { remote } = world.settings;
  const agreed = teamOf(world.repository)?.settings.size ?? 0;
  return [
    `hooks     ${proven}`,
    `programs  ${[programs, ...waiting].join('; ')}`,
    `log       ${remote === '' ? 'in this clone' : `on remote '${remote}'`}`,
    `settings  ${agreed === 0 ? `none in ${teamFile} yet` : `${counted(agreed, 'setting')} from ${teamFile}`}: coord config`,
    `to mend   ${failed.length === 0 ? 'nothing' : `${few(failed.map(({ check }) => check))}: coord doctor`}`,
  ];
}

/** Fit to be run in any folder of the repository, whatever else is staged. */
function nextOf({ writesTeam, toCommit }: InitPlan): string {
  if (!writesTeam) return 'coord status';
  const files = [teamFile, ...toCommit].map((file) => `:/${file}`);
  const commit = shellLine('git', 'commit', '-m', 'Coordinate agents with coord', '--', ...files);
  return `${shellLine('git', 'add', '--', ...files)} && ${commit}`;
}

interface Shown {
  readonly facts: Report['facts'];
  readonly says: readonly string[];
}

function shownPlan(plan: InitPlan): Shown {
  const steps = stepsOf(plan);
  return {
    facts: { joins: plan.joins, found: plan.found, steps },
    says: [
      'found:',
      ...plan.found.map((line) => `  ${line}`),
      plan.joins ? 'to join:' : 'to do:',
      ...steps.map((line) => `  ${line}`),
    ],
  };
}

function agreeing(call: Call): string {
  const remote = text(call, 'remote');
  return shellLine(
    'coord',
    'init',
    '--yes',
    ...(remote === undefined ? [] : ['--remote', remote]),
    ...texts(call, 'harness').flatMap((name) => ['--harness', name]),
  );
}

export const init: Verb = {
  words: ['init'],
  group: 'setup',
  about: 'set coord up here, or join the team of this clone',
  more: 'What would be done is shown first, and done once you agree.',
  flags: [
    { name: 'yes', short: 'y', about: 'do it without being asked' },
    dryRunFlag,
    {
      name: 'harness',
      completes: 'harness',
      value: 'name',
      many: true,
      about: 'for these programs, or none',
      usual: 'those that are found',
    },
    {
      name: 'remote',
      value: 'name',
      completes: 'remote',
      about: 'the remote that has the log, for teams on several machines',
      usual: `what ${teamFile} says`,
    },
  ],
  exits: '64 without --yes where there is no terminal to ask on',
  examples: [
    ['coord init', 'in a new repository, or in a clone of a team that uses coord'],
    ['coord init --yes --remote origin', 'for a team on several machines, without questions'],
  ],
  run: async (call) => {
    const world = call.world();
    const plan = initPlan(call, world);
    const shown = shownPlan(plan);
    if (isOn(call, 'dry-run')) return { ok: true, exit: exits.done, result: 'planned', ...shown };
    const canAsk = process.stdin.isTTY && process.stderr.isTTY && !call.json;
    if (!isOn(call, 'yes') && !canAsk) {
      const next = agreeing(call);
      return {
        ok: false,
        exit: exits.usage,
        result: 'planned',
        facts: { ...shown.facts, next },
        says: shown.says,
        notes: ['nothing was done: there is no terminal to ask on', `  next: ${next}`],
        next,
      };
    }
    if (!isOn(call, 'yes')) {
      for (const line of shown.says) call.tell(line);
      if (!(await isAgreed()))
        return {
          ok: true,
          exit: exits.done,
          result: 'left',
          facts: shown.facts,
          says: ['nothing was done'],
        };
    }
    const refused = await carriedOut(world, plan);
    if (refused !== null) return refused;
    const fresh = realWorld({ cwd: call.cwd, env: call.env });
    const lines = await health(call, fresh, plan);
    const next = nextOf(plan);
    return {
      ok: true,
      exit: exits.done,
      result: plan.joins ? 'joined' : 'initialized',
      facts: { ...shown.facts, health: lines, next },
      says: [...lines, `next: ${next}`],
      next,
    };
  },
};
