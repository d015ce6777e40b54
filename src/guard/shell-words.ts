/**
 * A shell command as the simple commands in it, as far as that can be told without a shell: quotes
 * are taken off, redirections that write are told apart, what only a shell would know (a variable,
 * the output of a command) stays as it is written.
 */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that a redirection writes to. */
  readonly writes: readonly string[];
  /** What stands in its here-documents. */
  readonly input: string;
}

const token =
  /(?:[^\S\n]|\\\n)*(?:(#[^\n]*)|(\n|;;?|&&|\|\||\|&?|&(?!>)|[()]|[{}](?=[\s;)]|$)|\$\(|`)|((?:\d+|&)?(?:>>|>\||>&|>)|\d*(?:<<<|<<-?|<>|<&|<))|((?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$\{[^}]*\}|[^\s;&|<>()`'"\\])+))/gy;

interface Growing {
  readonly words: string[];
  readonly writes: string[];
  input: string;
}

/** A here-document that begins with the next line. */
interface Expected {
  readonly command: Growing;
  readonly end: string;
  readonly isIndented: boolean;
}

export function simpleCommands(text: string): readonly SimpleCommand[] {
  const empty = (): Growing => ({ words: [], writes: [], input: '' });
  const found: Growing[] = [empty()];
  let expects: 'word' | 'write' | 'nothing' | '<<' | '<<-' = 'word';
  const documents: Expected[] = [];
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
      if (separator === '\n')
        for (const document of documents.splice(0))
          tokens.lastIndex = readDocument(text, tokens.lastIndex, document);
      found.push(empty());
      expects = 'word';
    } else if (redirection !== undefined) {
      expects = expectedBehind(redirection);
    } else if (word !== undefined) {
      if (expects === 'write') current.writes.push(unquoted(word));
      else if (expects === 'word') current.words.push(unquoted(word));
      else if (expects !== 'nothing')
        documents.push({ command: current, end: unquoted(word), isIndented: expects === '<<-' });
      // What is quoted with double quotes may hold commands of its own.
      for (const inner of word.matchAll(/\$\(([^()]*)\)/g))
        found.splice(
          -1,
          0,
          ...simpleCommands(inner[1] ?? '').map((command) => ({
            ...command,
            words: [...command.words],
            writes: [...command.writes],
          })),
        );
      expects = 'word';
    }
  }
  return found.filter(({ words, writes }) => words.length > 0 || writes.length > 0);
}

function expectedBehind(redirection: string): 'write' | 'nothing' | '<<' | '<<-' {
  const document = /^\d*(<<-?)$/.exec(redirection)?.[1];
  if (document === '<<' || document === '<<-') return document;
  return redirection.includes('>') && !redirection.endsWith('>&') ? 'write' : 'nothing';
}

/** Gives it to its command, and says where the text goes on behind it. */
function readDocument(text: string, from: number, { command, end, isIndented }: Expected): number {
  let at = from;
  while (at < text.length) {
    const stop = text.indexOf('\n', at);
    const line = text.slice(at, stop < 0 ? text.length : stop);
    at = stop < 0 ? text.length : stop + 1;
    if ((isIndented ? line.replace(/^\t+/, '') : line) === end) return at;
    command.input += `${line}\n`;
  }
  return at;
}

function unquoted(word: string): string {
  return word.replace(
    /\\\n|\\([^])|'([^']*)'|"((?:\\[^]|[^"\\])*)"/g,
    (_all, escaped?: string, single?: string, double?: string) =>
      escaped ?? single ?? double?.replace(/\\(["\\$`\n])/g, '$1') ?? '',
  );
}
