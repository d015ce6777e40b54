/**
 * Fields of a record that this version of coord does not know: a newer one wrote them, and they
 * stand in the record again when this one writes it.
 */

type Fields = Readonly<Record<string, unknown>>;

export interface Carried {
  readonly unknown?: Fields;
}

/** Nothing where all is known, which is nearly always. */
export function carry(fields: Fields, known: ReadonlySet<string>): Carried {
  let unknown: Record<string, unknown> | undefined;
  for (const key in fields) {
    if (!known.has(key)) (unknown ??= {})[key] = fields[key];
  }
  return unknown === undefined ? {} : { unknown };
}
