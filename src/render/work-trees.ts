/** Work trees: begun, listed, finished, given up, back again. */
import { counted, few } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { exits } from '../core/exits.ts';
import { harmless } from '../core/harmless.ts';
import { formatTime } from '../core/instant.ts';
import { shellLine, shellQuote } from '../core/shell-line.ts';
import type { Kept } from '../draft/quarantine.ts';
import { shortBranch } from '../git/refs.ts';
import { restoreLine } from '../guard/removal.ts';
import type { Outcome } from '../loop/outcome.ts';
import type { ListedTree } from '../work/worktree/list.ts';
import type { Restored } from '../work/worktree/restore.ts';
import type { WorkStarted } from '../work/worktree/start.ts';
import { ago } from './lines.ts';
import { renderRefused } from './refusal.ts';
import { occupantFacts } from './removal.ts';
import type { Report } from './report.ts';

interface Shell {
  /** What the environment of its commands has besides. */
  readonly path: string;
  readonly isForShell: boolean;
}

export function renderStarted(
  result: 'started' | 'adopted',
  outcome: Outcome<WorkStarted>,
  { path: PATH, isForShell }: Shell,
): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { tree, note, session, prepared } = outcome.result;
  const env: Readonly<Record<string, string>> = {
    ...note.pools,
    ...(session.stage === null
      ? {}
      : {
          COORD_AGENT: session.agent.name,
          ...(session.key === null ? {} : { COORD_SESSION: session.key }),
          COORD_STAGE: session.stage,
          PATH,
        }),
  };
  const { PATH: _, ...shown } = env;
  const run = prepared?.run ?? null;
  const again = prepared === null && result === 'started';
  return {
    ok: true,
    exit: exits.done,
    result: again ? 'kept' : result,
    facts: {
      bead: note.bead,
      agent: session.agent,
      path: tree.path,
      branch: shortBranch(tree.head.branch),
      attempt: note.attempt,
      base: note.base,
      token: session.key,
      env,
      pools: note.pools,
      linked: prepared?.linked ?? [],
      copied: prepared?.copied ?? [],
      run,
    },
    says: isForShell
      ? [
          ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
          `cd ${shellQuote(tree.path)}`,
        ]
      : [
          `${again ? 'you have this work tree already' : result}: ${note.bead} in ${harmless(tree.path)}, on branch ${shortBranch(tree.head.branch) ?? 'none'}`,
          ...Object.entries(shown).map(([name, value]) => `  export ${name}=${shellQuote(value)}`),
          `  next: ${shellLine('cd', tree.path)}`,
        ],
    notes: [
      ...broughtLines(prepared),
      ...(run?.came === 'failed' ? [`note: '${harmless(run.command)}' failed here`] : []),
      ...(run?.came === 'not_allowed'
        ? [
            `note: the team's command is not run: ${shellLine('git', 'config', '--add', 'coord.allow', run.command)} allows it`,
          ]
        : []),
    ],
  };
}

function broughtLines(prepared: WorkStarted['prepared']): readonly string[] {
  if (prepared === null) return [];
  const { linked, copied } = prepared;
  return [
    ...(linked.length === 0 ? [] : [`note: linked ${few(linked)}`]),
    ...(copied.length === 0 ? [] : [`note: copied ${few(copied)}`]),
  ];
}

export function renderTrees(
  trees: readonly ListedTree[],
  kept: readonly Kept[],
  c: DecisionContext,
): Report {
  return {
    ok: true,
    exit: exits.done,
    result: trees.length === 0 ? 'nothing' : 'listed',
    facts: {
      workTrees: trees.map((one) => ({
        path: one.tree.path,
        branch: shortBranch(one.tree.head.branch),
        head: one.tree.head.oid,
        bead: one.note?.bead ?? null,
        agent: one.agent,
        alive: one.isAlive,
        inUseBy: occupantFacts(one.occupants),
        isThere: one.tree.isThere,
        locked: one.tree.locked,
        finished: one.note?.isOver === true,
        dirty: one.dirty,
        ahead: one.ahead,
        behind: one.behind,
        bytes: one.bytes,
      })),
      kept: kept.map(keptFacts),
    },
    says: [
      ...(trees.length === 0
        ? ['there is no linked work tree']
        : [
            {
              headings: ['BEAD', 'AGENT', '', 'CHANGED', 'AHEAD', 'SIZE', 'PATH'],
              rows: trees.map((one) => [
                one.note?.bead ?? '-',
                one.agent === null ? '-' : one.agent.name,
                stateOf(one),
                one.dirty === 0 ? '-' : counted(one.dirty, 'file'),
                `+${one.ahead} -${one.behind}`,
                sizeText(one.bytes),
                one.tree.path,
              ]),
            },
          ]),
      ...kept.map((one) => keptLine(one, c)),
    ],
  };
}

function stateOf({ isAlive, tree, note }: ListedTree): string {
  if (!tree.isThere) return 'gone';
  if (note?.isOver === true) return 'finished';
  return isAlive ? 'alive' : 'idle';
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB'];
  let [size, unit] = [bytes / 1_000, 0];
  while (size >= 1_000 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit] ?? ''}`;
}

export function keptFacts({
  id,
  path,
  branch,
  head,
  agent,
  at,
  why,
  files,
}: Kept): Report['facts'] {
  return { id, path, branch: shortBranch(branch), head, agent, at: formatTime(at), why, files };
}

export function keptLine(kept: Kept, c: DecisionContext): string {
  const what =
    kept.path === null ? `branch ${shortBranch(kept.branch) ?? ''}` : harmless(kept.path);
  const why = kept.why === '' ? 'gone without a word' : `before ${harmless(kept.why)}`;
  return `kept ${what}  ${ago(kept.at, c)}, ${why}: ${restoreLine(kept)}`;
}

export function renderRestored({ kept, tree, branch, files }: Restored): Report {
  const where =
    tree !== null ? harmless(tree.path) : branch === null ? 'its files' : `branch ${branch}`;
  const own = shortBranch(kept.branch);
  return {
    ok: true,
    exit: exits.done,
    result: 'restored',
    facts: { ...keptFacts(kept), path: tree?.path ?? null, branch, ignored: files },
    says: [`restored ${where}${tree === null || branch === null ? '' : `, on branch ${branch}`}`],
    notes:
      own !== null && branch !== own
        ? [`note: ${own} has gone on since, so it is on ${branch ?? 'none'}`]
        : [],
  };
}
