/** The launcher and its alias, which install makes and uninstall takes away. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

test('uninstall gives back the configuration of the repository to the byte', () => {
  for (const own of ['', '[alias]\n\tst = status\n']) {
    const repo = checkout({ guarded: false });
    const file = join(repo.top, '.git/config');
    writeFileSync(file, readFileSync(file, 'utf8') + own);
    const before = readFileSync(file, 'utf8');
    expect(repo.coord(null, 'install', '--harness', 'all').code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('coord-hook');
    expect(run(repo.top, repo.env, ['uninstall']).stdout).toContain('alias.coord-hook');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(repo.git('status', '--porcelain', '--ignored')).toBe('');
    expect(repo.coord(null, 'uninstall').json['result']).toBe('nothing');
  }
});
