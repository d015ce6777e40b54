/** The task list of a team is read and never written, and whatever it holds harms nobody. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { driver } from '../support/harness.ts';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const session = 'aaaa1111-2222';

function team(
  repo: TestRepository,
  files: Readonly<Record<string, string>>,
  list = 'session-aaaa1111',
): string {
  const folder = join(repo.env['HOME'] ?? '', '.claude/tasks', list);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const task = (id: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    id,
    subject: `task ${id}`,
    description: '',
    status: 'in_progress',
    owner: 'maria',
    blocks: [],
    blockedBy: [],
    ...more,
  });

function told(repo: TestRepository, ...config: readonly string[]): string {
  if (config.length > 0) repo.git('config', ...config);
  expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
  const claude = driver(repo, 'claude');
  const ran = claude.start({ session });
  expect(ran.code).toBe(0);
  return String(claude.shape.contextOf(ran.json));
}

describe('Agent Teams [SYS-7]', () => {
  test('a session is told who is at which task; the files stay as they are', () => {
    const repo = checkout();
    const folder = team(repo, {
      '1.json': task('1'),
      '2.json': task('2', { status: 'completed' }),
      '3.json': task('3', { owner: '' }),
      '.highwatermark': '3',
    });
    const before = readdirSync(folder).map((name) => [
      name,
      readFileSync(join(folder, name), 'utf8'),
      statSync(join(folder, name)).mtimeMs,
    ]);
    const text = told(repo);
    expect(text.match(/^Team task .*$/gm)).toEqual(["Team task 1 is maria's: task 1"]);
    expect(
      readdirSync(folder).map((name) => [
        name,
        readFileSync(join(folder, name), 'utf8'),
        statSync(join(folder, name)).mtimeMs,
      ]),
    ).toEqual(before);
  });

  test('coord.agentTeams=off leaves it alone', () => {
    const repo = checkout();
    team(repo, { '1.json': task('1') });
    expect(told(repo, 'coord.agentTeams', 'off')).not.toContain('Team task');
  });

  test('what is damaged, odd, huge or a link is not there', () => {
    const repo = checkout();
    const folder = team(repo, {
      '1.json': '{"id":',
      '2.json': '[]',
      '3.json': 'null',
      '4.json': task('4', { subject: 7 }),
      '5.json': task('5', { description: 'x'.repeat(100_000) }),
      'x.json': task('9'),
      '6.json': task('6', { subject: `${String.fromCharCode(27)}[31mred` }),
    });
    symlinkSync('/etc/passwd', join(folder, '7.json'));
    const text = told(repo);
    expect(text.match(/^Team task .*$/gm)).toHaveLength(1);
    expect(text).not.toContain(String.fromCharCode(27));
  });

  test('many are a few and a number', () => {
    const repo = checkout();
    team(
      repo,
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.json`, task(String(i))])),
    );
    expect(told(repo)).toContain('... and 4 more team tasks under way');
  });
});
