/** A file by which coord and the shims tell each other something: named, read and written. */
import { dropLocal, localPath, readLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

export type Side = 'coord' | 'shim';

export interface SharedFile {
  /** With `<…>` where it differs from one to the next. */
  readonly name: string;
  /** Below the common git directory, or below that of one work tree. */
  readonly of: 'repository' | 'work tree';
  /** The lines in their order, each with its form; none where the file itself says it all. */
  readonly lines: Readonly<Record<string, RegExp>>;
  /** The file that may be moved to its place as it is: its first line is the one that counts. */
  readonly was?: string;
  readonly writers: readonly Side[];
  readonly readers: readonly Side[];
  readonly says: string;
  /** Until when. */
  readonly counts: string;
}

type Places = Pick<Repository, 'commonDir' | 'gitDir'>;

/** Below the `coord` folder, with these for what differs from one to the next. */
export function sharedName({ name }: SharedFile, ...parts: readonly string[]): string {
  const rest = [...parts];
  return name.replace(/<\w+>/g, () => rest.shift() ?? '');
}

/** Whose `coord` folder it is in, and its name there. */
export function sharedPlace(
  { commonDir, gitDir }: Places,
  file: SharedFile,
  ...parts: readonly string[]
): readonly [folder: string, name: string] {
  return [file.of === 'repository' ? commonDir : gitDir, sharedName(file, ...parts)];
}

export function sharedPath(places: Places, file: SharedFile, ...parts: readonly string[]): string {
  return localPath(...sharedPlace(places, file, ...parts));
}

export function readShared(
  places: Places,
  file: SharedFile,
  ...parts: readonly string[]
): string | null {
  return readLocal(...sharedPlace(places, file, ...parts));
}

export function dropShared(places: Places, file: SharedFile, ...parts: readonly string[]): void {
  dropLocal(...sharedPlace(places, file, ...parts));
}

/** Its lines in their order; null where one would be two, and so move all that follow it. */
export function sharedText(
  file: SharedFile,
  lines: Readonly<Record<string, string>>,
): string | null {
  const texts = Object.keys(file.lines).map((line) => lines[line] ?? '');
  return texts.some((text) => text.includes('\n'))
    ? null
    : texts.map((text) => `${text}\n`).join('');
}

/** An empty file without lines; none where they do not fit, and then the shim starts coord. */
export function writeShared(
  places: Places,
  file: SharedFile,
  parts: readonly string[],
  lines: Readonly<Record<string, string>> | null,
): void {
  const text = lines === null ? '' : sharedText(file, lines);
  if (text === null) dropShared(places, file, ...parts);
  else writeLocal(...sharedPlace(places, file, ...parts), text);
}
