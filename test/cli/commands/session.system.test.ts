/**
 * A session in a shell: begun, lost, taken over and ended, as somebody types it.
 * Needs: script.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram, type Ran, type TestRepository } from '../../support/repository.ts';
import { checkout, ranIn } from '../../support/sessions.ts';

const coord = `coord() { '${process.execPath}' '${coordProgram}' "$@"; }`;

/** A shell at a terminal of its own, as somebody types it. */
function shell(repo: TestRepository, script: string): Ran {
  const file = join(repo.top, '../script');
  writeFileSync(file, `${coord}\n${script}\n`);
  return ranIn(repo.top, { ...repo.env, NO_COLOR: '1' }, 'script', [
    '-qec',
    `sh '${file}'`,
    '/dev/null',
  ]);
}

/** A shell without one, as programs start them, which stays until it is told to go. */
async function program(repo: TestRepository, script: string): Promise<() => Promise<void>> {
  const child = spawn('sh', ['-c', `${coord}\n${script}\necho ready; read -r _`], {
    cwd: repo.top,
    env: { ...repo.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (said: Buffer) => {
      if (said.includes('ready')) resolve();
    });
  });
  return () =>
    new Promise((resolve) => {
      child.on('close', () => resolve());
      child.stdin.end('\n');
    });
}

const forced = 'eval "$(coord session start ann --force --shell)"';

describe('sessions [U12]', () => {
  test('one that was begun without its variables is taken over in the same terminal, as the refusal says', () => {
    const repo = checkout();
    const { stdout } = shell(
      repo,
      `
      coord session start ann >/dev/null
      coord --agent ann reserve src/a
      ${forced}
      coord reserve src/a && coord whoami`,
    );
    expect(stdout).toContain(`next: ${forced}`);
    expect(stdout).toMatch(/granted src\/a: ann \(.*\n.*ann \(/s);
  });

  test('of a terminal that is closed it may be taken', () => {
    const repo = checkout();
    shell(repo, 'coord session start ann');
    expect(shell(repo, `${forced} && coord reserve src/a`).stdout).toContain('granted src/a');
  });

  test('of a program it may not, neither while it runs nor right after, and nobody is told to', async () => {
    const repo = checkout();
    const close = await program(repo, 'coord session start ann >/dev/null');
    const tries = (): readonly Ran[] => [
      ranIn(repo.top, repo.env, 'sh', ['-c', `${coord}\ncoord --agent ann reserve src/a`]),
      ranIn(repo.top, repo.env, 'sh', ['-c', `${coord}\ncoord session start ann --force`]),
    ];
    for (const ran of tries())
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({
        code: 1,
        stderr: expect.not.stringContaining('--force'),
      });
    await close();
    for (const ran of tries())
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({
        code: 1,
        stderr: expect.not.stringContaining('--force'),
      });
  });

  test('of a child whose terminal is closed it is not taken from its parent, who is at work', async () => {
    const repo = checkout();
    const kept = join(repo.top, '../ann.env');
    const close = await program(repo, `coord session start ann --shell > '${kept}'`);
    shell(repo, `. '${kept}'; coord session start ann/review`);
    const taken = shell(repo, 'coord session start ann/review --force');
    expect(taken.code).toBe(1);
    expect(shell(repo, `. '${kept}'; coord reserve src/a`).stdout).toContain('granted src/a: ann');
    await close();
  });

  test('a start that fails makes eval fail', () => {
    const repo = checkout();
    shell(repo, 'coord session start ann');
    for (const words of ['start ann --shell', 'start --bogus --shell', 'start --shell a b c']) {
      expect(
        shell(repo, `eval "$(coord session ${words} 2>/dev/null)" || echo failed`).stdout.trim(),
        words,
      ).toBe('failed');
    }
    expect(
      shell(
        repo,
        'eval "$(coord -C /nowhere session start ann --shell 2>/dev/null)" || echo failed',
      ).stdout.trim(),
    ).toBe('failed');
  });

  test('its end undoes what its start has exported', () => {
    const repo = checkout();
    const { stdout } = shell(
      repo,
      `
      before=$PATH
      eval "$(coord session start ann --shell)"
      [ "$PATH" != "$before" ] && eval "$(coord session end --shell)"
      [ "$PATH" = "$before" ] && echo "left: $COORD_AGENT$COORD_SESSION$COORD_STAGE"
      coord status`,
    );
    expect(stdout.replaceAll('\r', '')).toBe('left: \nno leases\nno agents\n');
  });

  test('an end that leaves them there says so', () => {
    const repo = checkout();
    const { stdout } = shell(repo, 'eval "$(coord session start ann --shell)"\ncoord session end');
    expect(stdout).toContain('unset COORD_AGENT COORD_SESSION COORD_STAGE');
  });
});
