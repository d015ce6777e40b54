/** `coord install` and `uninstall`: git hooks where git looks for them. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandFor, coordLines, hasConfigHooks, hookEvents, hooksFolder, install as installFiles, installConfig, planInstall, uninstall as uninstallFiles, uninstallConfig, type Shim } from '../../git/hook-files.ts';
import { exits, type Report } from '../../report.ts';
import { isOn, type Verb } from '../verb.ts';

const dryRunFlag = { name: 'dry-run', about: 'only say what would be done' } as const;

/** The shim that came with this very program. */
export function shim(): Shim {
  return { node: process.execPath, file: join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'hooks', 'git-hook') };
}

function report(result: string, facts: Report['facts'], says: readonly string[]): Report {
  return { ok: true, exit: exits.done, result, facts, says };
}

export const install: Verb = {
  words: ['install'],
  about: 'put the git hooks in place that guard every commit of this repository',
  flags: [dryRunFlag],
  examples: [['coord install --dry-run', 'what it would write'], ['coord install', 'again after moving coord or changing hook managers']],
  run: (call) => {
    const { repository } = call.world();
    const dryRun = isOn(call, 'dry-run');
    if (hasConfigHooks(repository)) {
      if (!dryRun) installConfig(repository, shim());
      return report(dryRun ? 'would-install' : 'installed', { by: 'config', events: hookEvents, dryRun }, [`${dryRun ? 'would install' : 'installed'} ${hookEvents.length} hooks in the configuration of this repository`, ...hookEvents.map((event) => `  hook.coord-${event}${dryRun ? ` = ${commandFor(event, shim())}` : ''}`)]);
    }
    const folder = hooksFolder(repository);
    const plan = planInstall(folder, shim());
    if (!dryRun) installFiles(folder, plan);
    return report(dryRun ? 'would-install' : 'installed', { by: 'files', folder, dryRun, hooks: plan.map(({ event, action }) => ({ event, action })) }, [
      `${dryRun ? 'would install' : 'installed'} ${plan.length} hooks in ${folder}`,
      ...plan.flatMap(({ event, action, text }) => [`  ${action.padEnd(6)}  ${event}`, ...(dryRun && action !== 'keep' ? coordLines(text).trimEnd().split('\n').map((line) => `    ${line}`) : [])]),
    ]);
  },
};

export const uninstall: Verb = {
  words: ['uninstall'],
  about: 'take coord out of the git hooks again, to the byte',
  flags: [dryRunFlag],
  examples: [['coord uninstall', 'leases and log stay']],
  run: (call) => {
    const { repository } = call.world();
    const dryRun = isOn(call, 'dry-run');
    const done = [...uninstallFiles(hooksFolder(repository), dryRun), ...(hasConfigHooks(repository) ? uninstallConfig(repository, dryRun) : [])];
    return report(done.length === 0 ? 'nothing' : dryRun ? 'would-uninstall' : 'uninstalled', { dryRun, hooks: done }, done.length === 0 ? ['no hook of coord is installed here'] : done.map((file) => `${dryRun ? 'would give back' : 'gave back'} ${file}`));
  },
};
