/**
 * coord shell: the git of people at a shell, in the shells themselves.
 * Needs: zsh, fish.
 */
import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn, executable } from '../support/gate.ts';
import type { Environment, Ran } from '../support/repository.ts';
import { type Scene, scene, went } from '../support/scene.ts';
import { ranIn } from '../support/sessions.ts';

const interactive: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc', '--noprofile', '-i', '-c'],
  zsh: ['-f', '-i', '-c'],
  fish: ['--no-config', '-i', '-c'],
};
const shells = Object.keys(interactive);

function load(shell: string): string {
  return shell === 'fish' ? 'coord shell fish | source' : `eval "$(coord shell ${shell})"`;
}

function environment({ repo }: Scene): Environment {
  const bin = mkdtempSync(join(repo.top, '..', 'bin-'));
  coordIn(bin);
  return { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}`, TERM: 'dumb' };
}

/** bob holds src/b and has not committed what he wrote there. */
function unsaved(): Scene {
  const here = scene();
  went(here.bob.coord('reserve', 'src/b'));
  appendFileSync(join(here.repo.top, 'src/b'), 'unsaved of bob\n');
  return here;
}

function at(here: Scene, shell: string, script: string, env = environment(here)): Ran {
  return ranIn(here.repo.top, env, shell, [
    ...(interactive[shell] ?? []),
    `${load(shell)}\n${script}`,
  ]);
}

function file({ repo }: Scene): string {
  return readFileSync(join(repo.top, 'src/b'), 'utf8');
}

describe('coord shell', () => {
  test.for(
    shells,
  )('%s: git refuses to wipe what another has not committed, and command git does it', (shell) => {
    const here = unsaved();
    const refused = at(here, shell, 'git checkout -- src/b');
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('bob'),
    });
    expect(at(here, shell, 'cd src; git -C .. reset -q --hard').code).toBe(1);
    expect(file(here)).toContain('unsaved of bob');
    here.repo.git('config', 'alias.away', 'checkout --');
    expect(at(here, shell, 'git away src/b').code).toBe(1);
    expect(file(here)).toContain('unsaved of bob');
    here.repo.git('config', 'alias.gone', '!git checkout -- .');
    at(here, shell, 'git gone');
    expect(here.repo.coord(null, 'rescue', 'list').json['saved']).toMatchObject([{ agent: 'bob' }]);
    appendFileSync(join(here.repo.top, 'src/b'), 'unsaved of bob\n');
    expect(at(here, shell, 'command git checkout -- src/b').code).toBe(0);
    expect(file(here)).not.toContain('unsaved of bob');
  });

  test.for(shells)('%s: all else is as git does it, with its words and its exit code', (shell) => {
    const here = scene();
    for (const line of [
      'git status --short',
      'git rev-parse nothing',
      'git switch -q -c "a b"',
      'git switch -q -c other',
      'git log --oneline -1',
      'git stash list',
      'git -c core.pager=cat branch',
    ]) {
      const [plain, looked] = [`command ${line}`, line].map((one) => {
        here.repo.git('switch', '-q', 'main');
        ranIn(here.repo.top, here.repo.env, 'git', ['branch', '-q', '-D', 'other']);
        const { code, stdout } = at(here, shell, one);
        return { code, stdout };
      });
      expect(looked, line).toEqual(plain);
    }
  });

  test.for(shells)('%s: where coord fails git runs all the same', (shell) => {
    const here = unsaved();
    const env = environment(here);
    const bin = (env['PATH'] ?? '').split(':')[0] ?? '';
    const script = at(
      here,
      shell,
      shell === 'fish' ? 'functions git' : 'typeset -f git',
      env,
    ).stdout;
    executable(join(bin, 'coord'), '#!/bin/sh\nexit 70\n');
    const again = ranIn(here.repo.top, env, shell, [
      ...(interactive[shell] ?? []),
      `${script}\ngit checkout -q -- src/b`,
    ]);
    expect(again.code).toBe(0);
    expect(file(here)).not.toContain('unsaved of bob');
  });

  test.for(shells)('%s: nothing is exported, and a script sees nothing of it', (shell) => {
    const here = scene();
    expect(at(here, shell, 'env').stdout).not.toMatch(/coord_|COORD_SHIM/);
    const script = shell === 'fish' ? ['--no-config', '-c'] : ['-c'];
    const seen = ranIn(here.repo.top, environment(here), shell, [
      ...script,
      `${load(shell)}\ntype git`,
    ]);
    expect(seen.stdout).not.toMatch(/function/);
  });

  test.for(shells)('%s: a segment for the prompt says who holds what', (shell) => {
    const here = unsaved();
    const asked = shell === 'fish' ? 'coord_segment' : 'coord_look; echo "$coord_segment"';
    expect(at(here, shell, asked).stdout).toMatch(/\[bob: src\/b\] /);
  });
});
