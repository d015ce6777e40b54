/**
 * `coord install`: git hooks where git looks for them, and hooks of the agent programs that are
 * used here.
 */
import type { Places } from '../../adapter/harness.ts';
import { harnesses } from '../../adapter/harnesses.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import {
  hooksFolder,
  install as installFiles,
  planInstall,
  serverEvents,
  uninstall as uninstallFiles,
} from '../../git/hook-files.ts';
import { installLauncher } from '../../git/launcher.ts';
import { openBare } from '../../git/repository.ts';
import { carryOut, chosenHarnesses, planSetup } from '../../harness/install.ts';
import { placesOf } from '../../harness/places.ts';
import type { FilePlan } from '../../harness/planned-file.ts';
import { usedBy } from '../../harness/used.ts';
import type { Report } from '../../render/report.ts';
import {
  actionOf,
  gitShim,
  installGitHooks,
  notYet,
  type Part,
  program,
  shim,
} from '../installing.ts';
import { type Call, isOn, text, texts, type Verb } from '../verb.ts';

export const dryRunFlag = { name: 'dry-run', about: 'only say what would be done' } as const;

const serverShim = shim('server-hook');

function installHarnesses(call: Call, dryRun: boolean): Part {
  const world = call.world();
  const { repository } = world;
  const places: Places = { ...placesOf(call.env, repository), isUser: isOn(call, 'user') };
  const chosen = chosenHarnesses(texts(call, 'harness'), places);
  const plans = planSetup(chosen, places, program, usedBy(world, call.env));
  if (!dryRun) carryOut(repository, plans);
  const added = ({ before, after }: FilePlan): readonly string[] => {
    const known = new Set((before ?? '').split('\n'));
    return Buffer.from(after ?? '', 'latin1')
      .toString('utf8')
      .split('\n')
      .filter((line) => !known.has(line))
      .map((line) => `    ${line}`);
  };
  return {
    facts: {
      harnesses: chosen.map(({ name }) => name),
      files: plans.map((plan) => ({
        harness: plan.harness,
        file: plan.file,
        action: actionOf(plan),
      })),
    },
    says: [
      ...plans.flatMap((plan) => [
        `  ${actionOf(plan).padEnd(6)}  ${plan.file}`,
        ...(dryRun ? added(plan) : []),
      ]),
      ...(dryRun ? [] : chosen.flatMap((harness) => notYet(harness, places))),
    ],
  };
}

/** On the machine that others push to. */
function installServer(call: Call): Report {
  const dryRun = isOn(call, 'dry-run');
  const folder = hooksFolder(openBare(call.cwd, call.env));
  const event = serverEvents.find((known) => known === (text(call, 'hook') ?? 'pre-receive'));
  if (event === undefined)
    throw new CoordError(
      'usage',
      `'${text(call, 'hook') ?? ''}' is no hook of a server that coord knows`,
      `choose from ${serverEvents.join(', ')}`,
    );
  const plan = planInstall(folder, serverShim, [event]);
  if (!dryRun) installFiles(folder, plan);
  // One of them judges a push; the other, from an earlier call, would do it twice.
  const gone = serverEvents.filter(
    (other) => other !== event && uninstallFiles(folder, dryRun, [other]).length > 0,
  );
  const hooks = [
    ...plan.map(({ event, action }) => ({ event, action })),
    ...gone.map((other) => ({ event: other, action: 'remove' })),
  ];
  return {
    ok: true,
    exit: exits.done,
    result: dryRun ? 'would-install' : 'installed',
    facts: { by: 'files', folder, hooks, dryRun },
    says: [
      `${dryRun ? 'would install' : 'installed'} the server's hook in ${folder}`,
      ...hooks.map(({ event, action }) => `  ${action.padEnd(6)}  ${event}`),
    ],
  };
}

export const install: Verb = {
  words: ['install'],
  group: 'setup',
  about: 'write the git hooks, and those of agent programs',
  more: 'The git hooks check every commit here. Agent programs are those that are used here.',
  flags: [
    dryRunFlag,
    {
      name: 'harness',
      value: 'name',
      many: true,
      completes: 'harness',
      about: `${harnesses.map(({ name }) => name).join(', ')}, all or none; those found unless it is said`,
      usual: 'those that are found',
    },
    {
      name: 'server',
      about:
        'in the bare repository that others push to: the log only grows there, and branches are held to the leases',
    },
    {
      name: 'hook',
      value: 'name',
      about: 'with --server: pre-receive, or update for a server that runs no other',
      usual: 'pre-receive',
    },
    { name: 'user', about: 'for all projects of this user, rather than this one' },
  ],
  examples: [
    ['coord install --dry-run', 'what it would write'],
    ['coord install', 'again after moving coord or changing hook managers'],
    ['coord -C repo.git install --server', 'on the server, as whoever owns its hooks'],
    ['coord install --harness claude --harness codex', 'these, found or not'],
  ],
  run: (call) => {
    if (isOn(call, 'server')) return installServer(call);
    const { repository } = call.world();
    const dryRun = isOn(call, 'dry-run');
    // Whatever of a harness cannot be written is said before anything is.
    const harness = installHarnesses(call, true);
    const git = installGitHooks(repository, dryRun);
    if (!dryRun) installLauncher(repository, gitShim);
    const done = dryRun ? harness : installHarnesses(call, false);
    return {
      ok: true,
      exit: exits.done,
      result: dryRun ? 'would-install' : 'installed',
      facts: { ...git.facts, ...done.facts, dryRun },
      says: [...git.says, ...done.says],
    };
  },
};
