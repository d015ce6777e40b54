/**
 * TOML, as far as settings have it: tables, keys with dots and quotes, texts, lists. Numbers and
 * dates stay as they are written.
 */

export type TomlTable = { readonly [key: string]: TomlValue };
type TomlValue = string | boolean | readonly TomlValue[] | TomlTable;
type Growing = { [key: string]: TomlValue };

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r' };

const mostNested = 64;

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Takes what comes next, if it is of this kind. */
  take(kind: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(kind.source, 'y');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found !== null) this.#at = sticky.lastIndex;
    return found;
  }

  need(kind: RegExp): RegExpExecArray {
    const found = this.take(kind);
    if (found === null) throw new SyntaxError(`no TOML at ${this.#at}`);
    return found;
  }

  gap(): void {
    this.take(/(?:\s|#[^\n]*)*/);
  }

  isOver(): boolean {
    return this.#at >= this.#text.length;
  }

  key(): readonly string[] {
    const names: string[] = [];
    do {
      this.take(/[ \t]*/);
      names.push(this.string() ?? this.need(/[A-Za-z0-9_-]+/)[0]);
      this.take(/[ \t]*/);
    } while (this.take(/\./) !== null);
    return names;
  }

  string(): string | null {
    const literal = this.take(/'''\n?([^]*?)'''(?!')|'([^'\n]*)'/);
    if (literal !== null) return literal[1] ?? literal[2] ?? '';
    const basic = this.take(/"""\n?((?:\\[^]|[^\\])*?)"""(?!")|"((?:\\.|[^"\\\n])*)"/);
    if (basic === null) return null;
    return (basic[1] ?? basic[2] ?? '').replace(
      /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\s*\n\s*)|([^]))/g,
      (_all, short?: string, long?: string, fold?: string, one = '') => {
        const code = short ?? long;
        if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
        return fold === undefined ? (escapes[one] ?? one) : '';
      },
    );
  }

  value(): TomlValue {
    this.take(/[ \t]*/);
    const text = this.string();
    if (text !== null) return text;
    if (this.take(/\[/) !== null) return this.#several(/\]/, () => this.value());
    if (this.take(/\{/) !== null) {
      const table: Growing = Object.create(null);
      this.#several(/\}/, () => this.entry(table));
      return table;
    }
    const word = this.need(/[^\s,[\]{}#"'=]+/)[0];
    return word === 'true' ? true : word === 'false' ? false : word;
  }

  #several<T>(end: RegExp, one: () => T): readonly T[] {
    const found: T[] = [];
    this.#depth += 1;
    if (this.#depth > mostNested) throw new SyntaxError('nested too deep');
    for (this.gap(); this.take(end) === null; this.gap()) {
      found.push(one());
      this.gap();
      this.take(/,/);
    }
    this.#depth -= 1;
    return found;
  }

  entry(table: Growing): void {
    const names = this.key();
    this.need(/=/);
    const last = names.at(-1) ?? '';
    tableAt(table, names.slice(0, -1))[last] = this.value();
  }
}

/** The table of this name, which is made where there is none. */
function tableAt(from: Growing, names: readonly string[]): Growing {
  let table = from;
  for (const name of names) {
    const known = table[name];
    const isTable = typeof known === 'object' && !Array.isArray(known);
    const inner: Growing = isTable ? (known as Growing) : Object.create(null);
    table[name] = inner;
    table = inner;
  }
  return table;
}

/** Of several tables of one name the last one. Throws a SyntaxError where it is no TOML. */
export function parseToml(text: string): TomlTable {
  const all: Growing = Object.create(null);
  const reader = new Reader(text);
  let table = all;
  for (reader.gap(); !reader.isOver(); reader.gap()) {
    const header = reader.take(/\[\[?/);
    if (header === null) {
      reader.entry(table);
      continue;
    }
    const names = reader.key();
    reader.need(header[0] === '[[' ? /\]\]/ : /\]/);
    if (header[0] === '[[') delete tableAt(all, names.slice(0, -1))[names.at(-1) ?? ''];
    table = tableAt(all, names);
  }
  return all;
}
