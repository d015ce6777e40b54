/**
 * What a command says: `facts` are the JSON object, `says` and `notes` what a person reads, `exit`
 * what the shell sees. There is no other way to say anything, so text and JSON cannot disagree.
 */
import type { CoordError, ErrorCode } from '../core/errors.ts';
import { exits } from '../core/exits.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Said } from './table.ts';

/** Refusals that are no decision about leases, of one verb each. */
export type VerbRefusal = 'gate' | 'behind' | 'dirty' | 'occupied' | 'locked_tree';

export interface Report {
  readonly ok: boolean;
  readonly exit: number;
  /** The word for what came out: granted, refused, free ... */
  readonly result: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** For people: `says` is data and goes to stdout, `notes` go to stderr. */
  readonly says: readonly Said[];
  /** What a program reads, byte for byte; a person is shown it as lines, made harmless. */
  readonly patch?: Buffer;
  readonly notes?: readonly string[];
  /** The code of what went wrong, or the kind of a refusal, and the command that makes sense now. */
  readonly error?: ErrorCode;
  readonly refusal?: Refusal['kind'] | VerbRefusal;
  readonly next?: string;
  /** Everything has been said already, line by line. */
  readonly silent?: true;
  /** Its lines are no answers, whatever word they begin with. */
  readonly isHelp?: true;
  /** Of no use in part, however long. */
  readonly isWhole?: true;
}

const exitOf: Readonly<Record<ErrorCode, number>> = {
  usage: 64,
  unknown_verb: 64,
  bad_pattern: 64,
  pattern_too_complex: 64,
  path_outside: 64,
  needs_wide: 64,
  bad_name: 64,
  bad_bead: 64,
  bad_duration: 64,
  bad_reason: 64,
  bad_setting: 64,
  needs_reason: 64,
  bad_payload: 64,
  record_too_large: 64,
  not_a_repository: 69,
  bare_repository: 69,
  git_missing: 69,
  git_too_old: 69,
  git_failed: 69,
  git_timeout: 69,
  log_malformed: 69,
  log_newer: 69,
  log_elsewhere: exits.unavailable,
  log_rewound: 69,
  log_erased: 69,
  log_forged: 69,
  object_missing: 69,
  not_writable: 69,
  cannot_run: 69,
  notes_malformed: 69,
  tracker_failed: 69,
  tracker_busy: 75,
  bad_log: 64,
  bad_gate: 64,
  not_testable: 69,
  busy: 75,
  locked: 75,
  unknown_outcome: 75,
  arbiter_unreachable: 75,
  arbiter_refused: 69,
  bad_remote: 64,
  bug: 70,
};

export function errorReport(error: CoordError): Report {
  const { code, message, hint } = error;
  return {
    ok: false,
    exit: exitOf[code],
    result: 'error',
    error: code,
    ...(hint === undefined ? {} : { next: hint }),
    facts: { error: { code, message, ...(hint === undefined ? {} : { hint }) } },
    says: [],
    notes: [`coord: ${message}`, ...(hint === undefined ? [] : [`  try: ${hint}`])],
  };
}
