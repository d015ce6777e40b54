/** What doctor found: each thing named, with how it stands and what to do about it. */
import { CoordError } from '../core/errors.ts';

type FindingState = 'ok' | 'note' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly standing: FindingState;
  readonly says: string;
  readonly next?: string;
}

export function ok(check: string, says: string): Finding {
  return { check, standing: 'ok', says };
}

export function note(check: string, says: string, next?: string): Finding {
  return { check, standing: 'note', says, ...(next === undefined ? {} : { next }) };
}

export function fail(check: string, says: string, next: string): Finding {
  return { check, standing: 'fail', says, next };
}

/** One check by itself: where it cannot be made, that is what is found, and the others go on. */
export async function examined(
  check: string,
  look: () => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // Where there is no place to try something, nothing of the repository needs mending.
    if (error instanceof CoordError && error.code === 'not_writable')
      return [note(check, `not tried: ${said}`, error.hint)];
    const next = error instanceof CoordError ? error.hint : 'please report it';
    return [fail(check, `not looked at: ${said}`, next ?? 'coord doctor, once more')];
  }
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}
