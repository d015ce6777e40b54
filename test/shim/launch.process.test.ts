/**
 * What the shims keep from node's own settings, and that nothing is lost to whoever coord starts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { driver } from '../support/harness.ts';
import { checkout, session } from '../support/sessions.ts';

const coord = resolve('dist/coord.cjs');

describe('node as the shims start it', () => {
  test("what the user's node would load at each start is not loaded by hooks, and they guard all the same", () => {
    const repo = checkout();
    const loaded = join(repo.top, '.git/loaded');
    const preload = join(repo.top, '.git/preload.cjs');
    writeFileSync(
      preload,
      `require('node:fs').appendFileSync(${JSON.stringify(loaded)}, process.argv.join(' ') + '\\n');\n`,
    );
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    expect(ann.coord('reserve', 'src/a').code).toBe(0);
    bob.edit('src/a');
    const commit = (env: NodeJS.ProcessEnv): ReturnType<typeof spawnSync> =>
      spawnSync('git', ['commit', '-q', '-m', 'x'], {
        cwd: repo.top,
        env: { ...bob.env, ...env },
        encoding: 'utf8',
      });
    const { status, stderr } = commit({ NODE_OPTIONS: `--require=${preload}` });
    expect(status).toBe(1);
    expect(existsSync(loaded)).toBe(false);
    expect(stderr).toContain('ann');
  });

  test.for([
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
  ])('%s is there again for the programs of a hook', (name) => {
    const repo = checkout();
    const value = name === 'NODE_OPTIONS' ? '--no-warnings' : '/etc/hostname';
    const env = { ...repo.env, COORD_AGENT: 'ann', [name]: '', [`COORD_KEPT_${name}`]: value };
    const seen = spawnSync(
      process.execPath,
      [
        coord,
        'run',
        '--lock',
        'x',
        '--',
        'sh',
        '-c',
        `echo "$${name} \${COORD_KEPT_${name}-gone}"`,
      ],
      { cwd: repo.top, env, encoding: 'utf8' },
    );
    expect(seen.stdout).toBe(`${value} gone\n`);
    const none = spawnSync(
      process.execPath,
      [coord, 'run', '--lock', 'x', '--', 'sh', '-c', `echo "\${${name}-unset}"`],
      { cwd: repo.top, env: { ...env, [`COORD_KEPT_${name}`]: '' }, encoding: 'utf8' },
    );
    expect(none.stdout).toBe('unset\n');
  });

  test('a harness that runs with a debugger is answered by hooks that do not', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const env = { NODE_OPTIONS: '--require=/nowhere/debugger.cjs' };
    const begun = driver(repo, 'claude').start({ session: 'aaaa1111-2222' }, 'startup', env);
    expect({ code: begun.code, stderr: begun.stderr }).toEqual({ code: 0, stderr: '' });
    expect(begun.stdout).toContain('claude-');
  });
});

test('a shell that has lost the PATH of its user has coord all the same', () => {
  const repo = checkout();
  const ann = session(repo, 'ann');
  const [hooks = ''] = (ann.env['PATH'] ?? '').split(':');
  const PATH = [hooks, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const { stdout, status } = spawnSync('sh', ['-c', 'command -v coord; coord reserve src/a'], {
    cwd: repo.top,
    env: { ...ann.env, PATH },
    encoding: 'utf8',
  });
  expect(stdout.split('\n')[0]).toBe(join(hooks, 'coord'));
  expect(status).toBe(0);
  expect(repo.coord(null, 'check', 'src/a').json['blockers']).toMatchObject([
    { agent: { name: 'ann' } },
  ]);
});
