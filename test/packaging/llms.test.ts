/** llms.txt: what a model is given to find its way, every place of it there. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exitSentence } from '../../src/core/exits.ts';

const root = resolve(import.meta.dirname, '../..');

test('llms.txt is written as its convention says, and every file that it links is there', () => {
  const text = readFileSync(join(root, 'llms.txt'), 'utf8');
  expect(text).toMatch(/^# coord\n\n> .+\n\n/);
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+$/gm)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  const titled = text.split('\n').filter((line) => line.startsWith('- '));
  expect(titled).toHaveLength(links.length);
});

test('llms.txt says the exit codes as they are', () => {
  expect(readFileSync(join(root, 'llms.txt'), 'utf8')).toContain(` ${exitSentence()} `);
});
