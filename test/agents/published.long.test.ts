/**
 * What is offered to Claude Code as a marketplace and to Gemini CLI as an extension, judged, installed
 * and listed by the programs themselves. Needs: agent programs, loopback alone.
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { hermetic, temporaryFolder } from '../support/repository.ts';
import { programNamed } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');

/** A program in an empty home. */
function at(name: string): (...args: readonly string[]) => { code: number; said: string } {
  const home = temporaryFolder();
  const place = { programs: process.env['COORD_TEST_AGENTS'] ?? '', home, cwd: home, model: '' };
  const { file, args: launched } = programNamed(name).launch(place, '');
  // Where the program is a script, node runs it.
  const before = launched.slice(
    0,
    launched.findIndex((word) => word.startsWith('-')),
  );
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(file, [...before, ...args], {
      cwd: home,
      env: {
        ...hermetic(home),
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { code: status ?? -1, said: `${stdout}${stderr}` };
  };
}

test('Claude Code takes the marketplace and its plugin as strict, installs it and lists it', () => {
  const claude = at('claude');
  expect(claude('plugin', 'validate', '--strict', root)).toMatchObject({ code: 0 });
  expect(claude('plugin', 'validate', '--strict', join(root, 'plugin'))).toMatchObject({ code: 0 });
  expect(claude('plugin', 'marketplace', 'add', root)).toMatchObject({ code: 0 });
  expect(claude('plugin', 'install', 'coord@git-coord')).toMatchObject({ code: 0 });
  expect(claude('plugin', 'list').said).toMatch(/coord@git-coord[^]*enabled/);
});

test('Gemini CLI takes the extension, installs it and lists its server', () => {
  const gemini = at('gemini');
  const folder = join(root, 'plugin/gemini');
  expect(gemini('extensions', 'validate', folder)).toMatchObject({ code: 0 });
  const linked = gemini('extensions', 'link', '--consent', folder);
  expect(linked, linked.said).toMatchObject({ code: 0 });
  expect(gemini('extensions', 'list').said).toMatch(
    /coord \(\d+\.\d+\.\d+\)[^]*MCP servers:\s+coord/,
  );
});
