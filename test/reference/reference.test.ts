/** What is generated is on disk as the code has it now, whole, and says something of everything. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { settingByKey, settingsFrom } from '../../src/core/settings.ts';
import { documents, folders } from './documents.ts';
import { eventNames } from './events-page.ts';
import { roff } from './manual.ts';
import { isDescribed, jsonSchemas, verbSchemas } from './schemas.ts';

const root = join(import.meta.dirname, '../..');
const all = documents();

function onDisk(path: string): string {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe('the reference', () => {
  test('is on disk as it is generated now', () => {
    const stale = [...all].filter(([path, text]) => onDisk(path) !== text).map(([path]) => path);
    expect(stale, 'run `npm run reference`').toEqual([]);
  });

  test('nothing else stands in its folders', () => {
    const there = folders.flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
    );
    expect(there.filter((path) => !all.has(path))).toEqual([]);
  });

  test('links lead to files and headings that are there', () => {
    const headings = (path: string): readonly string[] =>
      [...(all.get(path) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replace(/[^a-z0-9 _-]/g, '')
          .replaceAll(' ', '-'),
      );
    const broken = [...all].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([, file = '', heading]) => {
        const target = file === '' ? path : join(path, '..', file);
        const isThere = all.has(target) || existsSync(join(root, target));
        return isThere && (heading === undefined || headings(target).includes(heading))
          ? []
          : [`${path}: ${file}#${heading ?? ''}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test('says every verb, flag, setting and event', () => {
    const verbs = all.get('docs/reference/verbs.md') ?? '';
    const manual = all.get('docs/man/coord.1') ?? '';
    for (const { words, about, flags } of allVerbs) {
      expect(verbs).toContain(`### coord ${words.join(' ')}\n`);
      expect(manual).toContain(roff(about.slice(1)));
      for (const { name } of flags) expect(verbs).toContain(`--${name}`);
    }
    for (const { name } of settingByKey.values()) expect(manual).toContain(`.TP\n\\fB${name}`);
    for (const name of eventNames)
      expect(all.get('docs/reference/events.md')).toContain(`### ${name}\n`);
  });

  test('every default of a setting is a value that it takes', () => {
    const usual = new Map([...settingByKey].map(([key, setting]) => [key, setting.usual]));
    expect(settingsFrom(usual)).toEqual(settingsFrom(new Map()));
  });
});

describe('the schemas', () => {
  test('every one refers to files that are there', () => {
    const schemas = jsonSchemas();
    const refs = [...schemas.values()].flatMap((schema) =>
      [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref),
    );
    expect(refs.filter((ref) => !schemas.has(ref.replace('.json', '')))).toEqual([]);
    for (const { file } of verbSchemas) expect(schemas.has(file)).toBe(true);
  });

  test('the facts of every verb are described', () => {
    const open = verbSchemas.map(({ words }) => words).filter((words) => !isDescribed(words));
    expect(open, 'describe them in test/reference/outcomes-*.ts').toEqual([]);
  });

  test('lease, agent, request, wait, refusal and error take no other facts', () => {
    const schemas = jsonSchemas();
    for (const name of ['lease', 'agent', 'request', 'wait', 'refusal', 'error']) {
      const text = JSON.stringify(schemas.get(name));
      const objects = text.match(/"type":"object"/g) ?? [];
      expect(text.match(/"additionalProperties":false/g)).toHaveLength(objects.length);
    }
  });
});
