/** With the real tracker, whose program COORD_TEST_BD names. Needs: bd. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { type Ran, repository } from '../support/repository.ts';

const program = process.env['COORD_TEST_BD'] ?? '';

test(
  'beside the real bd a claim is in both under one name, and so is its end',
  { timeout: 120_000 },
  async () => {
    const repo = repository();
    const env = { ...repo.env, PATH: `${dirname(program)}:${repo.env['PATH'] ?? ''}` };
    const bd = (...args: readonly string[]): string =>
      execFileSync(program, args, {
        cwd: repo.top,
        env: { ...env, BD_JSON_ENVELOPE: '0' },
        encoding: 'utf8',
      });
    const coord = (...args: readonly string[]): Promise<Ran> => repo.start('ann', args, env).ended;
    bd('init', '--quiet');
    const { id } = JSON.parse(bd('create', 'a task', '--json')) as { readonly id: string };
    expect((await coord('claim', '--next')).json['bead']).toBe(id);
    expect(bd('show', id, '--json')).toMatch(/"assignee":\s*"ann"/);
    expect((await coord('done', id, '--no-change', '--reason', 'a test')).code).toBe(0);
    expect(bd('show', id, '--json')).toMatch(/"status":\s*"closed"/);
  },
);
