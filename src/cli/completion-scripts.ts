/**
 * What a shell offers at a tab: verbs and flags stand in the script itself, and what is on record is
 * asked of plain git, so that a tab starts no node.
 */
import { harnesses } from '../adapter/harnesses.ts';
import { settingByKey } from '../core/settings.ts';
import { type Completes, type Flag, familiesOf, globalFlags, type Verb } from './verb.ts';

const settings = [...settingByKey.values()].map(({ name }) => name.slice('coord.'.length));

/** A line each. */
function listed(words: readonly string[]): string {
  return `printf '%s\\n' ${words.join(' ')}`;
}

/** A command of each kind, in words that bash, zsh and fish have in common. */
const candidates: Readonly<Record<Completes, string>> = {
  agent: "git for-each-ref --format='%(authorname)' refs/coord/agents",
  bead: 'git for-each-ref --format=\'%(refname:lstrip=3)\' refs/coord/claims; sed -n \'s/.*"id": *"\\([A-Za-z0-9._-]*\\)".*/\\1/p\' .beads/issues.jsonl',
  branch: "git for-each-ref --format='%(refname:lstrip=2)' refs/heads",
  lease:
    "git for-each-ref --format='%(refname:lstrip=3)' refs/coord/reservations refs/coord/claims refs/coord/locks",
  lock: "git for-each-ref --format='%(refname:lstrip=3)' refs/coord/locks",
  remote: 'git remote',
  request: "coord status | sed -n 's/^asked *\\([0-9a-z]*\\).*/\\1/p'",
  setting: listed(settings),
  shell: listed(['bash', 'zsh', 'fish']),
  snapshot: "git for-each-ref --format='%(refname:lstrip=3)' refs/coord/saved",
};

/** Files stand beside these: a path may be meant as well. */
const besideFiles: readonly Completes[] = ['lease'];

function flagsOf(verb: Verb): readonly Flag[] {
  return [...verb.flags, ...globalFlags];
}

function candidatesOf({ name, completes, choices }: Flag): string | null {
  if (completes !== undefined) return candidates[completes];
  if (name === 'harness') return listed([...harnesses.map((one) => one.name), 'all', 'none']);
  return choices === undefined ? null : listed(choices);
}

const onlyOnce = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

/** What follows a flag, by its name and what asks for it. */
function valueCases(verbs: readonly Verb[]): readonly (readonly [names: string, asks: string])[] {
  const flags = verbs.flatMap(flagsOf).filter(({ value }) => value !== undefined);
  const asked = onlyOnce(flags.flatMap((flag) => candidatesOf(flag) ?? []));
  return asked.map((asks) => {
    const names = flags
      .filter((flag) => candidatesOf(flag) === asks)
      .map(({ name }) => `--${name}`);
    return [onlyOnce(names).join('|'), asks] as const;
  });
}

/** Of the verbs whose words are of one kind. */
function wordCases(
  verbs: readonly Verb[],
): readonly (readonly [words: readonly string[], kind: Completes])[] {
  const kinds = onlyOnce(verbs.flatMap(({ positional }) => positional?.completes ?? []));
  return kinds.map((kind) => [
    verbs
      .filter(({ positional }) => positional?.completes === kind)
      .map(({ words }) => words.join(' ')),
    kind,
  ]);
}

const offering: readonly string[] = [
  '# What others have named may be anything: only what no shell would read is offered.',
  '_coord_offer() {',
  '  local word',
  '  while read -r word; do',
  '    case $word in *[!A-Za-z0-9._/@+-]*) ;; "$current"*) COMPREPLY+=("$word") ;; esac',
  '  done < <(eval "$1" 2>/dev/null)',
  '}',
];

