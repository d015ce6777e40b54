/**
 * The plugin folder: what its documentation asks for, the same hooks as install writes, and a
 * denial that denies.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { claude } from '../../src/adapter/claude.ts';
import { gemini } from '../../src/adapter/gemini.ts';
import { pluginHooks } from '../../src/adapter/plugin-hooks.ts';
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
  expect(json('hooks/hooks.json')).toEqual(pluginHooks(claude));
  expect(json('gemini/hooks/hooks.json')).toEqual(pluginHooks(gemini));
  const skill = readFileSync(join(folder, 'skills/coord/SKILL.md'), 'utf8');
  expect(skill).toMatch(/^---\nname: coord\ndescription: .{40,1500}\n/);
  expect(skill).not.toMatch(/--no-verify|skip|if you have time|where possible/i);
});

test('a denial denies through it, without an installation in the repository; without coord on the PATH a session is told', () => {
  const repo = checkout({ guarded: false });
  const bin = join(repo.top, '../bin');
  mkdirSync(bin);
  symlinkSync(resolve(folder, '../hooks/agent-hook'), join(bin, 'git-coord-hook'));
  const ask = (event: string, session: string, PATH: string): string => {
    const { status, stdout } = spawnSync(
      'sh',
      ['-c', json('hooks/hooks.json')['hooks'][event][0].hooks[0].command as string],
      {
        cwd: repo.top,
        env: { ...repo.env, PATH },
        input: JSON.stringify({
          session_id: session,
          cwd: repo.top,
          hook_event_name: event,
          tool_name: 'Edit',
          tool_input: { file_path: join(repo.top, 'src/a') },
        }),
        encoding: 'utf8',
      },
    );
    expect(status).toBe(0);
    return stdout;
  };
  const path = `${bin}:${repo.env['PATH'] ?? ''}`;
  expect(ask('PreToolUse', 'one', path)).toBe('');
  expect(ask('PreToolUse', 'two', path)).toContain('"permissionDecision":"deny"');
  expect(ask('SessionStart', 'three', path)).toContain('additionalContext');
  expect(ask('PreToolUse', 'two', '/usr/bin:/bin')).toBe('');
  expect(JSON.parse(ask('SessionStart', 'three', '/usr/bin:/bin'))).toEqual({
    systemMessage: 'coord is not installed here',
  });
});
