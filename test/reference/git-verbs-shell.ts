/** hooks/git-verbs: what the shims have to know of git's verbs, from the table. */
import { gitVerbs, valuedOptions } from '../../src/git/verbs.ts';
import { valued } from '../../src/guard/options.ts';

/** Words of a case, no line longer than this. */
const mostColumns = 100;

function words(all: readonly string[]): string {
  const lines = all.reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    if (last === undefined) return [word];
    const longer = `${last} | ${word}`;
    if (longer.length + 6 <= mostColumns) return [...lines.slice(0, -1), longer];
    return [...lines.slice(0, -1), `${last} | \\`, word];
  }, []);
  return lines.map((line) => `    ${line}`).join('\n');
}

function isOneOf(name: string, all: readonly string[]): string {
  return `${name}() {\n  case $1 in\n${words(all)}) ;;\n    *) return 1 ;;\n  esac\n}`;
}

export function gitVerbsShell(): string {
  const byTraits = new Map<string, readonly string[]>();
  for (const [verb, traits] of gitVerbs) {
    const said = ['', 'known', ...traits, ''].join(' ');
    byTraits.set(said, [...(byTraits.get(said) ?? []), verb]);
  }
  const rows = [...byTraits].map(([said, verbs]) => `${words(verbs)}) coord_traits='${said}' ;;`);
  const [letters, names] = valued['commit'] ?? ['', []];
  return [
    "# What is known of git's verbs, read into a shim's own shell. Written by `npm run reference` from",
    '# src/git/verbs.ts and src/guard/options.ts; a change belongs there.',
    '',
    '# Then `coord_is <trait>` says whether this verb has it.',
    'coord_traits_of() {',
    "  coord_traits=''",
    '  case $1 in',
    ...rows,
    '  esac',
    '}',
    '',
    'coord_is() {',
    '  case $coord_traits in *" $1 "*) ;; *) return 1 ;; esac',
    '}',
    '',
    '# Options of git itself.',
    isOneOf('coord_takes_value', valuedOptions),
    '',
    '# Options of git commit.',
    `coord_commit_letters=${letters}`,
    isOneOf(
      'coord_commit_takes_value',
      names.map((name) => `--${name}`),
    ),
    '',
  ].join('\n');
}
