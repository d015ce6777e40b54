/**
 * File names that are hard to say: they can be held like any other, or it is said what to hold
 * instead.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellQuote } from '../../src/core/shell-line.ts';
import { coordProgram, type Ran, repository, type TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

const broken = 'src/a\nb\r\u202ec';
const shown = 'src/a\\u{a}b\\u{d}\\u{202e}c';

/** Through a shell, as somebody types it; `%` stands for coord. */
function typed(repo: TestRepository, line: string): Ran {
  const coord = `'${process.execPath}' '${coordProgram}'`;
  const env = { ...repo.env, LC_ALL: 'C.UTF-8' };
  const args = ['-c', line.replace(/^coord/, coord)];
  const { status, stdout, stderr } = spawnSync('bash', args, {
    cwd: repo.top,
    env,
    encoding: 'utf8',
  });
  return { code: status ?? -1, stdout, stderr, json: {} };
}

describe('a name with a line break [B17]', () => {
  test('is reserved, printed escaped on one line, and the printed next line asks for it again', () => {
    const repo = repository();
    const granted = repo.text('ann', 'reserve', broken);
    expect({ code: granted.code, stdout: granted.stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^granted [^\n]*\n$/),
    });
    expect(granted.stdout).toContain(`granted ${shown}: ann`);
    expect(repo.coord('ann', 'status').json['leases'][0].patterns).toEqual([broken]);
    const refused = repo.text('bob', 'reserve', broken);
    expect({
      code: refused.code,
      length: refused.stderr.split('\n').filter((line) => line.includes(shown)).length,
    }).toEqual({ code: 1, length: 2 });
    const [, next = ''] = /next: (.*)/.exec(refused.stderr) ?? [];
    expect(next).toBe(String.raw`coord reserve --wait 2m --agent bob $'src/a\nb\r\u202ec'`);
    repo.coord('ann', 'release', '--all');
    expect(typed(repo, next).code).toBe(0);
    expect(repo.coord('bob', 'check', broken).json['result']).toBe('mine');
    expect(repo.git('for-each-ref', '--format=%(subject)', 'refs/coord/reservations')).toContain(
      shown,
    );
    expect(repo.git('log', '-1', '--format=%s', 'refs/coord/log')).toContain(shown);
  });

  test('is guarded in commits, and its holder commits it', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', broken);
    repo.write(broken, 'text\n');
    ann.git('add', '-A');
    const refused = ann.git('commit', '-q', '-m', 'x');
    expect(refused.code).toBe(1);
    expect(refused.stderr.includes(shown)).toBe(true);
    expect(refused.stderr.includes('\u202e')).toBe(false);
    bob.git('add', '-A');
    expect(bob.git('commit', '-q', '-m', 'y').code).toBe(0);
    expect(repo.git('ls-tree', '-z', '--name-only', 'HEAD', 'src/').split('\0')).toContain(broken);
  });

  test.for([
    'a\nb',
    "it's\n\\n",
    'tab\tand\u0001x1',
    '\u{e0041}f',
    '$(id)\n`id`',
  ])('%j comes back from a shell as it was', (name) => {
    const said = execFileSync('bash', ['-c', `printf '%s' ${shellQuote(name)}`], {
      env: { LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(said).toEqual(name);
    expect(shellQuote(name).includes('\n')).toBe(false);
  });
});

describe('a name that is no UTF-8 [B17]', () => {
  const instead = { 'names/caf': 'coord reserve names', caf: "coord reserve 'caf?'" } as const;

  test.for(
    Object.entries(instead),
  )('%s\\351 is refused, and what is said to be reserved instead keeps it', ([name, next]) => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const refused = typed(repo, `coord reserve --agent bob --literal $'${name}\\351'`);
    const [, hint = ''] = /try: .*?: (coord .*)/.exec(refused.stderr) ?? [];
    expect({ code: refused.code, stderr: refused.stderr, hint }).toEqual({
      code: 64,
      stderr: expect.stringContaining('is not valid UTF-8'),
      hint: next,
    });
    mkdirSync(join(repo.top, 'names'));
    writeFileSync(
      Buffer.concat([Buffer.from(join(repo.top, name)), Buffer.from([0xe9])]),
      'text\n',
    );
    expect(typed({ ...repo, env: bob.env }, hint).code).toBe(0);
    ann.git('add', '-A');
    expect(ann.git('commit', '-q', '-m', 'x').code).toBe(1);
    bob.git('add', '-A');
    expect(bob.git('commit', '-q', '-m', 'y').code).toBe(0);
    expect(repo.git('log', '-1', '--format=%s', '--', 'names', 'caf*').trim()).toBe('y');
  });
});
