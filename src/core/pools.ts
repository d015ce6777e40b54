/** What each work tree has of its own: numbers and names from pools. */
import { CoordError } from './errors.ts';
import { limits } from './limits.ts';

export interface Pool {
  /** The variable that says which one it is. */
  readonly name: string;
  readonly members: readonly string[];
}

/** `PORT=4000-4099; DATABASE=one,two` */
export function poolsIn(said: string): readonly Pool[] {
  return said
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(poolIn);
}

function poolIn(said: string): Pool {
  const [, name = '', members = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(said) ?? [];
  const [, first, last] = /^(\d{1,9})-(\d{1,9})$/.exec(members) ?? [];
  const found =
    first === undefined
      ? members.split(',').map((word) => word.trim())
      : numbers(Number(first), Number(last));
  const isSound =
    name !== '' &&
    found.length > 0 &&
    found.length <= limits.poolMembers &&
    new Set(found).size === found.length &&
    found.every((member) => /^[A-Za-z0-9_.-]{1,32}$/.test(member));
  // A name that steers a program is no name of a pool.
  if (isSound && !/^(PATH|HOME|SHELL|IFS|ENV|LD_.*|DYLD_.*|GIT_.*|COORD_.*|NODE_.*)$/i.test(name))
    return { name, members: found };
  throw new CoordError(
    'bad_setting',
    `invalid value '${said}' for coord.workPools`,
    `write NAME=first-last or NAME=word,word with at most ${limits.poolMembers} members: PORT=4000-4099`,
  );
}

function numbers(first: number, last: number): readonly string[] {
  if (last < first || last - first >= limits.poolMembers) return [];
  return Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
}

/** The lock that stands for a member of a pool. */
export function poolLock({ name }: Pool, member: string): string {
  return `pool.${name}.${member}`;
}
