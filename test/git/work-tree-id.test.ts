/** The id of a work tree: the same for as long as it is there, and never that of another one. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workTreeId } from '../../src/git/work-tree-id.ts';
import { temporaryFolder } from '../support/temporary.ts';

interface Place {
  readonly gitDir: string;
  readonly top: string;
}

let made = 0;
const newId = (): string => `id${String((made += 1)).padStart(8, '0')}`;
const idOf = (place: Place, machine = 'm'): string | undefined => workTreeId(place, machine, newId);
const at = (top: string): Place => ({ top, gitDir: join(top, '.git') });

function workTree(): Place {
  const place = at(join(temporaryFolder(), 'repo'));
  mkdirSync(place.gitDir, { recursive: true });
  return place;
}

describe('the id of a work tree', () => {
  test('is made once', () => {
    const place = workTree();
    const id = idOf(place);
    expect(id).toMatch(/^id\d{8}$/);
    expect(idOf(place)).toBe(id);
  });

  test('is the same by whatever path one comes', () => {
    const place = workTree();
    const link = join(place.top, '..', 'link');
    symlinkSync(place.top, link);
    expect(idOf(at(link))).toBe(idOf(place));
  });

  test('of two that are made at once is the one that stands first', () => {
    const place = workTree();
    const other: string[] = [];
    // Another process is quicker, between the look and the line that is added.
    const id = workTreeId(place, 'm', () => {
      other.push(idOf(place) ?? '');
      return newId();
    });
    expect(id).toBe(other[0]);
    expect(idOf(place)).toBe(id);
  });

  test('of a copy is its own, and the first one keeps its', () => {
    const place = workTree();
    const id = idOf(place);
    const copy = at(join(place.top, '..', 'copy'));
    cpSync(place.top, copy.top, { recursive: true });
    expect(idOf(copy)).not.toBe(id);
    expect(idOf(copy)).toBe(idOf(copy));
    expect(idOf(place)).toBe(id);
  });

  test('of a copy that takes the place of the first is its own', () => {
    const place = workTree();
    const id = idOf(place);
    const aside = join(place.top, '..', 'aside');
    cpSync(place.top, `${place.top}-copy`, { recursive: true });
    renameSync(place.top, aside);
    renameSync(`${place.top}-copy`, place.top);
    expect(idOf(place)).not.toBe(id);
  });

  test('is its own where two work trees name one git folder', () => {
    const place = workTree();
    const copy = { ...place, top: join(place.top, '..', 'copy') };
    mkdirSync(copy.top);
    expect(idOf(copy)).not.toBe(idOf(place));
  });

  test('is another one on another machine, and the first one again on the first', () => {
    const place = workTree();
    const id = idOf(place);
    expect(idOf(place, 'other')).not.toBe(id);
    expect(idOf(place)).toBe(id);
  });

  test('is none where it cannot be kept', () => {
    const place = workTree();
    writeFileSync(join(place.gitDir, 'coord'), '');
    expect(idOf(place)).toBeUndefined();
    expect(idOf({ ...place, top: join(place.top, 'gone') })).toBeUndefined();
  });

  test.for([
    ['cut short', (text: string) => text.slice(20)],
    ['no id of ours', (text: string) => text.replace(/^\S+/, 'X')],
    ['too long', (text: string) => text.replace(/^\S+/, 'x'.repeat(65))],
  ] as const)('is made anew where what stands there is %s', ([, spoil]) => {
    const place = workTree();
    const id = idOf(place);
    const file = join(place.gitDir, 'coord', 'work-tree');
    writeFileSync(file, `${spoil(readFileSync(file, 'utf8')).trimEnd()}\n`);
    const next = idOf(place);
    expect(next).toMatch(/^id\d{8}$/);
    expect(next).not.toBe(id);
  });

  test('makes room where its file has grown', () => {
    const place = workTree();
    idOf(place);
    const file = join(place.gitDir, 'coord', 'work-tree');
    appendFileSync(file, 'x'.repeat(16_384));
    expect(idOf(place, 'other')).toMatch(/^id\d{8}$/);
    expect(readFileSync(file).length).toBeLessThan(1_000);
  });
});
