/**
 * How much of the tier `long` is wanted: all of it, or with COORD_LONG_SAMPLE=1 a few minutes of
 * it.
 */
const isSample = process.env['COORD_LONG_SAMPLE'] === '1';

export function longOr<T>(whole: T, sample: T): T {
  return isSample ? sample : whole;
}
