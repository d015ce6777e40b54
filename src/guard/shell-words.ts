/**
 * A shell command as the simple commands in it, as far as that can be told without a shell: quotes
 * are taken off, redirections that write are told apart, what only a shell would know (a variable,
 * the output of a command) stays as it is written.
 */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** Files that a redirection writes to. */
  readonly writes: readonly string[];
  /** Those of them that are emptied first. */
  readonly empties: readonly string[];
  /** What stands in its here-documents. */
  readonly input: string;
  /** A shell puts nothing of its own into that. */
  readonly isLiteral: boolean;
}

const token =
  /(?:[^\S\n]|\\\n)*(?:(#[^\n]*)|(\n|;;?|&&|\|\||\|&?|&(?!>)|[()]|[{}](?=[\s;)]|$)|\$\(|`)|((?:\d+|&)?(?:>>|>\||>&|>)|\d*(?:<<<|<<-?|<>|<&|<))|((?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$\{[^}]*\}|[^\s;&|<>()`'"\\])+))/gy;

interface Growing {
  readonly words: string[];
  readonly writes: string[];
  readonly empties: string[];
  input: string;
  isLiteral: boolean;
}

/** A here-document that begins with the next line. */
interface Expected {
  readonly command: Growing;
  readonly end: string;
  readonly isIndented: boolean;
  readonly isQuoted: boolean;
}

export function simpleCommands(text: string): readonly SimpleCommand[] {
  const empty = (): Growing => ({ words: [], writes: [], empties: [], input: '', isLiteral: true });
  const found: Growing[] = [empty()];
  let expects: Expects = 'word';
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
      if (expects === 'write' || expects === 'append') current.writes.push(unquoted(word));
      if (expects === 'write') current.empties.push(unquoted(word));
      if (expects === 'word') current.words.push(unquoted(word));
      else if (expects === '<<' || expects === '<<-')
        documents.push({
          command: current,
          end: unquoted(word),
          isIndented: expects === '<<-',
          isQuoted: /['"\\]/.test(word),
        });
      // What is quoted with double quotes may hold commands of its own.
      for (const inner of word.matchAll(/\$\(([^()]*)\)/g))
        found.splice(
          -1,
          0,
          ...simpleCommands(inner[1] ?? '').map((command) => ({
            ...command,
            words: [...command.words],
            writes: [...command.writes],
            empties: [...command.empties],
          })),
        );
      expects = 'word';
    }
  }
  return found.filter(({ words, writes }) => words.length > 0 || writes.length > 0);
}

type Expects = 'word' | 'write' | 'append' | 'nothing' | '<<' | '<<-';

function expectedBehind(redirection: string): Expects {
  const document = /^\d*(<<-?)$/.exec(redirection)?.[1];
  if (document === '<<' || document === '<<-') return document;
  if (!redirection.includes('>') || redirection.endsWith('>&')) return 'nothing';
  // What goes to another descriptor is not what the command has to say.
  return /^[02-9]|>>|<>/.test(redirection) ? 'append' : 'write';
}

/** Gives it to its command, and says where the text goes on behind it. */
function readDocument(
  text: string,
  from: number,
  { command, end, isIndented, isQuoted }: Expected,
): number {
  let at = from;
  while (at < text.length) {
    const stop = text.indexOf('\n', at);
    const line = text.slice(at, stop < 0 ? text.length : stop);
    at = stop < 0 ? text.length : stop + 1;
    const said = isIndented ? line.replace(/^\t+/, '') : line;
    if (said === end) return at;
    if (!isQuoted && /[$`\\]/.test(line)) command.isLiteral = false;
    command.input += `${said}\n`;
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
