/**
 * Names and ids: how they look, and the only places that make them. Ids of agents, leases, waits
 * and requests are eight base36 characters; names are what people and agents call each other.
 */
import { CoordError } from './errors.ts';
import { isHarmless } from './harmless.ts';
import { limits } from './limits.ts';

/** The hash of a git object: 40 or 64 hexadecimal digits. */
export type Oid = string;

const idLength = 8;
const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Eight base36 characters; bytes past the last whole multiple of 36 are skipped, so none is
 * likelier.
 */
export function idFrom(bytes: Uint8Array): string | null {
  let id = '';
  for (const byte of bytes) {
    if (byte < 252) id += alphabet[byte % 36];
    if (id.length === idLength) return id;
  }
  return null;
}

export function isId(text: string): boolean {
  return /^[0-9a-z]{8}$/.test(text);
}

const nameRule = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** An agent's name; a child's stands after its parent's: `alice/review`. */
export function parseAgentName(text: string): string {
  const parts = text.split('/');
  if (parts.length <= 8 && parts.every((part) => nameRule.test(part))) return text;
  throw new CoordError(
    'bad_name',
    `'${text}' is not a name for an agent`,
    'use lower-case letters, digits, . _ - (at most 63), children after a slash: alice/review',
  );
}

export function parentName(name: string): string | null {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? null : name.slice(0, slash);
}

/** The same agent, or one an ancestor of the other: they never stand in each other's way. */
export function areKin(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

export function parseBead(text: string): string {
  if (text.length <= limits.beadChars && /^[A-Za-z0-9][A-Za-z0-9._:/#@+-]*$/.test(text))
    return text;
  throw new CoordError(
    'bad_bead',
    `'${text}' is not a bead id`,
    `use letters, digits and . _ : / # @ + - (at most ${limits.beadChars}), such as bd-a1b2`,
  );
}

/** A lock that only its own command takes. */
export const pauseLock = 'coord.pause';

export function parseLockName(text: string): string {
  if (text.length <= limits.lockNameChars && /^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(text))
    return text;
  throw new CoordError(
    'bad_name',
    `'${text}' is not a name for a lock`,
    `use letters, digits and . _ : - (at most ${limits.lockNameChars}), such as test`,
  );
}

/** As somebody has typed it. */
export function parseFreeLockName(text: string): string {
  if (text !== pauseLock) return parseLockName(text);
  throw new CoordError(
    'bad_name',
    `the lock '${text}' is for coord pause alone`,
    'coord pause --for 1h --reason <why>, or coord pause --end',
  );
}

/**
 * Free text of one line. What cannot be shown safely is refused here rather than escaped for ever.
 */
export function parseReason(text: string): string {
  if (text.length > limits.reasonChars) {
    throw new CoordError(
      'bad_reason',
      `the reason has ${text.length} characters`,
      `keep it under ${limits.reasonChars}`,
    );
  }
  if (!isHarmless(text)) {
    throw new CoordError(
      'bad_reason',
      'the reason holds control or direction characters',
      'write it as plain text on one line',
    );
  }
  return text;
}
