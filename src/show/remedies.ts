/** What to do about each code of an error and each kind of refusal, for `coord explain`. */
import type { ErrorCode } from '../core/errors.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Problem } from '../guard/evaluate.ts';
import type { VerbRefusal } from '../render/report.ts';

export type Code =
  | ErrorCode
  | Refusal['kind']
  | VerbRefusal
  | Exclude<Problem['kind'], 'held'>
  | 'stashed';

const wait = 'Work on something else, wait with --wait, or ask the holder with coord ask.';

export const remedies: Readonly<Record<Code, string>> = {
  usage: 'coord <verb> --help shows its options, with examples.',
  unknown_verb: 'coord --help lists all verbs.',
  bad_pattern: 'Write it with what the message names; --literal takes it as a name.',
  pattern_too_complex: 'Name a directory, or several simpler patterns.',
  path_outside: 'Name a path of this repository, or use -C <dir> for another.',
  needs_wide: 'Name less; or say --wide and --reason.',
  bad_name: 'Choose another name, such as ann or ann/review.',
  bad_bead: 'Copy the id from the tracker, or from coord next.',
  bad_duration: 'Write it as 90s, 15m or 2h, within the range of the message.',
  bad_reason: 'Say in a few words what it is for.',
  bad_setting: 'coord config <key> says what it takes; coord config <key> --unset takes it out.',
  needs_reason: 'Add --reason "what for".',
  record_too_large: 'Name fewer patterns, or a shorter reason.',
  bad_payload: 'Update coord or the agent program; coord doctor names the versions.',
  not_a_repository: 'cd into a repository, or use -C <dir>; git init makes one.',
  bare_repository: 'Use a clone with files, or a linked work tree.',
  git_missing: 'Install git, or put it on the PATH.',
  git_too_old: 'Install git 2.34 or newer.',
  git_failed: 'Read what git said; the same command of git by hand shows it again.',
  git_timeout:
    'Try again; if it stays so, look for a git that hangs, such as one that asks for a password.',
  log_malformed:
    'coord doctor --fix puts the last state back that can be read; with --remote also on the server.',
  log_newer: 'Install the version of coord that the message names.',
  log_elsewhere: 'coord remote set <name> joins it.',
  log_rewound:
    'coord doctor --fix goes on from the newest state that this clone has seen; with --remote also on the server.',
  log_erased:
    'coord doctor --fix brings it back from what this clone has seen; with --remote also on the server.',
  log_forged: 'Ask whose operation it is, and look at coord.sign.',
  object_missing: 'git fetch, or coord doctor --fix.',
  not_writable:
    'Make the file that the message names writable for you; df shows whether the disk is full.',
  notes_malformed: 'git notes --ref coord list shows them; verify again what is to count.',
  tracker_failed: 'Run the command of the tracker that the message names by hand.',
  tracker_busy: 'Try again in a moment.',
  bad_log: 'Name a file that exists and is text.',
  not_testable: 'Commit or stage what is to be tested, or leave --own out.',
  bad_gate: 'Write gate.require in .coord.json as a list of commands.',
  arbiter_unreachable:
    'Look at the network and the URL: git ls-remote <name>. What you hold stays yours.',
  arbiter_refused: 'coord remote probe <name> says what the server takes.',
  bad_remote: 'git remote -v lists them; git remote add makes one.',
  busy: 'Try again.',
  locked:
    'If a git is at work, wait for it; else coord doctor --fix removes the lock of a dead one.',
  unknown_outcome:
    'Ask again with the same command: it is done once, whatever came of the first try.',
  cannot_run: 'Look at the name of the command, and whether it may be executed.',
  bug: 'Report it, with the command and what it printed.',

  both: 'coord stage refresh --merge, and resolve what is in conflict.',
  undone: 'coord stage refresh, look at it, and commit again.',
  lost: 'Keep it on a branch: git branch <name> <commit>.',
  unsaved: 'Wait until it is committed, or ask whose it is with coord ask.',
  stashed: 'Leave it to whose it is; git stash list names them.',
  'in-progress': 'Let it be finished, or ask who began it.',
  switched: 'git switch back, or go on here and say so by running the command again.',
  vanished: 'The printed command unstages the deletion; git rm it if it is to go.',
  mixed: 'git commit --amend with your own message.',
  lines: 'The printed command commits your own lines without them.',
  'not-staged': 'Commit with the git of the session: it is first on its PATH.',
  restored: 'coord stage status shows it; git reset begins anew.',
  nothing: 'Nothing: it is committed.',

  held: wait,
  grace: wait,
  timeout: wait,
  deadlock: 'Commit first what is printed, then run the printed command.',
  cap: 'Release what you do not need, such as with coord release --unchanged.',
  nothing_matched: 'coord status shows who holds what.',
  not_owner: 'Ask for it: coord ask <id> --reason "what for".',
  uncommitted: 'Commit what is printed, then ask again.',
  expired: 'Reserve it anew.',
  live_leases: 'Say --move to take them along, or wait until they are released.',
  no_such_agent: 'coord who lists them.',
  no_such_lease: 'coord status lists them.',
  not_your_session: 'Work in the shell of that session, or begin one under another name.',
  name_taken: 'Choose another name, or coord session adopt --token with its token.',
  wrong_token: 'Copy the token that session start printed.',
  lease_changed: 'Look again: coord status.',
  no_such_request: 'coord inbox lists what you were asked for.',
  own_lease: 'coord release gives it up.',
  bead_done: 'Take another: coord claim --next. To do it again, coord claim --again.',
  bead_parked: 'Take another: coord next. A person looks at why it failed.',
  tracker: 'Take another: coord claim --next.',
  nothing_ready: 'Wait, or open a bead in the tracker.',
  too_early:
    'Ask first: coord ask <id> --reason "what for". It can be broken once the time that is printed is over.',

  gate: 'Run the commands that are printed, then coord gate again.',
  behind: 'git pull, then coord push again.',
  dirty: 'Commit what is there, then finish again; or coord work abandon, which keeps it.',
  occupied: 'coord work list names them. Wait until they have left, or leave it yourself with cd.',
  locked_tree: 'Ask who locked it; git worktree unlock gives it free.',
};