/** Works for `coord`, `git-coord` and `git coord`. */
function bash(verbs: readonly Verb[]): readonly string[] {
  const firsts = onlyOnce(verbs.map(({ words }) => words[0] ?? ''));
  const valued = globalFlags
    .filter(({ value }) => value !== undefined)
    .flatMap(({ name, short }) =>
      short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
    );
  const offer = (words: string): string =>
    `COMPREPLY=($(compgen -W '${words}' -- "$current")); return`;
  return [
    ...offering,
    '_coord() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb= second= start=0 i',
    '  COMPREPLY=()',
    '  for ((i = 0; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in coord|*/coord|git-coord|*/git-coord) start=$((i + 1)); break ;; esac',
    '  done',
    '  for ((i = start; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in',
    `      ${valued.join('|')}) ((i++)) ;;`,
    '      -*) ;;',
    '      *) if [ -z "$verb" ]; then verb=${COMP_WORDS[i]}; elif [ -z "$second" ]; then second=${COMP_WORDS[i]}; fi ;;',
    '    esac',
    '  done',
    '  case $before in',
    ...valueCases(verbs).map(
      ([names, asks]) => `    ${names}) _coord_offer ${quoted(asks)}; return ;;`,
    ),
    '  esac',
    `  case $verb$current in -*) ${offer(globalFlags.map(({ name }) => `--${name}`).join(' '))} ;; esac`,
    `  if [ -z "$verb" ]; then ${offer(firsts.join(' '))}; fi`,
    '  case $verb in',
    ...[...familiesOf(verbs)].map(
      ([word, family]) =>
        `    ${word}) [ -z "$second" ] && { ${offer(family.map(({ words }) => words[1]).join(' '))}; } ;;`,
    ),
    '  esac',
    '  case $current in',
    '    -*) case $verb in',
    ...firsts.map((word) => {
      const flags = verbs.filter(({ words }) => words[0] === word).flatMap(flagsOf);
      return `      ${word}) ${offer(onlyOnce(flags.map(({ name }) => `--${name}`)).join(' '))} ;;`;
    }),
    '    esac ;;',
    '  esac',
    '  case $verb in',
    ...families(verbs).map((word) => `    ${word}) verb="$verb $second" ;;`),
    '  esac',
    '  case $verb in',
    ...wordCases(verbs).map(
      ([words, kind]) =>
        `    ${words.map((word) => `'${word}'`).join('|')}) _coord_offer ${quoted(candidates[kind])}${besideFiles.includes(kind) ? '' : '; return'} ;;`,
    ),
    '  esac',
    '  COMPREPLY+=($(compgen -f -- "$current"))',
    '}',
  ];
}

function families(verbs: readonly Verb[]): readonly string[] {
  return [...familiesOf(verbs).keys()];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fish(verbs: readonly Verb[]): readonly string[] {
  const quote = (text: string): string =>
    `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const inVerb = (words: string): string =>
    words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  const offered = (flag: Flag): string => {
    const asks = candidatesOf(flag);
    if (flag.value === undefined) return '';
    return asks === null ? ' -r' : ` -x -a ${quote(`(${asks})`)}`;
  };
  return [
    ...verbs
      .filter(({ words, isForPeople }) => words.length === 1 && isForPeople !== false)
      .map(
        ({ words, about }) =>
          `complete -c coord -n __fish_use_subcommand -a ${words[0] ?? ''} -d ${quote(about)}`,
      ),
    ...families(verbs).map((word) => `complete -c coord -n __fish_use_subcommand -a ${word}`),
    ...verbs
      .filter(({ words }) => words.length === 2)
      .map(
        ({ words, about }) =>
          `complete -c coord -n '__fish_seen_subcommand_from ${words[0] ?? ''}' -a ${words[1] ?? ''} -d ${quote(about)}`,
      ),
    ...wordCases(verbs).flatMap(([all, kind]) =>
      all.map(
        (words) =>
          `complete -c coord -n '${inVerb(words)}' ${besideFiles.includes(kind) ? '' : '-f '}-a ${quote(`(${candidates[kind]})`)}`,
      ),
    ),
    ...verbs.flatMap(({ words, flags }) =>
      flags.map(
        (flag) =>
          `complete -c coord -n '${inVerb(words.join(' '))}' -l ${flag.name}${offered(flag)} -d ${quote(flag.about)}`,
      ),
    ),
    ...globalFlags.map(
      (flag) => `complete -c coord -l ${flag.name}${offered(flag)} -d ${quote(flag.about)}`,
    ),
    'complete -c git-coord --wraps coord',
    `complete -c git -f -n '__fish_seen_subcommand_from coord' -a '(complete -C "coord "(string split -m1 " coord " -- (commandline -cp))[2])'`,
  ];
}

/** Null for a shell that there is nothing for. */
export function completionFor(shell: string, verbs: readonly Verb[]): readonly string[] | null {
  const forBash = [...bash(verbs), 'complete -o filenames -F _coord coord git-coord'];
  switch (shell) {
    case 'bash':
      // git's own completion calls this one for `git coord`.
      return [...forBash, '_git_coord() { _coord; }'];
    case 'zsh':
      return [
        '(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }',
        'autoload -U +X bashcompinit && bashcompinit',
        ...forBash,
        '_git-coord() { _bash_complete -F _coord; }',
      ];
    case 'fish':
      return fish(verbs);
    default:
      return null;
  }
}
