/**
 * One ordinary call of every hook that coord has written anywhere: by git, by a server, by the shim
 * of a session's git, by harnesses. test/journeys/ordinary-calls.test.ts holds it against what the
 * product writes.
 */

interface GitHook {
  readonly args: readonly string[];
  /** On standard input; HEAD stands for its commit, in the arguments too. */
  readonly input?: string;
}

const update = 'HEAD HEAD refs/heads/main\n';

/** In a checkout: `coord hook git <event>`. */
export const gitHooks: Readonly<Record<string, GitHook>> = {
  'pre-commit': { args: [] },
  'pre-merge-commit': { args: [] },
  'prepare-commit-msg': { args: ['.git/MESSAGE', 'message'] },
  'commit-msg': { args: ['.git/MESSAGE'] },
  'post-commit': { args: [] },
  active: { args: [] },
  'post-merge': { args: ['0'] },
  'pre-rebase': { args: ['main'] },
  'post-checkout': { args: ['HEAD', 'HEAD', '0'] },
  'post-rewrite': { args: ['amend'], input: 'HEAD HEAD\n' },
  'reference-transaction': { args: ['prepared'], input: update },
  command: { args: ['checkout', '-q', 'main'] },
  'after-command': { args: [] },
  removes: { args: ['-rf', 'src/nothing'] },
  deleted: { args: [] },
  moved: { args: [] },
  refused: { args: [] },
  sparse: { args: ['person'] },
  'pre-push': { args: ['origin', 'there'], input: 'refs/heads/main HEAD refs/heads/main HEAD\n' },
};

/** In the bare repository that others push to. */
export const serverHooks: Readonly<Record<string, GitHook>> = {
  'pre-receive': { args: [], input: update },
  update: { args: [], input: update },
};

interface HarnessMoment {
  /** What the harness tells of: a tool that edits, one that runs a command, or no tool. */
  readonly tool: 'edit' | 'shell' | 'read' | null;
  /** Where the log cannot be read: an edit is denied, a read is none of its business, all else is let through with a line. */
  readonly unread: 'denied' | 'let through' | 'quiet';
}

/** `agent-hook <harness> <moment>`. */
export const harnessMoments: Readonly<Record<string, HarnessMoment>> = {
  'session-start': { tool: null, unread: 'let through' },
  prompt: { tool: null, unread: 'let through' },
  'before-edit': { tool: 'edit', unread: 'denied' },
  'after-edit': { tool: 'edit', unread: 'let through' },
  'before-shell': { tool: 'shell', unread: 'let through' },
  'before-read': { tool: 'read', unread: 'quiet' },
  'after-shell': { tool: 'shell', unread: 'let through' },
  'subagent-start': { tool: null, unread: 'let through' },
  'subagent-stop': { tool: null, unread: 'let through' },
  compact: { tool: null, unread: 'let through' },
  'session-end': { tool: null, unread: 'let through' },
};

/** The moments that each harness tells of, in the order of a session. */
const usual = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'before-read',
  'after-shell',
  'subagent-start',
  'subagent-stop',
  'compact',
  'session-end',
] as const;

export const harnessHooks = {
  claude: usual,
  codex: usual.filter((moment) => moment !== 'before-read'),
  gemini: usual.filter((moment) => !/^subagent-|^compact$/.test(moment)),
  cursor: usual.filter((moment) => !/^prompt$|^before-read$/.test(moment)),
  kilo: usual,
  opencode: usual,
  qwen: usual,
  copilot: usual.filter((moment) => moment !== 'compact'),
} as const;
