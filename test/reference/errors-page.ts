/** docs/reference/errors.md: every code of an error, kind of refusal and problem of the guard. */

import { CoordError, type ErrorCode } from '../../src/core/errors.ts';
import { exitMeanings } from '../../src/core/exits.ts';
import { nobodyAsked } from '../../src/core/next.ts';
import type { Refusal } from '../../src/core/refusal.ts';
import { emptyState } from '../../src/core/state.ts';
import { renderRefused } from '../../src/render/refusal.ts';
import { errorReport, type VerbRefusal } from '../../src/render/report.ts';
import {
  errorMeanings,
  guardMeanings,
  refusalMeanings,
  verbMeanings,
} from '../../src/show/codes.ts';
import { remedies } from '../../src/show/remedies.ts';
import { code, fence, page, table } from './markdown.ts';

const somebody = { id: 'k3m9x2p7', name: 'ann' };
const unused = (): never => {
  throw new Error('nothing is drawn for a page');
};

const circumstances = {
  now: { at: 0, domain: 'page', uptimeMs: 0, sinceSeenMs: () => 0 },
  seq: 1,
  graceMs: 0,
  stalledMs: 0,
  breakMs: 0,
  folding: { ignoreCase: false, composeUnicode: false },
  newId: unused,
};

/** A refusal of this kind with all that any has, as the report takes it. */
function exitOf(kind: Refusal['kind']): number {
  const all = {
    kind,
    blockers: [],
    leases: [],
    ahead: [],
    cycle: [],
    paths: [],
    named: kind === 'nothing_matched' ? ['x'] : 'x',
    agent: somebody,
    by: somebody,
    bead: 'bd-1',
    tracker: 'bd',
    said: '',
    at: 0,
    failures: 0,
    scope: 'agent',
    limit: 1,
    retryInMs: 0,
  };
  const at = { tip: null, seq: 0, state: emptyState(0) };
  return renderRefused({
    kind: 'refused',
    refusal: all as Refusal,
    at,
    ctx: circumstances,
    asked: nobodyAsked,
    explainId: '',
    isInterrupted: false,
  }).exit;
}

const verbKinds = Object.keys(verbMeanings) as readonly VerbRefusal[];

/** Kinds that are not about leases, all with exit 1. */
const ownKinds: readonly (readonly [kind: string, means: string, remedy: string])[] = [
  ...verbKinds.map((kind) => [kind, verbMeanings[kind], remedies[kind]] as const),
  [
    'conflict',
    'The same lines have changed since.',
    'coord rescue restore without --in-place puts it into a folder of its own.',
  ],
  ['left', 'Some of the files are as they were: `files` says why.', 'Look at these files.'],
  [
    'unsaved',
    'Bringing it back would replace uncommitted changes of others.',
    'Wait until they are committed, or restore into a folder of its own.',
  ],
];

export const errorCodes = Object.keys(errorMeanings) as readonly ErrorCode[];
export const refusalKinds = Object.keys(refusalMeanings) as readonly Refusal['kind'][];
export const guardKinds: readonly string[] = Object.keys(guardMeanings);

function errorExit(errorCode: ErrorCode): number {
  return errorReport(new CoordError(errorCode, '')).exit;
}

export function errorsPage(): string {
  return page('Errors and refusals', [
    'An error says that something failed, a refusal that the answer is no. `coord explain <code>` says what one means, `coord explain <id>` what a certain refusal was about.',
    '## Exit codes',
    table(
      ['code', 'means'],
      exitMeanings.map(([number, means]) => [String(number), means]),
    ),
    `## Errors`,
    `${errorCodes.length} codes. With \`--json\`:`,
    fence('json', [
      '{"schema":"coord.reserve/1","ok":false,"result":"error","error":{"code":"not_a_repository","message":"...","hint":"..."}}',
    ]),
    table(
      ['code', 'exit', 'means', 'what to do'],
      errorCodes.map((one) => [
        code(one),
        String(errorExit(one)),
        errorMeanings[one],
        remedies[one],
      ]),
    ),
    '## Refusals',
    `${refusalKinds.length} kinds, in \`refusal.kind\`; [refusal.json](../../schema/refusal.json) has the facts of each. Where a signal ends a wait, the result is \`interrupted\` and the exit code 130.`,
    table(
      ['kind', 'exit', 'means', 'what to do'],
      refusalKinds.map((kind) => [
        code(kind),
        String(exitOf(kind)),
        refusalMeanings[kind],
        remedies[kind],
      ]),
    ),
    'Kinds that are not about leases: of `gate` and `done`, of `push`, of `work`, of `rescue restore`, of `undo`.',
    table(
      ['kind', 'exit', 'means', 'what to do'],
      ownKinds.map(([kind, means, remedy]) => [code(kind), '1', means, remedy]),
    ),
    '## What the guard finds',
    `${guardKinds.length} kinds of problems besides \`held\`, in \`problems\` of \`coord commit\` and in \`why\` of the events \`blocked\` and \`overridden\`. A hook of git that finds one ends with 1.`,
    table(
      ['kind', 'means', 'what to do'],
      guardKinds.map((kind) => [
        code(kind),
        guardMeanings[kind as keyof typeof guardMeanings],
        remedies[kind as keyof typeof guardMeanings],
      ]),
    ),
  ]);
}
