/** Completion scripts, static, so that a tab costs no process. */

import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import type { Report } from '../../render/report.ts';
import { shellFunctions } from '../shell-functions.ts';
import { familiesOf, globalFlags, type Verb } from '../verb.ts';

function flagsOf(verb: Verb): readonly string[] {
  return [...verb.flags, ...globalFlags].map(({ name }) => `--${name}`);
}

function bash(verbs: readonly Verb[]): readonly string[] {
  const firsts = [...new Set(verbs.map(({ words }) => words[0] ?? ''))];
  const seconds = familiesOf(verbs);
  return [
    '_coord() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} verb= second= i',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in',
    `      ${globalFlags
      .filter(({ value }) => value !== undefined)
      .map(({ name, short }) => (short === undefined ? `--${name}` : `--${name}|-${short}`))
      .join('|')}) ((i++)) ;;`,
    '      -*) ;;',
    '      *) if [ -z "$verb" ]; then verb=${COMP_WORDS[i]}; else second=1; break; fi ;;',
    '    esac',
    '  done',
    `  case $verb$current in -*) COMPREPLY=($(compgen -W '${globalFlags.map(({ name }) => `--${name}`).join(' ')}' -- "$current")); return ;; esac`,
    `  if [ -z "$verb" ]; then COMPREPLY=($(compgen -W '${firsts.join(' ')}' -- "$current")); return; fi`,
    '  case $verb in',
    ...[...seconds].map(
      ([word, family]) =>
        `    ${word}) [ -z "$second" ] && { COMPREPLY=($(compgen -W '${family.map(({ words }) => words[1]).join(' ')}' -- "$current")); return; } ;;`,
    ),
    '  esac',
    '  case $current in -*) ;; *) COMPREPLY=($(compgen -f -- "$current")); return ;; esac',
    '  case $verb in',
    ...firsts.map(
      (word) =>
        `    ${word}) COMPREPLY=($(compgen -W '${[...new Set(verbs.filter(({ words }) => words[0] === word).flatMap(flagsOf))].join(' ')}' -- "$current")) ;;`,
    ),
    '  esac',
    '}',
  ];
}

function fish(verbs: readonly Verb[]): readonly string[] {
  const quote = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;
  return [
    ...verbs
      .filter(({ words }) => words.length === 1)
      .map(
        ({ words, about }) =>
          `complete -c coord -n __fish_use_subcommand -a ${words[0] ?? ''} -d ${quote(about)}`,
      ),
    ...[...familiesOf(verbs).keys()].map(
      (word) => `complete -c coord -n __fish_use_subcommand -a ${word}`,
    ),
    ...verbs
      .filter(({ words }) => words.length === 2)
      .map(
        ({ words, about }) =>
          `complete -c coord -n '__fish_seen_subcommand_from ${words[0] ?? ''}' -a ${words[1] ?? ''} -d ${quote(about)}`,
      ),
    ...verbs.flatMap(({ words, flags }) =>
      flags.map(
        ({ name, about }) =>
          `complete -c coord -n '__fish_seen_subcommand_from ${words[0] ?? ''}' -l ${name} -d ${quote(about)}`,
      ),
    ),
    ...globalFlags.map(({ name, about }) => `complete -c coord -l ${name} -d ${quote(about)}`),
  ];
}

function completionFor(shell: string, verbs: readonly Verb[]): readonly string[] | null {
  switch (shell) {
    case 'bash':
      return [...bash(verbs), 'complete -F _coord coord git-coord'];
    case 'zsh':
      return [
        '(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }',
        'autoload -U +X bashcompinit && bashcompinit',
        ...bash(verbs),
        'complete -F _coord coord git-coord',
      ];
    case 'fish':
      return fish(verbs);
    default:
      return null;
  }
}

/** A script is of no use in part. */
function printed(shell: string, script: readonly string[] | null): Report {
  if (script === null)
    throw new CoordError(
      'usage',
      `there is nothing for the shell '${shell}'`,
      'choose bash, zsh or fish',
    );
  const whole = script.join('\n');
  return {
    ok: true,
    exit: exits.done,
    result: 'printed',
    facts: { shell, script: whole },
    says: script,
    isWhole: true,
  };
}

const positional = { name: 'shell', least: 1, most: 1, about: 'bash, zsh or fish' } as const;

export function completionVerb(verbs: () => readonly Verb[]): Verb {
  return {
    words: ['completion'],
    group: 'setup',
    about: 'print a completion script for bash, zsh or fish',
    positional,
    flags: [],
    examples: [
      ['eval "$(coord completion bash)"', 'in ~/.bashrc'],
      ['coord completion fish > ~/.config/fish/completions/coord.fish', 'once'],
    ],
    run: ({ positionals: [shell = ''] }) => printed(shell, completionFor(shell, verbs())),
  };
}

export function shellVerb(verbs: () => readonly Verb[]): Verb {
  return {
    words: ['shell'],
    group: 'setup',
    about: 'print functions for an interactive shell',
    more: 'git with a look before it wipes, completion, and a prompt segment.',
    positional,
    flags: [],
    examples: [
      ['eval "$(coord shell bash)"', 'in ~/.bashrc; command git goes past it'],
      ['coord shell fish | source', 'in config.fish'],
    ],
    run: ({ positionals: [shell = ''] }) => {
      const completion = completionFor(shell, verbs());
      return printed(
        shell,
        completion === null ? null : [...(shellFunctions[shell] ?? []), ...completion],
      );
    },
  };
}
