/**
 * `coord install` and `uninstall`: git hooks where git looks for them, and hooks of the agent
 * harnesses that are used here.
 */

import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RealWorld } from '../../agent/world.ts';
import { counted } from '../../core/counted.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { snapshotsIn } from '../../draft/snapshot.ts';
import { stagedWork } from '../../draft/stage.ts';
import { setConfig } from '../../git/config.ts';
import { workTreeFolders } from '../../git/head.ts';
import {
  commandFor,
  coordLines,
  hasConfigHooks,
  hookEvents,
  hooksFolder,
  installConfig,
  install as installFiles,
  planInstall,
  type Shim,
  serverEvents,
  uninstallConfig,
  uninstall as uninstallFiles,
} from '../../git/hook-files.ts';
import { localPath } from '../../git/local.ts';
import { notesRef } from '../../git/notes.ts';
import { listRefs, updateRefs } from '../../git/refs.ts';
import { openBare, type Repository } from '../../git/repository.ts';
import {
  carryOut,
  type FilePlan,
  planRemoval,
  planSetup,
  remove,
  setupsFor,
} from '../../harness/install.ts';
import { type Places, type Program, placesOf } from '../../harness/setups.ts';
import type { Report } from '../../render/report.ts';
import { type Call, isOn, text, texts, type Verb } from '../verb.ts';

const dryRunFlag = { name: 'dry-run', about: 'only say what would be done' } as const;

const hooks = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'hooks');

/** The shim that came with this very program. */
export function shim(): Shim {
  return { node: process.execPath, file: join(hooks, 'git-hook') };
}

const serverShim: Shim = { node: process.execPath, file: join(hooks, 'server-hook') };

const program: Program = { node: process.execPath, shim: join(hooks, 'agent-hook') };

interface Part {
  readonly facts: Report['facts'];
  readonly says: readonly string[];
}

