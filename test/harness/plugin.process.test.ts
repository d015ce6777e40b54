/**
 * The plugin folder: what its documentation asks for, the same hooks as install writes, and a
 * denial that denies.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { pluginHooks } from '../../src/adapter/claude.ts';
import { coordProgram } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const folder = resolve(import.meta.dirname, '../../plugin');
const json = (name: string): Record<string, any> =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, any>;

test('its manifest has a name and the version of the package, and knows no other fields than the documented ones', () => {
  const manifest = json('.claude-plugin/plugin.json');
  const known = [
    'name',
    'version',
    'description',
    'author',
    'homepage',
    'repository',
    'license',
    'keywords',
    'hooks',
    'mcpServers',
    'skills',
    'commands',
    'agents',
    'dependencies',
    'defaultEnabled',
  ];
  expect(Object.keys(manifest).filter((key) => !known.includes(key))).toEqual([]);
  expect({ name: manifest['name'], version: manifest['version'] }).toEqual({
    name: 'coord',
    version: JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8')).version,
  });
  expect(json('.mcp.json')).toEqual({ mcpServers: { coord: { command: 'coord', args: ['mcp'] } } });
  expect(existsSync(join(folder, '.claude-plugin/hooks'))).toBe(false);
});

test('its hooks are those that install writes; its skill has a name and a description, and leaves no tests out', () => {
  expect(json('hooks/hooks.json')).toEqual(pluginHooks());
  const skill = readFileSync(join(folder, 'skills/coord/SKILL.md'), 'utf8');
  expect(skill).toMatch(/^---\nname: coord\ndescription: .{40,1500}\n/);
  expect(skill).not.toMatch(/--no-verify|skip|if you have time|where possible/i);
});

test('a denial denies through it, and without coord on the PATH it says so', () => {
  const repo = checkout();
  const bin = join(repo.top, '../bin');
  mkdirSync(bin);
  symlinkSync(coordProgram, join(bin, 'coord'));
  const command = json('hooks/hooks.json')['hooks'].PreToolUse[0].hooks[0].command as string;
  const ask = (session: string, PATH: string): string =>
    spawnSync('sh', ['-c', command], {
      cwd: repo.top,
      env: { ...repo.env, PATH },
      input: JSON.stringify({
        session_id: session,
        cwd: repo.top,
        hook_event_name: 'PreToolUse',
        tool_name: 'Edit',
        tool_input: { file_path: join(repo.top, 'src/a') },
      }),
      encoding: 'utf8',
    }).stdout;
  const path = `${bin}:${repo.env['PATH'] ?? ''}`;
  expect(ask('one', path)).toBe('');
  expect(ask('two', path)).toEqual(expect.stringContaining('"permissionDecision":"deny"'));
  expect(ask('two', '/usr/bin:/bin')).toContain('coord is not on the PATH');
});
