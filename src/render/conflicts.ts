/** What cannot be merged with each other: which files and lines, whose they are and what for. */
import { counted } from '../core/counted.ts';
import { exits } from '../core/exits.ts';
import { harmless, shorten } from '../core/harmless.ts';
import type { CollidingFile, Collision } from '../work/conflicts/collisions.ts';
import type { Side } from '../work/conflicts/sides.ts';
import type { Report } from './report.ts';

const mostFiles = 5;
const mostAbout = 60;

export function renderConflicts(
  collisions: readonly Collision[],
  compared: { readonly sides: number; readonly pairs: number },
): Report {
  const said = collisions.filter(({ files }) => files.some(({ policy }) => policy === null));
  const left = collisions.length - said.length;
  return {
    ok: true,
    exit: exits.done,
    result: said.length === 0 ? 'none' : 'conflicts',
    facts: { conflicts: collisions.map(collisionFacts), ...compared },
    says:
      said.length === 0
        ? [`no conflicts between ${compared.sides} ${compared.sides === 1 ? 'branch' : 'branches'}`]
        : said.flatMap(collisionLines),
    notes:
      left === 0
        ? []
        : [
            `note: ${counted(left, 'other pair')} ${left === 1 ? 'conflicts' : 'conflict'} only in files that are made anew or have one writer`,
          ],
  };
}

export function collisionFacts({
  one,
  other,
  files,
}: Collision): Readonly<Record<string, unknown>> {
  return {
    sides: [one, other].map(({ ref, name, agent, bead, path, isUncommitted, tip }) => ({
      ref,
      name,
      agent,
      bead,
      path,
      uncommitted: isUncommitted,
      commit: tip,
    })),
    files: files.map(({ path, lines, policy }) => ({
      path,
      lines: lines.map(([first, last]) => ({ first, last })),
      policy,
    })),
  };
}

export function collisionLines({ one, other, files }: Collision): readonly string[] {
  return [
    `${sideText(one)} and ${sideText(other)}`,
    ...shownFiles(files).map((text) => `  ${text}`),
  ];
}

/** In one line, for an agent whose the first side is. */
export function warningLine({ one, other, files }: Collision): string {
  const what = shownFiles(files.filter(({ policy }) => policy === null)).join(', ');
  const mine = one.isUncommitted ? 'your uncommitted changes' : 'your commits';
  const about = other.about === '' ? '' : ` ("${shorten(harmless(other.about), mostAbout)}")`;
  return `${mine} will conflict with ${sideText(other)}${about} in ${what}; coord conflicts shows it`;
}

function sideText({ name, agent, bead, isUncommitted }: Side): string {
  const whose = agent === null || name.startsWith(agent) ? '' : ` of ${agent}`;
  const what = bead === null ? '' : `, ${bead}`;
  return `${harmless(name)}${whose}${what}${isUncommitted ? ' (not committed yet)' : ''}`;
}

function shownFiles(files: readonly CollidingFile[]): readonly string[] {
  const shown = files.slice(0, mostFiles).map(({ path, lines, policy }) => {
    const where = lines.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
    const at =
      where.length === 0
        ? ''
        : ` ${where.length === 1 && !where[0]?.includes('-') ? 'line' : 'lines'} ${where.join(', ')}`;
    return `${harmless(path)}${at}${policy === null ? '' : ` (${policy === 'regenerate' ? 'made anew' : 'one writer'})`}`;
  });
  return files.length <= mostFiles ? shown : [...shown, `${files.length - mostFiles} more`];
}
