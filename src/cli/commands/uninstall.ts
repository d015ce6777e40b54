/** `coord uninstall`: every file as it was, and with --purge all that coord has kept. */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { counted } from '../../core/counted.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { keptOfGone } from '../../draft/quarantine.ts';
import { snapshotsIn } from '../../draft/snapshot.ts';
import { stagedWork } from '../../draft/stage-end.ts';
import { setConfig } from '../../git/config.ts';
import { workTreeFolders } from '../../git/head.ts';
import {
  hasConfigHooks,
  hooksFolder,
  serverEvents,
  uninstallConfig,
  uninstall as uninstallFiles,
} from '../../git/hook-files.ts';
import { inConfiguration, installedFolders, noteUninstalled } from '../../git/hooks-in-force.ts';
import { uninstallLauncher } from '../../git/launcher.ts';
import { localPath } from '../../git/local.ts';
import { notesRef } from '../../git/notes.ts';
import { listRefs, updateRefs } from '../../git/refs.ts';
import { openBare, type Repository } from '../../git/repository.ts';
import { workTreesOf } from '../../git/work-trees.ts';
import { planRemoval, remove } from '../../harness/install.ts';
import { placesOf } from '../../harness/places.ts';
import type { Report } from '../../render/report.ts';
import { program } from '../installing.ts';
import { isOn, type Verb } from '../verb.ts';
import { dryRunFlag } from './install.ts';

export const uninstall: Verb = {
  words: ['uninstall'],
  group: 'setup',
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
      ...hookFoldersOf(repository).flatMap((folder) => uninstallFiles(folder, dryRun)),
      ...(hasConfigHooks(repository) ? uninstallConfig(repository, dryRun) : []),
      ...uninstallLauncher(repository, dryRun),
      ...plans.map(({ file }) => file),
    ];
    if (!dryRun) noteUninstalled(repository);
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
  const kept = keptOfGone(world.repository, workTreesOf(world.repository)).length;
  const staged = workTreeFolders(world.repository).filter((gitDir) =>
    stagedWork({ ...world.repository, gitDir }),
  );
  const held = await world.store.observe().then(
    ({ state }) => counted(state.leases.size, 'lease'),
    (error: unknown) => {
      // Another coord can count what is in it.
      if (error instanceof CoordError && error.code === 'log_newer') throw error;
      return 'a log that cannot be read';
    },
  );
  return [
    ...(saved === 0 ? [] : [counted(saved, 'snapshot')]),
    ...(kept === 0 ? [] : [counted(kept, 'removed work tree or branch')]),
    ...(staged.length === 0 ? [] : ['what is staged in sessions']),
    ...(held === '0 leases' ? [] : [held]),
  ];
}

/** Where git looks for hooks now, and wherever coord has put some before that was changed. */
function hookFoldersOf(repository: Repository): readonly string[] {
  const before = installedFolders(repository).filter((folder) => folder !== inConfiguration);
  return [...new Set([hooksFolder(repository), join(repository.commonDir, 'hooks'), ...before])];
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
