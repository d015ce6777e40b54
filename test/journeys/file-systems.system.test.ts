/**
 * File systems that do not tell case: one that can all else (NTFS), one that has neither links nor
 * modes (exFAT). What Linux has of its own for this (ext4 casefold, vfat, HFS+) few kernels have.
 * Needs: loop mounts.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import { hermetic, type Ran, temporaryFolder } from '../support/repository.ts';

interface Disk {
  /** Runs it in the repository there. */
  run(script: string): Ran;
}

const makers: Readonly<Record<string, readonly [make: string, mount: string]>> = {
  'NTFS, its names without case': [
    'mkfs.ntfs -q -F disk',
    'lowntfs-3g -o ignore_case,permissions disk at',
  ],
  exFAT: ['mkfs.exfat disk', 'loop=$(losetup -f --show disk); mount.exfat-fuse "$loop" at'],
};

/** Mounted where nobody else sees it, until the test is over. */
async function disk(kind: string): Promise<Disk> {
  const home = temporaryFolder();
  const [make = '', mount = ''] = makers[kind] ?? [];
  mkdirSync(join(home, 'at'));
  coordIn(join(home, 'bin'));
  writeFileSync(
    join(home, 'gitconfig'),
    '[user]\n\tname = T\n\temail = t@example.invalid\n[init]\n\tdefaultBranch = main\n',
  );
  const base = hermetic(home);
  const env = { ...base, PATH: `${join(home, 'bin')}:${base['PATH'] ?? ''}:/usr/sbin:/sbin` };
  const script = `mount --make-rprivate / && truncate -s 256M disk && { ${make} && ${mount}; } >/dev/null 2>&1 && echo ready && read -r end; umount at; [ -z "$loop" ] || losetup -d "$loop"`;
  const keeper: ChildProcess = spawn('unshare', ['-m', 'sh', '-c', script], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    keeper.stdin?.end('\n');
    if (keeper.exitCode === null) await once(keeper, 'exit');
  });
  if (keeper.stdout !== null) await once(keeper.stdout, 'data');
  const run = (text: string): Ran => {
    const inside = `cd '${join(home, 'at')}' && { [ ! -d repo ] || cd repo; } && ${text}`;
    const child = spawnSync('nsenter', ['-m', '-t', String(keeper.pid), 'sh', '-c', inside], {
      env,
      encoding: 'utf8',
    });
    return { code: child.status ?? -1, stdout: child.stdout, stderr: child.stderr, json: {} };
  };
  const made = run(
    'git init -q repo && cd repo && mkdir Src && echo 1 > Src/A.txt && echo 1 > b.txt && git add -A && git commit -q -m one && coord install --harness none',
  );
  expect(made, made.stderr).toMatchObject({ code: 0 });
  return { run };
}

const kinds = Object.keys(makers);

describe.each(kinds)('on %s', (kind) => {
  test('doctor finds nothing to mend, and a held path is refused there', async () => {
    const { run } = await disk(kind);
    const { code, stdout } = run('coord doctor');
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/^ok +proof/m);
  });

  test('a file is one file, however its name is spelt', async () => {
    const { run } = await disk(kind);
    run('coord --agent ann reserve Src/A.txt');
    expect(run('coord --agent bob check src/a.TXT')).toMatchObject({ code: 1 });
    expect(run('coord --agent bob reserve src/a.txt').stderr).toContain('held by ann');
    expect(run('coord --agent ann check SRC/a.txt').stdout).toMatch(/^mine/);
  });

  test("another's commit of it is refused, the holder's passes", async () => {
    const { run } = await disk(kind);
    run('coord --agent ann reserve Src/A.txt');
    const by = (agent: string): Ran =>
      run(`echo ${agent} >> Src/A.txt && COORD_AGENT=${agent} git commit -q -a -m change`);
    expect(by('bob').stderr).toMatch(/refused: .*held by ann/);
    expect(by('ann')).toMatchObject({ code: 0 });
  });

  test('beads that differ in case alone are two, also for plain git', async () => {
    const { run } = await disk(kind);
    expect(run('coord --agent ann claim BD-7 --again')).toMatchObject({ code: 0 });
    expect(run('coord --agent bob claim bd-7 --again')).toMatchObject({ code: 0 });
    expect(run('git for-each-ref refs/coord/claims').stdout.trim().split('\n')).toHaveLength(2);
  });

  test('a session commits from an index of its own, and what it leaves is kept', async () => {
    const { run } = await disk(kind);
    const said = run(
      'eval "$(coord session start zoe --shell)" && echo 2 > c.txt && git add c.txt && git commit -q -m three && echo 3 > d.txt && git add d.txt && eval "$(coord session end --shell)" && git log -1 --format=%s && coord rescue list',
    );
    expect(said.code, said.stderr).toBe(0);
    expect(said.stdout).toMatch(/^three\n/);
    expect(said.stdout).toContain('zoe');
  });

  test('of two that race for one file exactly one gets it', async () => {
    const { run } = await disk(kind);
    for (let i = 0; i < 5; i += 1) {
      const { stdout } = run(
        `for a in ann bob cid; do coord --agent $a reserve race-${i} >/dev/null 2>&1 && echo got & done; wait`,
      );
      expect(stdout).toBe('got\n');
    }
  });

  test('uninstalled and purged nothing is left', async () => {
    const { run } = await disk(kind);
    run('coord --agent ann reserve b.txt && coord --agent ann release --all');
    expect(run('coord uninstall --purge')).toMatchObject({ code: 0 });
    expect(
      run(
        'git for-each-ref refs/coord; ls .git/coord .git/hooks 2>/dev/null | grep -v sample',
      ).stdout.trim(),
    ).toMatch(/^(\.git\/\w+:\s*)*$/);
  });
});
