/** What is put in place so that coord is asked: git's hooks, and what agent programs run. */
import { join } from 'node:path';
import type { Harness, Places, Program } from '../adapter/harness.ts';
import {
  hasConfigHooks,
  hookEvents,
  hooksFolder,
  installConfig,
  install as installFiles,
  planInstall,
} from '../git/hook-files.ts';
import { commandFor, coordLines, type Shim } from '../git/hook-section.ts';
import { inConfiguration, noteInstalled } from '../git/hooks-in-force.ts';
import type { Repository } from '../git/repository.ts';
import type { FilePlan } from '../harness/planned-file.ts';
import type { Report } from '../render/report.ts';
import { installed } from './installed.ts';

const hooks = join(installed(), 'hooks');

/** A shim that came with this very program. */
export function shim(name: string): Shim {
  return { node: process.execPath, file: join(hooks, name) };
}

export const gitShim: Shim = shim('git-hook');

export const program: Program = { node: process.execPath, shim: join(hooks, 'agent-hook') };

export interface Part {
  readonly facts: Report['facts'];
  readonly says: readonly string[];
}

export function installGitHooks(repository: Repository, dryRun: boolean): Part {
  const word = dryRun ? 'would install' : 'installed';
  if (hasConfigHooks(repository)) {
    if (!dryRun) {
      installConfig(repository, gitShim);
      noteInstalled(repository, inConfiguration);
    }
    const says = hookEvents.map(
      (event) => `  hook.coord-${event}${dryRun ? ` = ${commandFor(event, gitShim)}` : ''}`,
    );
    return {
      facts: { by: 'config', events: hookEvents },
      says: [`${word} ${hookEvents.length} hooks in the configuration of this repository`, ...says],
    };
  }
  const folder = hooksFolder(repository);
  const plan = planInstall(folder, gitShim);
  if (!dryRun) {
    installFiles(folder, plan);
    noteInstalled(repository, folder);
  }
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

export function actionOf({ before, after }: FilePlan): string {
  return before === after
    ? 'keep'
    : before === null
      ? 'create'
      : after === null
        ? 'delete'
        : 'change';
}

/** What its user has to do before it runs them. */
export function notYet({ title, notInForce }: Harness, places: Places): readonly string[] {
  const why = notInForce?.(places) ?? null;
  return why === null ? [] : [`not in force yet for ${title}: ${why}`];
}
