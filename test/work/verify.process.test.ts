/** Evidence in the notes of exactly what was tested. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gated, missing, runs, tree, verify } from '../support/gated.ts';
import { eventually } from '../support/repository.ts';

describe('verify', () => {
  test.for([
    'sha1',
    'sha256',
  ])('records command, exit, tree, base, agent and bead on the commit and its tree, for git log to show (%s)', (format) => {
    const repo = gated({ init: [`--object-format=${format}`] });
    repo.coord('ann', 'claim', 'bd-1');
    const ran = verify(repo, 'ann');
    expect({ code: ran.code, recorded: ran.json['recorded'] }).toEqual({ code: 0, recorded: true });
    expect(ran.json['evidence']).toMatchObject({
      command: ['sh', 'test.sh'],
      exit: 0,
      tree: tree(repo),
      base: repo.git('rev-parse', 'HEAD').trim(),
      agent: { name: 'ann' },
      bead: 'bd-1',
    });
    expect(repo.git('log', '-1', '--notes=coord')).toMatch(
      /Notes \(coord\):\n\s+passed: sh test\.sh, .* by ann for bd-1\n\s+Evidence: \{/,
    );
    expect(repo.git('notes', '--ref=coord', 'show', tree(repo))).toContain('passed: sh test.sh');
    expect(readFileSync(join(repo.top, '.git', ran.json['evidence'].log), 'utf8')).toBe(
      'output of the test\n',
    );
    expect(repo.git('fsck', '--strict')).not.toContain('error');
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test('what has passed on this very content is not run again, unless forced; other content, another command and a failure are', () => {
    const repo = gated();
    expect(verify(repo, 'ann').json['result']).toBe('ran');
    expect(verify(repo, 'bob').json['result']).toBe('already');
    expect(runs(repo)).toBe(1);
    verify(repo, 'ann', '--force');
    repo.coord('ann', 'verify', '--', 'sh', './test.sh');
    repo.write('src/new', 'not staged, not committed\n');
    verify(repo, 'ann');
    expect(runs(repo)).toBe(4);
    repo.write('broken');
    expect(verify(repo, 'ann').code).toBe(1);
    expect(verify(repo, 'ann').code).toBe(1);
    expect(runs(repo)).toBe(6);
    rmSync(join(repo.top, 'broken'));
    expect(verify(repo, 'ann').json['result']).toBe('already');
    expect(runs(repo)).toBe(6);
  });

  test('the same words in another folder are another command; the gate counts what ran at the top', () => {
    const repo = gated();
    for (const [folder, text] of [
      ['a', 'exit 0\n'],
      ['b', 'exit 1\n'],
    ] as const)
      repo.write(`${folder}/test.sh`, text);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'two');
    expect(
      repo.coord('ann', '-C', 'a', 'verify', '--', 'sh', 'test.sh').json['evidence'].folder,
    ).toBe('a');
    expect(repo.coord('ann', '-C', 'b', 'verify', '--', 'sh', 'test.sh').code).toBe(1);
    expect(missing(repo.coord('ann', 'gate'))).toContain('evidence');
    expect(
      repo.coord('ann', '-C', 'a', 'verify', '--force', '--at', 'HEAD', '--', 'sh', 'test.sh').code,
    ).toBe(0);
    expect(repo.coord('ann', '-C', 'b', 'verify', '--at', 'HEAD', '--', 'sh', 'test.sh').code).toBe(
      1,
    );
  });

  test('files that change while it runs make it evidence for nothing', () => {
    const repo = gated();
    const ran = repo.coord('ann', 'verify', '--', 'sh', '-c', 'echo more >> src/a');
    expect({ code: ran.code, recorded: ran.json['recorded'] }).toEqual({
      code: 75,
      recorded: false,
    });
    expect(() => repo.git('notes', '--ref=coord', 'list')).not.toThrow();
    expect(repo.git('for-each-ref', 'refs/notes')).toBe('');
  });

  test('--at runs it on a commit in a folder of its own, whatever the work tree holds', () => {
    const repo = gated();
    repo.write('broken');
    repo.write('runs');
    const ran = repo.coord('ann', 'verify', '--at', 'HEAD', '--', 'sh', 'test.sh');
    expect(ran.code).toBe(0);
    expect(ran.json['evidence'].tree).toEqual(tree(repo));
    expect(readFileSync(join(repo.top, 'runs'), 'utf8')).toBe('');
    repo.write('deps/lib', 'linked\n');
    expect(
      repo.coord(
        'ann',
        'verify',
        '--at',
        'HEAD',
        '--link',
        'deps',
        '--',
        'grep',
        'linked',
        'deps/lib',
      ).code,
    ).toBe(0);
    for (const command of ['echo more >> src/a', 'echo more > src/new', 'rm src/a']) {
      const changed = repo.coord('ann', 'verify', '--at', 'HEAD', '--', 'sh', '-c', command);
      expect({ code: changed.code, recorded: changed.json['recorded'] }, command).toEqual({
        code: 75,
        recorded: false,
      });
    }
    for (const link of ['src', '../x', '/etc', '.'])
      expect(
        repo.coord('ann', 'verify', '--at', 'HEAD', '--link', link, '--', 'true').code,
        link,
      ).toBe(64);
    expect(repo.coord('ann', 'verify', '--at', 'nowhere', '--', 'true').code).toBe(64);
  });

  test.for<readonly [string, readonly string[], number]>([
    ['cannot be started', ['no-such-program'], 127],
    ['is killed', ['sh', '-c', 'kill -9 $$'], 137],
    ['fails', ['sh', '-c', 'exit 42'], 42],
  ])('a command that %s passes its code on, and the lock is free again', ([, command, code]) => {
    const repo = gated();
    expect(repo.coord('ann', 'verify', '--', ...command).code).toBe(code);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(repo.coord('ann', 'gate').code).toBe(1);
  });

  test('a command that leaves a process behind is over when it is over', () => {
    const repo = gated();
    const ran = repo.coord('ann', 'verify', '--', 'sh', '-c', 'sleep 1000 & echo $! > .git/left');
    process.kill(Number(readFileSync(join(repo.top, '.git/left'), 'utf8')));
    expect({ code: ran.code, recorded: ran.json['recorded'] }).toEqual({ code: 0, recorded: true });
  });

  test(
    'whoever stands in line for the lock on the same content shares the run',
    { timeout: 60_000 },
    async () => {
      const repo = gated();
      repo.write('test.sh', 'echo run >> runs; until [ -e .git/go ]; do sleep 0.05; done\n');
      const first = repo.start('ann', ['verify', '--', 'sh', 'test.sh']);
      await eventually('it runs', () => runs(repo) === 1);
      const others = ['bob', 'eve'].map((agent) =>
        repo.start(agent, ['verify', '--', 'sh', 'test.sh']),
      );
      await eventually('they wait', () => repo.coord(null, 'status').json['waits'].length === 2);
      writeFileSync(join(repo.top, '.git/go'), '');
      expect((await first.ended).json['result']).toBe('ran');
      expect(
        (await Promise.all(others.map(({ ended }) => ended))).map(({ code, json }) => [
          code,
          json['result'],
        ]),
      ).toEqual([
        [0, 'already'],
        [0, 'already'],
      ]);
      expect(runs(repo)).toBe(1);
    },
  );

  test(
    '20 who write notes at once lose none, on one content and on many',
    { timeout: 120_000 },
    async () => {
      const repo = gated();
      const ran = await Promise.all(
        Array.from(
          { length: 20 },
          (_, i) =>
            repo.start(`agent-${i}`, ['verify', '--lock', `lock-${i}`, '--', 'echo', `${i}`]).ended,
        ),
      );
      expect(ran.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 0));
      const note = repo.git('notes', '--ref=coord', 'show', 'HEAD');
      for (let i = 0; i < 20; i += 1) expect(note).toContain(`passed: echo ${i}, `);
    },
  );

  test('of one content the latest are kept, and what others write there stays', () => {
    const repo = gated();
    repo.git('notes', '--ref=coord', 'add', '-m', 'a word of a person', 'HEAD');
    for (let i = 0; i < 36; i += 1)
      expect(repo.coord('ann', 'verify', '--', 'echo', `${i}`).code).toBe(0);
    const note = repo.git('notes', '--ref=coord', 'show', 'HEAD');
    expect(note.match(/^Evidence: /gm)).toHaveLength(32);
    expect(note.startsWith('a word of a person\n')).toBe(true);
    expect(note.includes('echo 3, ')).toBe(false);
    expect(note.includes('echo 35, ')).toBe(true);
  });

  test('a notes ref that holds no notes is named, and left as it is', () => {
    const repo = gated();
    const blob = repo.git('rev-parse', 'HEAD:src/a').trim();
    repo.git('update-ref', 'refs/notes/coord', blob);
    const ran = verify(repo, 'ann');
    expect(ran.code).toBe(69);
    expect(ran.json['error'].code).toBe('notes_malformed');
    expect(repo.git('rev-parse', 'refs/notes/coord').trim()).toEqual(blob);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });

  test("a lock that is in the way of the notes is named, and the run's own lock is free again", () => {
    const repo = gated();
    verify(repo, 'ann');
    writeFileSync(join(repo.top, '.git/refs/notes/coord.lock'), '');
    const ran = verify(repo, 'ann', '--force');
    expect({ code: ran.code, message: ran.json['error'].message }).toEqual({
      code: 75,
      message: expect.stringContaining('coord.lock'),
    });
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });

  test('a reader that has had enough harms nothing', () => {
    const repo = gated();
    const { status, stderr } = spawnSync(
      'bash',
      [
        '-c',
        `set -o pipefail; '${process.execPath}' '${join(import.meta.dirname, '../../dist/coord.cjs')}' --agent ann verify -- sh -c 'yes | head -c 3000000' | head -1`,
      ],
      { cwd: repo.top, env: repo.env, encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.not.stringContaining('unexpected'),
    });
  });

  test('notes that git has spread over folders are read and written there', () => {
    const repo = gated();
    const names = Array.from({ length: 300 }, (_, i) =>
      repo.git('commit-tree', '-m', `${i}`, tree(repo)).trim(),
    );
    for (const name of names) repo.git('notes', '--ref=coord', 'add', '-m', 'noted', name);
    expect(repo.git('ls-tree', 'refs/notes/coord').split('\n')[0]).toContain(' tree ');
    expect(verify(repo, 'ann').json['result']).toBe('ran');
    expect(verify(repo, 'ann').json['result']).toBe('already');
    expect(repo.git('notes', '--ref=coord', 'list').trim().split('\n')).toHaveLength(302);
    expect(repo.git('notes', '--ref=coord', 'show', names[7] ?? '')).toBe('noted\n');
  });

  test('killed at any time it leaves whole evidence or none', { timeout: 120_000 }, async () => {
    const repo = gated();
    for (const at of [60, 90, 120, 150, 180, 220]) {
      const child = spawn(
        process.execPath,
        [
          join(import.meta.dirname, '../../dist/coord.cjs'),
          '--agent',
          'ann',
          'verify',
          '--force',
          '--',
          'true',
        ],
        { cwd: repo.top, env: repo.env, stdio: 'ignore' },
      );
      const killer = setTimeout(() => child.kill('SIGKILL'), at);
      await new Promise((done) => child.on('close', done));
      clearTimeout(killer);
      const notes = repo.git('for-each-ref', '--format=%(refname)', 'refs/notes').trim();
      if (notes !== '')
        for (const line of repo.git('notes', '--ref=coord', 'list').trim().split('\n'))
          expect(() =>
            repo.git('notes', '--ref=coord', 'show', line.split(' ')[1] ?? ''),
          ).not.toThrow();
      repo.coord('ann', 'unlock', 'test');
    }
    expect(verify(repo, 'ann').code).toBe(0);
    expect(repo.git('fsck', '--strict')).not.toMatch(/^(error|missing)/m);
  });
});
