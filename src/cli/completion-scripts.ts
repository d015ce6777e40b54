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

/** What stands on record of each lease in these folders, here or in the view of a remote log. */
function onRecord(word: 'Bead' | 'Lease' | 'Name', ...folders: readonly string[]): string {
  const refs = folders.map((folder) => `refs/coord/${folder} 'refs/coord-remote/**/${folder}/**'`);
  return `git for-each-ref --format='%(contents:body)' ${refs.join(' ')} | sed -n 's/^${word}: //p'`;
}

/**
 * The tracker's file, of this work tree or of the main one, where it is none but a file; in words of
 * sh, which fish does not speak.
 */
const tracked = `sh -c ${quoted(
  [
    'for top in "$(git rev-parse --show-toplevel)" "$(git rev-parse --git-common-dir)/.."; do',
    'file=$top/.beads/issues.jsonl; [ -e "$top/.beads" ] || continue;',
    '[ -L "$top/.beads" ] || [ -L "$file" ] || [ ! -f "$file" ] || head -c 1000000 "$file"; break;',
    'done | sed -n \'s/^{ *"id": *"\\([A-Za-z0-9._-]*\\)".*/\\1/p\'',
  ].join(' '),
)}`;

/** A command of each kind, in words that bash, zsh and fish have in common. */
const candidates: Readonly<Record<Completes, string>> = {
  agent:
    "git for-each-ref --format='%(authorname)' refs/coord/agents 'refs/coord-remote/**/agents/**'",
  bead: `${onRecord('Bead', 'claims')}; ${tracked}`,
  branch: "git for-each-ref --format='%(refname:lstrip=2)' refs/heads",
  harness: listed([...harnesses.map(({ name }) => name), 'all', 'none']),
  lease: onRecord('Lease', 'reservations', 'claims', 'locks'),
  lock: onRecord('Name', 'locks'),
  remote: 'git remote',
  request:
    "git for-each-ref --format='%(refname):requests' refs/coord/log 'refs/coord-remote/**/log' | git cat-file --batch | sed -n 's/^{\"id\":\"\\([0-9a-z]*\\)\".*/\\1/p'",
  setting: listed(settings),
  shell: listed(['bash', 'zsh', 'fish']),
  snapshot: "git for-each-ref --format='%(refname:lstrip=3)' refs/coord/saved",
};

/** Files stand beside these: a path may be meant as well. */
const besideFiles: readonly Completes[] = ['lease', 'request'];

function candidatesOf({ completes, choices }: Flag): string | null {
  if (completes !== undefined) return candidates[completes];
  return choices === undefined ? null : listed(choices);
}

const onlyOnce = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

/** What follows a flag, as patterns of `<verb> <flag>`; null for files. */
function valueCases(
  verbs: readonly Verb[],
): readonly (readonly [patterns: readonly string[], asks: string | null])[] {
  const rows = [
    ...verbs.flatMap(({ words, flags }) =>
      flags.map((flag) => [`'${words.join(' ')} '`, flag] as const),
    ),
    ...globalFlags.map((flag) => ['*', flag] as const),
  ].filter(([, { value }]) => value !== undefined);
  return onlyOnce(rows.map(([, flag]) => candidatesOf(flag))).map((asks) => [
    rows
      .filter(([, flag]) => candidatesOf(flag) === asks)
      .flatMap(([verb, flag]) => spellings(flag).map((spelling) => `${verb}${spelling}`)),
    asks,
  ]);
}

function spellings({ name, short }: Flag): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
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
  '  while IFS= read -r word; do',
  '    case $word in *[!A-Za-z0-9._/@+-]*) ;; "$current"*) COMPREPLY+=("$word") ;; esac',
  '  done < <(eval "$1" 2>/dev/null)',
  '}',
  '# A line each, as names may have spaces; the shell quotes them.',
  '_coord_files() {',
  '  local file',
  '  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "${current//\\\\/}")',
  '}',
];

/** Works for `coord`, `git-coord` and `git coord`. */
function bash(verbs: readonly Verb[]): readonly string[] {
  const firsts = onlyOnce(verbs.map(({ words }) => words[0] ?? ''));
  const valued = globalFlags.filter(({ value }) => value !== undefined).flatMap(spellings);
  const offer = (words: string): string =>
    `COMPREPLY=($(compgen -W '${words}' -- "$current")); return`;
  return [
    ...offering,
    '_coord() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb= second= whole= start=0 i',
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
    '  case $verb in',
    ...families(verbs).map((word) => `    ${word}) whole="$verb $second" ;;`),
    '    *) whole=$verb ;;',
    '  esac',
    '  case "$whole $before" in',
    ...valueCases(verbs).map(
      ([patterns, asks]) =>
        `    ${patterns.join('|')}) ${asks === null ? '_coord_files' : `_coord_offer ${quoted(asks)}`}; return ;;`,
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
      const flags = verbs
        .filter(({ words }) => words[0] === word)
        .flatMap(({ flags }) => [...flags, ...globalFlags]);
      return `      ${word}) ${offer(onlyOnce(flags.map(({ name }) => `--${name}`)).join(' '))} ;;`;
    }),
    '    esac ;;',
    '  esac',
    '  case $whole in',
    ...wordCases(verbs).map(
      ([words, kind]) =>
        `    ${words.map((word) => `'${word}'`).join('|')}) _coord_offer ${quoted(candidates[kind])}${besideFiles.includes(kind) ? '' : '; return'} ;;`,
    ),
    '  esac',
    '  _coord_files',
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
  const offer = (asks: string): string =>
    quote(`(begin; ${asks}; end 2>/dev/null | string match -r -- '^[A-Za-z0-9._/@+-]+$')`);
  const inVerb = (words: string): string =>
    words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  const offered = (flag: Flag): string => {
    const asks = candidatesOf(flag);
    if (flag.value === undefined) return '';
    return asks === null ? ' -r' : ` -x -a ${offer(asks)}`;
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
          `complete -c coord -n '${inVerb(words)}' ${besideFiles.includes(kind) ? '' : '-f '}-a ${offer(candidates[kind])}`,
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
