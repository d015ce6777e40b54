/**
 * The world failed (CoordError) or we are wrong (assert). An expected "no" is neither: it is a
 * Refusal, a value. A message is lower case, quotes its subject and says first what failed.
 */
export type ErrorCode =
  | 'usage'
  | 'unknown_verb'
  | 'bad_pattern'
  | 'pattern_too_complex'
  | 'path_outside'
  | 'needs_wide'
  | 'bad_name'
  | 'bad_bead'
  | 'bad_duration'
  | 'bad_reason'
  | 'bad_setting'
  | 'needs_reason'
  | 'record_too_large'
  | 'bad_payload'
  | 'not_a_repository'
  | 'bare_repository'
  | 'git_missing'
  | 'git_too_old'
  | 'git_failed'
  | 'git_timeout'
  | 'log_malformed'
  | 'log_newer'
  | 'log_elsewhere'
  | 'log_rewound'
  | 'log_erased'
  | 'log_forged'
  | 'object_missing'
  | 'not_writable'
  | 'notes_malformed'
  | 'tracker_failed'
  | 'tracker_busy'
  | 'bad_log'
  | 'not_testable'
  | 'bad_gate'
  | 'arbiter_unreachable'
  | 'arbiter_refused'
  | 'bad_remote'
  | 'busy'
  | 'locked'
  | 'unknown_outcome'
  | 'cannot_run'
  | 'bug';

export class CoordError extends Error {
  readonly code: ErrorCode;
  /** The next command, or what to change. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CoordError';
    this.code = code;
    this.hint = hint;
  }
}

export function assert(truth: boolean, what: string): asserts truth {
  if (!truth) throw new CoordError('bug', `assertion failed: ${what}`);
}
