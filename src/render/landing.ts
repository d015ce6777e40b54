/** Many machines: which log is the truth, and work that was pushed together with it. */
import { showAgent } from '../core/agent.ts';
import { counted } from '../core/counted.ts';
import { exits } from '../core/exits.ts';
import { describe } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { afterBehind } from '../core/next.ts';
import { shellLine } from '../core/shell-line.ts';
import type { PushOutcome } from '../landing/push.ts';
import type { SwitchOutcome } from '../landing/switch.ts';
import { logRef as defaultRef } from '../log/view.ts';
import { renderRefused } from './refusal.ts';
import type { Report } from './report.ts';

export function renderPushed(outcome: PushOutcome): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  if (outcome.kind === 'behind') {
    const { remote, ref, there } = outcome;
    const next = afterBehind(remote, ref);
    return {
      ok: false,
      exit: exits.refused,
      result: 'refused',
      refusal: 'behind',
      next,
      facts: { refusal: { kind: 'behind' }, blockers: [], branch: ref, there, next },
      says: [],
      notes: [
        `refused: ${ref} on '${remote}' has commits that are not in yours`,
        `  next: ${next}`,
      ],
    };
  }
  const { remote, ref, commit, tokens, isNew } = outcome.result;
  const where = `${ref} on '${remote}' is at ${commit.slice(0, 10)}`;
  const word = tokens.length === 1 ? 'token' : 'tokens';
  const under = tokens.length === 0 ? '' : `, under ${word} ${tokens.join(' ')}`;
  return {
    ok: true,
    exit: exits.done,
    result: isNew ? 'landed' : 'unchanged',
    facts: { branch: ref, commit, tokens, remote },
    says: [isNew ? `${where}, and the log says so${under}` : `${where} already`],
  };
}

/** `ttlMs` is what leases here get unless they ask for more. */
export function renderSwitched(outcome: SwitchOutcome, ttlMs: number): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  return outcome.kind === 'set' ? renderSet(outcome, ttlMs) : renderOff(outcome);
}

type Set = Extract<SwitchOutcome, { readonly kind: 'set' }>;
type Off = Extract<SwitchOutcome, { readonly kind: 'off' }>;

function renderSet({ to: { remote, ref }, carried, given, isNew }: Set, ttlMs: number): Report {
  return {
    ok: true,
    exit: exits.done,
    result: isNew ? 'set' : 'unchanged',
    facts: { remote, ref, carried: carried.map(({ id }) => id) },
    says: [
      `the log ${isNew ? 'is now' : 'is already'} on remote '${remote}' at ${ref}: whoever works with it is seen here, and sees us`,
      ...(carried.length === 0 ? [] : [`${counted(carried.length, 'lease')} went along`]),
      ...given.map(
        (lease) =>
          `given up here, because it is held there: ${describe(lease)} of ${showAgent(lease.agent)}`,
      ),
    ],
    notes: [
      `note: run this once in every clone: ${shellLine('coord', 'remote', 'set', remote, ...(ref === defaultRef ? [] : ['--ref', ref]))}`,
      ...(ttlMs < limits.remoteTtlAdviceMs
        ? ['note: over a network longer leases cost less: git config coord.ttl 45m']
        : []),
    ],
  };
}

function renderOff({ was, carried, isTold }: Off): Report {
  const unchanged = ['the log is in this repository already'];
  if (was === null)
    return {
      ok: true,
      exit: exits.done,
      result: 'unchanged',
      facts: { remote: null },
      says: unchanged,
    };
  return {
    ok: true,
    exit: exits.done,
    result: 'off',
    facts: { remote: null, was, carried: carried.map(({ id }) => id) },
    says: [
      `the log is in this repository again; it was on remote '${was.remote}' at ${was.ref}`,
      ...(carried.length === 0
        ? []
        : [`${counted(carried.length, 'lease')} of this clone came along`]),
    ],
    notes: isTold
      ? []
      : [
          `note: remote '${was.remote}' shows them until their time is over, because it could not be told`,
        ],
  };
}
