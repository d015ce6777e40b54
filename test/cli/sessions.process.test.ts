/** A session in a shell: begun, lost, taken over and ended, as somebody types it. */
import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { coordProgram, type Ran, type TestRepository } from '../support/repository.ts';
import { checkout, ranIn } from '../support/sessions.ts';

/** A shell of its own terminal, with coord as a function of its own. */
function shell(repo: TestRepository, script: string): Ran {
  const coord = `coord() { '${process.execPath}' '${coordProgram}' "$@"; }`;
  return ranIn(repo.top, repo.env, 'setsid', ['--wait', 'sh', '-c', `${coord}\n${script}`]);
}

/** A terminal that stays open until it is told to go. */
async function terminal(repo: TestRepository, script: string): Promise<() => Promise<void>> {
  const coord = `coord() { '${process.execPath}' '${coordProgram}' "$@"; }`;
  const child = spawn('sh', ['-c', `${coord}\n${script}\necho ready; read -r _`], {
    cwd: repo.top, env: { ...repo.env }, detached: true, stdio: ['pipe', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (said: Buffer) => {
      if (said.includes('ready')) resolve();
    });
  });
  return () => new Promise((resolve) => {
    child.on('close', () => resolve());
    child.stdin.end('\n');
  });
}

const forced = 'eval "$(coord session start ann --force --shell)"';

describe('[U12] sessions', () => {
  test('one that was begun without its variables is taken over in the same terminal, as the refusal says', () => {
    const repo = checkout();
    const { stdout, stderr } = shell(repo, `
      coord session start ann >/dev/null
      coord --agent ann reserve src/a
      ${forced}
      coord reserve src/a && coord whoami`);
    expect(stderr).toContain(`next: ${forced}`);
    expect(stdout).toMatch(/granted src\/a: ann \(.*\n.*ann \(/s);
  });

  test('of a terminal that is gone it may be taken, of one that is open it may not', async () => {
    const repo = checkout();
    const close = await terminal(repo, 'coord session start ann >/dev/null');
    const refused = shell(repo, 'coord session start ann --force');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ann')]);
    expect(refused.stderr).not.toContain('--force');
    await close();
    expect(shell(repo, `coord session start ann; ${forced} && coord reserve src/a`).stdout).toContain('granted src/a');
  });

  test('a start that fails makes eval fail', () => {
    const repo = checkout();
    const { stdout } = shell(repo, 'coord session start ann >/dev/null\neval "$(coord session start ann --shell 2>/dev/null)" || echo failed');
    expect(stdout).toBe('failed\n');
    expect(shell(repo, 'eval "$(coord -C /nowhere session start ann --shell 2>/dev/null)" || echo failed').stdout).toBe('failed\n');
  });

  test('its end undoes what its start has exported', () => {
    const repo = checkout();
    const { stdout } = shell(repo, `
      before=$PATH
      eval "$(coord session start ann --shell)"
      [ "$PATH" != "$before" ] && eval "$(coord session end --shell)"
      [ "$PATH" = "$before" ] && echo "left: $COORD_AGENT$COORD_SESSION$COORD_STAGE"
      coord status`);
    expect(stdout).toBe('left: \nno leases\nno agents\n');
  });

  test('an end that leaves them there says so', () => {
    const repo = checkout();
    const { stderr } = shell(repo, 'eval "$(coord session start ann --shell)"\ncoord session end');
    expect(stderr).toContain('unset COORD_AGENT COORD_SESSION COORD_STAGE');
  });
});
