/**
 * A shell command as the simple commands in it, as far as that can be told without a shell: quotes
 * are taken off, redirections that write are told apart, what only a shell would know (a variable,
 * the output of a command) stays as it is written.
 */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that a redirection writes to. */
  readonly writes: readonly string[];
}

const token =
  /\s*(?:(#[^\n]*)|(\n|;;?|&&|\|\||\|&?|&(?!>)|[()]|[{}](?=[\s;)]|$)|\$\(|`)|((?:\d+|&)?(?:>>|>\||>&|>)|\d*(?:<<<|<<-?|<>|<&|<))|((?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$\{[^}]*\}|[^\s;&|<>()`'"\\])+))/gy;

export function simpleCommands(text: string): readonly SimpleCommand[] {
  const found: { words: string[]; writes: string[] }[] = [{ words: [], writes: [] }];
  let expects: 'word' | 'write' | 'nothing' = 'word';
  // A place of its own: what is quoted is read while this goes on.
  const tokens = new RegExp(token);
  for (
    let match = tokens.exec(text);
    match !== null && match[0] !== '';
    match = tokens.exec(text)
  ) {
    const [, comment, separator, redirection, word] = match;
    const current = found.at(-1);
    if (comment !== undefined || current === undefined) continue;
    if (separator !== undefined) {
      found.push({ words: [], writes: [] });
      expects = 'word';
    } else if (redirection !== undefined) {
      expects = redirection.includes('>') && !redirection.endsWith('>&') ? 'write' : 'nothing';
    } else if (word !== undefined) {
      if (expects === 'write') current.writes.push(unquoted(word));
      else if (expects === 'word') current.words.push(unquoted(word));
      // What is quoted with double quotes may hold commands of its own.
      for (const inner of word.matchAll(/\$\(([^()]*)\)/g))
        found.splice(
          -1,
          0,
          ...simpleCommands(inner[1] ?? '').map(({ words, writes }) => ({
            words: [...words],
            writes: [...writes],
          })),
        );
      expects = 'word';
    }
  }
  return found.filter(({ words, writes }) => words.length > 0 || writes.length > 0);
}

function unquoted(word: string): string {
  return word.replace(
    /\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g,
    (_all, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? double?.replace(/\\(["\\$`\n])/g, '$1') ?? '',
  );
}
