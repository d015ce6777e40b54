/**
 * Which built file has a verb, by its first word: nobody loads what it does not need. All that is
 * not named here is in the last one.
 */
export type Bundle = 'hot' | 'hooks' | 'work' | 'cold';

const words: Readonly<Record<Exclude<Bundle, 'cold'>, readonly string[]>> = {
  hot: [
    'session',
    'whoami',
    'reserve',
    'check',
    'renew',
    'release',
    'status',
    'who',
    'lock',
    'unlock',
    'inbox',
    'statusline',
  ],
  hooks: ['hook', 'stage'],
  work: [
    'claim',
    'unclaim',
    'done',
    'next',
    'verify',
    'gate',
    'ask',
    'answer',
    'transfer',
    'break',
    'sweep',
    'sync',
    'explain',
    'stats',
  ],
};

const known: ReadonlyMap<string, Bundle> = new Map(
  (['hot', 'hooks', 'work'] as const).flatMap((bundle) =>
    words[bundle].map((word) => [word, bundle] as const),
  ),
);

/**
 * The first word that is a verb. A value of an option before it may be called so too: then the
 * bundle does not understand the line, and the last one does.
 */
export function bundleOf(argv: readonly string[]): {
  readonly bundle: Bundle;
  /** Where in the line the verb is, or -1. */
  readonly at: number;
} {
  const at = argv.findIndex((word) => known.has(word));
  return { bundle: known.get(argv[at] ?? '') ?? 'cold', at };
}