function installGitHooks(repository: Repository, dryRun: boolean): Part {
  const word = dryRun ? 'would install' : 'installed';
  if (hasConfigHooks(repository)) {
    if (!dryRun) installConfig(repository, shim());
    const says = hookEvents.map(
      (event) => `  hook.coord-${event}${dryRun ? ` = ${commandFor(event, shim())}` : ''}`,
    );
    return {
      facts: { by: 'config', events: hookEvents },
      says: [`${word} ${hookEvents.length} hooks in the configuration of this repository`, ...says],
    };
  }
  const folder = hooksFolder(repository);
  const plan = planInstall(folder, shim());
  if (!dryRun) installFiles(folder, plan);
  const indented = (text: string): readonly string[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`);
  return {
    facts: { by: 'files', folder, hooks: plan.map(({ event, action }) => ({ event, action })) },
    says: [
      `${word} ${plan.length} hooks in ${folder}`,
      ...plan.flatMap(({ event, action, text }) => [
        `  ${action.padEnd(6)}  ${event}`,
        ...(dryRun && action !== 'keep' ? indented(coordLines(text)) : []),
      ]),
    ],
  };
}

function actionOf({ before, after }: FilePlan): string {
  return before === after
    ? 'keep'
    : before === null
      ? 'create'
      : after === null
        ? 'delete'
        : 'change';
}

function installHarnesses(call: Call, repository: Repository, dryRun: boolean): Part {
  const places: Places = { ...placesOf(call.env, repository), isUser: isOn(call, 'user') };
  const chosen = setupsFor(texts(call, 'harness'), places);
  const plans = planSetup(chosen, places, program);
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
      harnesses: chosen.map(({ harness }) => harness),
      files: plans.map((plan) => ({
        harness: plan.harness,
        file: plan.file,
        action: actionOf(plan),
      })),
    },
    says: plans.flatMap((plan) => [
      `  ${actionOf(plan).padEnd(6)}  ${plan.file}`,
      ...(dryRun ? added(plan) : []),
    ]),
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
  about:
    'put the git hooks in place that guard every commit here, and those of the agent harnesses that are used',
  flags: [
    dryRunFlag,
    {
      name: 'harness',
      value: 'name',
      many: true,
      about:
        'claude, codex, gemini, cursor, opencode, copilot, all or none; those found unless it is said',
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
    const harness = installHarnesses(call, repository, true);
    const git = installGitHooks(repository, dryRun);
    const done = dryRun ? harness : installHarnesses(call, repository, false);
    return {
      ok: true,
      exit: exits.done,
      result: dryRun ? 'would-install' : 'installed',
      facts: { ...git.facts, ...done.facts, dryRun },
      says: [...git.says, ...done.says],
    };
  },
};

export const uninstall: Verb = {
  words: ['uninstall'],
  about: 'take coord out of all hooks again, to the byte',
  flags: [
    dryRunFlag,
    { name: 'server', about: 'in the bare repository that others push to' },
    {
      name: 'purge',
      about: 'and all that coord keeps in this repository: log, leases, evidence, saved work',
    },
    {
      name: 'force',
      about: 'with --purge: also while something is held, or saved work could come back',
    },
  ],
  examples: [
    ['coord uninstall', 'leases and log stay'],
    ['coord uninstall --purge', 'nothing of coord stays'],
  ],
  run: async (call) => {
    const dryRun = isOn(call, 'dry-run');
    if (isOn(call, 'server'))
      return givenBack(
        uninstallFiles(hooksFolder(openBare(call.cwd, call.env)), dryRun, serverEvents),
        dryRun,
      );
    const world = call.world();
    const { repository } = world;
    const stays = isOn(call, 'purge') && !isOn(call, 'force') ? await whatWouldGo(world) : [];
    if (stays.length > 0) {
      throw new CoordError(
        'usage',
        `${stays.join(' and ')} would be lost`,
        'coord rescue list and coord status show it; coord uninstall --purge --force does it',
      );
    }
    const plans = planRemoval(repository, placesOf(call.env, repository), program);
    if (!dryRun) remove(repository, plans);
    const done = [
      ...uninstallFiles(hooksFolder(repository), dryRun),
      ...(hasConfigHooks(repository) ? uninstallConfig(repository, dryRun) : []),
      ...plans.map(({ file }) => file),
    ];
    const gone = isOn(call, 'purge') ? purge(repository, dryRun) : [];
    const report = givenBack(done, dryRun);
    return gone.length === 0
      ? report
      : {
          ...report,
          result: dryRun ? 'would-uninstall' : 'uninstalled',
          facts: { ...report.facts, purged: gone },
          says: [
            ...report.says,
            ...gone.map((one) => `${dryRun ? 'would delete' : 'deleted'} ${one}`),
          ],
        };
  },
};

/** What somebody may still want. */
async function whatWouldGo(world: RealWorld): Promise<readonly string[]> {
  const saved = snapshotsIn(world.repository).length;
  const staged = workTreeFolders(world.repository).filter((gitDir) =>
    stagedWork({ ...world.repository, gitDir }),
  );
  const held = await world.store.observe().then(
    ({ state }) => counted(state.leases.size, 'lease'),
    () => 'a log that cannot be read',
  );
  return [
    ...(saved === 0 ? [] : [counted(saved, 'snapshot')]),
    ...(staged.length === 0 ? [] : ['what is staged in sessions']),
    ...(held === '0 leases' ? [] : [held]),
  ];
}

/** Refs first: without them what is left in the folder means nothing. */
function purge(repository: Repository, dryRun: boolean): readonly string[] {
  const refs = ['refs/coord/', 'refs/coord-remote/', notesRef].flatMap((prefix) => [
    ...listRefs(repository, prefix),
  ]);
  const folders = workTreeFolders(repository)
    .map((gitDir) => localPath(gitDir, '.'))
    .filter((folder) => existsSync(folder));
  if (!dryRun) {
    const { code, stderr } = updateRefs(
      repository,
      refs.map(([ref, expected]) => ({ ref, value: null, expected })),
    );
    if (code !== 0)
      throw new CoordError(
        'git_failed',
        `git could not delete the refs of coord: ${stderr.split('\n')[0] ?? ''}`,
        'try again',
      );
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    setConfig(repository, { 'coord.remote': null });
  }
  return [...refs.map(([ref]) => ref), ...folders];
}

function givenBack(done: readonly string[], dryRun: boolean): Report {
  return {
    ok: true,
    exit: exits.done,
    result: done.length === 0 ? 'nothing' : dryRun ? 'would-uninstall' : 'uninstalled',
    facts: { dryRun, hooks: done },
    says:
      done.length === 0
        ? ['no hook of coord is installed here']
        : done.map((file) => `${dryRun ? 'would restore' : 'restored'} ${file}`),
  };
}
