/** Completion scripts and shell functions, printed for the shell to evaluate. */
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import type { Report } from '../../render/report.ts';
import { completionFor } from '../completion-scripts.ts';
import { shellFunctions } from '../shell-functions.ts';
import type { Verb } from '../verb.ts';

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

const positional = {
  name: 'shell',
  completes: 'shell',
  least: 1,
  most: 1,
  about: 'bash, zsh or fish',
} as const;

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
    more: 'These are git with a look before it wipes, completion, and a prompt segment.',
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
