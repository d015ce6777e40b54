/** The ways in which an agent edits, and what it takes from a refusal. Pure. */
import type { Chance } from './chance.ts';
import type { Edit } from './edit.ts';

export type Way = 'edit' | 'write' | 'python' | 'sed' | 'cat';

/** One edit in three writes the whole file, one in five is a shell command. */
export function wayOf(chance: Chance): Way {
  const drawn = chance.below(15);
  if (drawn < 5) return 'write';
  if (drawn < 8) return (['python', 'sed', 'cat'] as const)[drawn - 5] ?? 'python';
  return 'edit';
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The command for it; `sed` for a single line that stands there once, else as the others. */
export function shellEdit(way: Way, path: string, edit: Edit): string {
  const file = quoted(path);
  const lines = edit.seen.split('\n');
  const [line = ''] = edit.old;
  const isOne = edit.old.length === 1 && lines.filter((other) => other === line).length === 1;
  if (way === 'sed' && isOne && line !== '') {
    const pattern = line.replace(/[\\.*[\]^$/]/g, '\\$&');
    const fresh = edit.fresh.map((one) => one.replace(/[\\&/]/g, '\\$&')).join('\\n');
    return `sed -i -- ${quoted(`s/^${pattern}$/${fresh}/`)} ${file}`;
  }
  if (way === 'cat' || edit.from === '')
    return `cat > ${file} <<'END-OF-FILE'\n${edit.whole.replace(/\n$/, '')}\nEND-OF-FILE`;
  const program = [
    `import sys`,
    `path, old, new = sys.argv[1:]`,
    `text = open(path, encoding="utf-8", newline="").read()`,
    `assert text.count(old) == 1`,
    `open(path, "w", encoding="utf-8", newline="").write(text.replace(old, new))`,
  ].join('\n');
  return `python3 -c ${quoted(program)} ${file} ${quoted(edit.from)} ${quoted(edit.to)}`;
}

/** The command that a refusal names, if an agent could run it as it stands. */
export function nextOf(told: string, message: string): string | null {
  const line = [...told.matchAll(/^\s*next: (.+)$/gim)].at(-1)?.[1];
  const filled = line?.replaceAll(/'<(?:what it does|message)>'/g, quoted(message));
  return filled === undefined || /<[^>]*>/.test(filled) || !/^(coord|git) /.test(filled)
    ? null
    : filled;
}
