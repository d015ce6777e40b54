/** Names as git prints them where they hold what a terminal would not show: in quotes, as in C. */
const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/** The name itself; one that is not quoted stays as it is. */
export function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name;
  const bytes: Buffer[] = [];
  for (const [, octal, letter, plain] of name
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]));
    else if (letter !== undefined)
      bytes.push(Buffer.from([escapes[letter] ?? letter.charCodeAt(0)]));
    else bytes.push(Buffer.from(plain ?? ''));
  }
  return Buffer.concat(bytes).toString('utf8');
}
