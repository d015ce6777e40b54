/** What each code of an error and each kind of refusal means, for `coord explain`. */
import type { ErrorCode } from '../core/errors.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Problem } from '../guard/evaluate.ts';
import type { VerbRefusal } from '../render/report.ts';

export const errorMeanings: Readonly<Record<ErrorCode, string>> = {
  usage: 'The command line is not what this command takes.',
  unknown_verb: 'There is no such command.',
  bad_pattern: 'The pattern is not one that coord knows: *, ?, ** across folders, [abc] and {a,b}.',
  pattern_too_complex:
    'The pattern is over a limit: 1 KiB, 64 alternatives, 16 times **, 64 patterns a lease.',
  path_outside: 'The path is not in this repository.',
  needs_wide: 'The pattern matches every path, which takes --wide and a --reason.',
  bad_name:
    'The name of an agent or a lock has other characters than a-z, 0-9, dots, dashes and underscores.',
  bad_bead: 'The id of the bead has characters that no id has.',
  bad_duration: 'The duration is not written as 90s, 15m or 2h, or is out of range.',
  bad_reason: 'The reason is empty or too long.',
  bad_setting: 'A setting has a value that it cannot have, or there is no such setting.',
  needs_reason: 'This takes a --reason, which goes on record.',
  record_too_large: 'What would be written is over the limit for one record of the log.',
  bad_payload: 'The harness has sent something that coord cannot read.',
  not_a_repository: 'There is no git repository here.',
  bare_repository: 'The repository is bare, and nobody works in it.',
  git_missing: 'There is no git on the PATH.',
  git_too_old: 'git is older than the oldest version that coord works with.',
  git_failed: 'A git command that coord ran has failed.',
  git_timeout: 'A git command that coord ran has not ended in time.',
  log_malformed: 'The log, or one of its records, cannot be read.',
  log_newer: 'A newer coord has written the log; install that version.',
  log_elsewhere: 'The remote has the log of the team, and this clone has not joined it.',
  log_rewound:
    'The log stands where it stood before: somebody has put an older state in its place.',
  log_erased: 'The log was there and is gone.',
  log_forged: 'An operation of the log is not signed as this repository demands.',
  object_missing: 'git lacks an object that the log names.',
  not_writable: 'A file or folder that coord writes to cannot be written.',
  notes_malformed: 'The git notes with the evidence cannot be read.',
  tracker_failed: 'The tracker of beads has failed.',
  tracker_busy: 'The tracker of beads is in use by somebody else.',
  bad_log: 'The file that was given as a log of a failed run cannot be read.',
  not_testable: 'What is to be verified cannot be checked out as it is.',
  bad_gate: 'The commands that the gate demands are not written as it reads them.',
  arbiter_unreachable: 'The remote that has the log does not answer.',
  arbiter_refused: 'The remote that has the log does not take what was sent.',
  bad_remote: 'There is no such remote, or its URL is none that a log can be at.',
  busy: 'Others were at the log all the time; nothing has been done.',
  locked: 'A lock file of git is in the way.',
  unknown_outcome: 'The operation was sent, and whether it took effect is not known yet.',
  cannot_run: 'The command that was given cannot be started.',
  bug: 'Something in coord is wrong.',
};

/** What stands in the way of a commit or a command; its kinds are those of the guard. */
type GuardKind = Exclude<Problem['kind'], 'held'> | 'stashed' | 'occupied';

export const guardMeanings: Readonly<Record<GuardKind, string>> = {
  both: 'The file was changed by you and by a commit that came since.',
  undone: 'The commit would put back what others have changed.',
  lost: 'A commit of somebody else would be on no branch any more.',
  unsaved: 'Somebody else has uncommitted changes in the file.',
  occupied: 'Somebody is in the work tree that would go.',
  stashed: 'Somebody else has stashed it.',
  'in-progress': 'A merge, a rebase or the like of somebody else is in progress.',
  switched: 'Somebody else has switched the branch since you last looked.',
  vanished: 'The commit would delete a file that is still there.',
  mixed: 'The commit has the message of another one, made at the same moment.',
  lines: 'What is staged of a file touches lines that others have in it and have not committed.',
  'not-staged': 'The commit does not come from the private index of the agent.',
  locked: 'Another git is at work on the index.',
  restored:
    'The private index was damaged and is as it was last known to be good: it has to be looked at.',
  nothing: 'What was staged is in HEAD by now.',
};

export const refusalMeanings: Readonly<Record<Refusal['kind'], string>> = {
  held: 'Another agent holds it, or asked for it first.',
  grace: 'It has expired, and for a while only its former holder may renew it.',
  timeout: 'It did not become free in the time that was given.',
  deadlock: 'Its holder waits, directly or not, for something of yours: this wait would never end.',
  cap: 'There is a limit on how much an agent, or all of them, may hold or wait for.',
  nothing_matched: 'Nothing that you hold is what was named.',
  not_owner: 'It is held by somebody else.',
  uncommitted: 'All that could be given up has uncommitted changes.',
  expired: 'The lease has expired, and an expired lease does not come back.',
  live_leases: 'The log changes places, and what is held has to go along.',
  no_such_agent: 'No agent has this name.',
  no_such_lease: 'No lease has this id.',
  not_your_session: 'The name belongs to a session, and this command does not come from it.',
  name_taken: 'There is a session of this name.',
  wrong_token: 'No session has this token.',
  lease_changed: 'What was asked for is not held any more as it was then.',
  no_such_request: 'Nobody has asked for it.',
  own_lease: 'It is your own.',
  bead_done: 'The bead is done.',
  bead_parked: 'The bead has failed too often and waits for a person.',
  tracker: 'The tracker of beads does not give it.',
  nothing_ready: 'No bead is ready that nobody works on.',
  too_early: 'Its holder is active, or still has time to answer.',
};

/** Refusals that are not about leases: of `gate` and `done`, of `push`, and of `work`. */
export const verbMeanings: Readonly<Record<VerbRefusal, string>> = {
  gate: 'The commit is not finished work: `missing` lists what it lacks.',
  behind: 'The branch on the remote has commits that are not in yours.',
  dirty: 'The work tree has changes that are in no commit.',
  occupied: 'Somebody is in the work tree: a process, or an agent with its session.',
  locked_tree: 'Somebody has told git to keep the work tree.',
};
