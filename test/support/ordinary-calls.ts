/**
 * One ordinary call of every verb, in an order in which one agent could give them all and is
 * refused nothing, and what each has to answer where the log is of a newer format. The tests of two
 * versions in one repository go by it, and test/journeys/ordinary-calls.test.ts holds it against
 * the product's own list of verbs.
 */

/**
 * By `me`, whose calls these are, by git in my session, or by somebody else, who is named and has
 * another coord unless it is `of mine`.
 */
export type Step = readonly [who: string, ...words: readonly string[]];

export interface OrdinaryCall {
  /** `lease of src/a` stands for the id of that lease, `my token` for my session's. */
  readonly args: readonly string[];
  /** What has to be there before. */
  readonly before?: readonly Step[];
  /**
   * On a log of a newer format it ends with that one error, or names it among its findings; what
   * never looks into the log says why, and does what it always does.
   */
  readonly onNewer: 'error' | 'finding' | { readonly works: string };
  /** It touches no repository that anybody else uses. */
  readonly isApart?: true;
}

function reading(args: readonly string[], ...before: readonly Step[]): OrdinaryCall {
  return { args, before, onNewer: 'error' };
}

function without(works: string, ...args: readonly string[]): OrdinaryCall {
  return { args, onNewer: { works } };
}

function apart(works: string, ...args: readonly string[]): OrdinaryCall {
  return { args, onNewer: { works }, isApart: true };
}

const kept = 'what was kept stands in refs of its own';
const soon = 'coord.breakAfter=0s';

const beginning: readonly OrdinaryCall[] = [
  reading(['session', 'start', 'me']),
  reading(['session', 'adopt', '--token', 'my token']),
  reading(['session', 'list']),
  reading(['whoami']),
  without('it writes hooks, and they look into the log each time', 'install'),
];

const holding: readonly OrdinaryCall[] = [
  reading(['reserve', 'src/b', 'src/c']),
  reading(['check', 'src/b']),
  reading(['renew']),
  reading(['ask', 'lease of src/a', '--reason', 'please'], ['ann', 'reserve', 'src/a']),
  reading(
    ['answer', 'lease of src/b', 'decline', '--reason', 'soon done'],
    ['ann', 'ask', 'lease of src/b', '--reason', 'please'],
  ),
  reading(['transfer', 'src/d', '--to', 'ann'], ['me', 'reserve', 'src/d']),
  reading(
    ['break', 'lease of src/e', '--reason', 'it is gone', '-c', soon],
    // Under a lease of 0.1.0, which does not say how long it is protected, that is 5m at least.
    ['eve of mine', '-c', soon, 'reserve', 'src/e'],
  ),
  reading(['lock', 'build']),
  reading(['unlock', 'build']),
  reading(['run', '--lock', 'test', '--', 'true']),
  reading(['verify', '--', 'true']),
  reading(['pause', '--for', '1m', '--reason', 'a release']),
  reading(['pause', '--end']),
];

const working: readonly OrdinaryCall[] = [
  reading(['claim', 'bd-1']),
  reading(['unclaim', 'bd-1']),
  reading(['next']),
  reading(['done', 'bd-2', '--no-change', '--reason', 'it was done'], ['me', 'claim', 'bd-2']),
  reading(['work', 'start', 'bd-7']),
  reading(['work', 'list']),
  reading(['work', 'adopt', 'bd-7']),
  reading(['conflicts']),
  reading(
    ['work', 'abandon', 'bd-7'],
    ['git', '-C', '../repo.work/bd-7-1', 'commit', '-q', '--allow-empty', '-m', 'kept'],
  ),
  reading(
    ['work', 'finish', 'bd-8', '--no-change', '--reason', 'it was done'],
    ['me', 'work', 'start', 'bd-8'],
  ),
  reading(['work', 'restore', 'coord/bd-7/1']),
  reading(['stage', 'status']),
  reading(['stage', 'refresh']),
  reading(['hook', 'git', 'pre-commit']),
  reading(
    ['commit', '-m', 'change b', '-m', 'Bead: bd-3'],
    ['me', 'claim', 'bd-3'],
    ['git', 'add', 'src/b'],
  ),
  reading(['gate']),
  reading(['diff', '--all']),
  reading(['undo', 'src/b']),
  reading(['rescue', 'save']),
  reading(['rescue', 'list']),
  without(kept, 'rescue', 'show', 'me'),
  without(kept, 'rescue', 'diff', 'me'),
  without(
    `${kept}, and nobody works in a new folder`,
    'rescue',
    'restore',
    'me',
    '--to',
    '../restored',
  ),
  reading(['rescue', 'restore', 'me', '--in-place']),
];

const seeing: readonly OrdinaryCall[] = [
  reading(['status']),
  reading(['who']),
  reading(['log']),
  reading(['stats']),
  reading(['inbox']),
  reading(['statusline']),
  without('what a code means is the same in every log', 'explain', 'held'),
  { args: ['doctor'], onNewer: 'finding' },
  reading(['doctor', '--fix']),
  without('a server; each of its tools looks for itself', 'mcp'),
];

const ending: readonly OrdinaryCall[] = [
  reading(['remote', 'probe', 'origin']),
  reading(['remote', 'set', 'origin', '--move']),
  reading(['sync']),
  reading(['push']),
  reading(['remote', 'off', '--move']),
  reading(['sweep']),
  reading(['release', 'src/b']),
  reading(['session', 'end']),
  without('it looks at settings alone', 'config'),
  without('a plan is made of files alone', 'init', '--dry-run'),
  without('it takes hooks away, and leaves the log alone', 'uninstall'),
];

export const ordinaryCalls: readonly OrdinaryCall[] = [
  ...beginning,
  ...holding,
  ...working,
  ...seeing,
  ...ending,
  apart('it prints what a shell has to know', 'completion', 'bash'),
  apart('it prints what a shell has to know', 'shell', 'bash'),
  apart('a model, without a repository', 'simulate', '--remote', '--hours', '0.1'),
  without('it reads the history alone', 'replay'),
  apart('it makes a repository of its own', 'demo'),
];
