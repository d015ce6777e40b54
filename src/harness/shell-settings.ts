/** Settings of a harness by which the shells of its sessions find out whose they are. */
import type { Harness, Places, ShellSettings } from '../adapter/harness.ts';
import { type Marks, withBlock, withoutBlock } from './text-block.ts';

const marks: Marks = { begin: '# coord: begin', end: '# coord: end' };

/** As it would be with our lines: unchanged where its user has said the same for himself. */
export function withShellSettings(
  text: string | null,
  { name, lines }: ShellSettings,
): string | null {
  return text !== null && withoutBlock(text, marks).includes(name)
    ? text
    : withBlock(text, marks, lines);
}

export function withoutShellSettings(text: string): string {
  return withoutBlock(text, marks);
}

export function shellSettingsOf(
  harnesses: readonly Harness[],
  places: Places,
): readonly (ShellSettings & { readonly harness: string })[] {
  return harnesses.flatMap((harness) => {
    const settings = harness.shellSettings?.(places);
    return settings === undefined ? [] : [{ ...settings, harness: harness.name }];
  });
}
