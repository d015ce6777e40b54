/**
 * Coord in a state that it should not be in: an edit is refused with the reason, all else is one
 * line.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { barePath } from '../support/bare-path.ts';
import { temporaryFolder } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { ask, denied, edit, shim } from './asked-hook.ts';

describe('coord in a bad state', () => {
  /** The program as it stands, with something wrong with it. */
  function broken(change: (folder: string) => void): string {
    const folder = temporaryFolder();
    for (const name of ['dist', 'hooks'])
      cpSync(resolve(import.meta.dirname, '../..', name), join(folder, name), { recursive: true });
    change(folder);
    return join(folder, 'hooks/agent-hook');
  }

  test.for<readonly [string, (folder: string) => void]>([
    ['is cut in half', (folder) => writeFileSync(join(folder, 'dist/hot.cjs'), 'throw 1;')],
    ['is gone', (folder) => rmSync(join(folder, 'dist'), { recursive: true })],
    [
      'ends at once with 1',
      (folder) => writeFileSync(join(folder, 'dist/coord.cjs'), 'process.exit(1)'),
    ],
    [
      'ends with 1 after it has answered',
      (folder) =>
        writeFileSync(join(folder, 'dist/coord.cjs'), 'console.log("{}"); process.exitCode = 1'),
    ],
    [
      'dies',
      (folder) =>
        writeFileSync(join(folder, 'dist/coord.cjs'), 'process.kill(process.pid, "SIGKILL")'),
    ],
  ])('its program %s: the edit is refused with a reason, never with 1, unless coord.onError=warn', ([
    ,
    change,
  ]) => {
    const repo = checkout();
    const program = broken(change);
    expect(
      denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {}, program)),
    ).toMatch(/refused.*coord doctor/s);
    for (const moment of ['before-shell', 'after-shell', 'session-start', 'session-end'])
      expect(ask(repo, moment, edit(repo, 'x'), {}, program).code, moment).toBe(0);
    repo.git('config', 'coord.onError', 'warn');
    expect(
      ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {}, program),
    ).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('let through') });
  });

  test('no node, a log that cannot be read, a git that fails: the edit is refused', () => {
    const repo = checkout();
    expect(
      denied(
        ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {
          COORD_NODE: '/nowhere/node',
          PATH: barePath(),
        }),
      ),
    ).toBe('coord found no node, so this edit is refused. Next: put node on the PATH');
    repo.coord('bob', 'reserve', 'src/b');
    writeFileSync(join(repo.top, '.git/refs/coord/log'), 'nonsense\n');
    expect(denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a'))))).toMatch(
      /refused/,
    );
    repo.git('config', 'coord.onError', 'warn');
    expect(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')))).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  test('no repository: nothing is guarded and nothing is said', () => {
    const repo = checkout();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'x'));
    chmodSync(join(folder, 'x'), 0o755);
    expect(
      ask(repo, 'before-edit', edit(repo, join(folder, 'x/a'), { cwd: join(folder, 'x') })),
    ).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the shim', () => {
  test('says yes by itself to exactly what was noted, until the log moves, the path differs or the payload is odd', () => {
    const repo = checkout();
    repo.git('config', 'coord.breakAfter', '0s');
    const starts = (input: string): number => {
      const log = join(repo.top, '../starts');
      rmSync(log, { force: true });
      const counting = join(repo.top, '../counting');
      writeFileSync(counting, `#!/bin/sh\necho x >> '${log}'\nexec '${process.execPath}' "$@"\n`, {
        mode: 0o755,
      });
      const { status, stdout } = spawnSync('sh', [shim, 'claude', 'before-edit'], {
        cwd: repo.top,
        env: { ...repo.env, COORD_NODE: counting },
        input,
        encoding: 'utf8',
      });
      expect(status).toBe(0);
      return (
        spawnSync('cat', [log], { encoding: 'utf8' }).stdout.length / 2 + (stdout === '' ? 0 : 100)
      );
    };
    const a = join(repo.top, 'src/a');
    expect(starts(edit(repo, a))).toBe(1);
    expect(starts(edit(repo, a))).toBe(0);
    expect(
      starts(
        edit(repo, a, {
          tool_input: { file_path: a, old_string: 'x\n"file_path":"/y"', new_string: '\\' },
        }),
      ),
    ).toBe(0);
    // Odd: a second path, an escape that could spell anything, another session, a subagent.
    expect(
      starts(
        `{"session_id":"s1","cwd":${JSON.stringify(repo.top)},"tool_name":"Edit","tool_input":{"file_path":${JSON.stringify(a)},"x":{"file_path":"/y"}}}`,
      ),
    ).toBe(1);
    expect(starts(edit(repo, a).replace('file_path', 'file\\u005fpath'))).toBe(1);
    expect(starts(edit(repo, `${repo.top}/src/../src/a`))).toBe(1);
    expect(starts(edit(repo, a, { agent_id: 'child' }))).toBe(1);
    expect(starts(edit(repo, a, { session_id: 's2' }))).toBe(101);
    // Whatever takes the lease away moves the log.
    expect(starts(edit(repo, a))).toBe(1);
    const [lease] = repo
      .coord(null, 'status')
      .json['leases'].filter(({ agent }: { agent: { name: string } }) => !agent.name.includes('/'));
    expect(repo.coord('bob', 'break', lease.id, '--reason', 'stuck').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'src/a').code).toBe(1);
  });
});
