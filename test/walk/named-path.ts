/** Which paths a command names. */
import type { Deed } from './deed.ts';

/** Does a command put this path into the index, or take it out? */
export function isNamed(
  { argv: [program, verb = '', ...words], stages }: Deed,
  path: string,
): boolean {
  if (stages?.includes(path) === true) return true;
  if (program !== 'git' || !/^(add|rm|mv|reset|restore|checkout|update-index)$/.test(verb)) {
    return false;
  }
  const at = words.indexOf('--');
  const named = at >= 0 ? words.slice(at + 1) : verb === 'update-index' ? words.slice(-1) : [];
  return named.includes('.') || named.includes(path);
}

/** A folder is held with what is in it. */
export function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
