/** What docs/lines.md shows of a shared file is what is said, and its commands do what it says. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClaudeSession } from '../support/claude-sessions.ts';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/lines.md'), 'utf8');

/** The blocks of one kind, in their order. */
function blocks(kind: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, text = '']) =>
    of === kind ? text.trimEnd() : [],
  );
}

/** Names and ids are others each time. */
function plain(said: string): string {
  return said.replace(/claude-[0-9a-f]{8}/g, 'claude-').replace(/\([0-9a-z]{8}\)/g, '()');
}

function shared(): TestRepository {
  const repo = checkout();
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`);
  writeFileSync(join(repo.top, 'shared'), lines.join(''));
  repo.git('add', 'shared');
  repo.git('commit', '-qm', 'shared');
  return repo;
}

function reasonOf(said: string): string {
  return JSON.parse(said).hookSpecificOutput.permissionDecisionReason;
}

const [tooNear = '', unknown = '', wantedAlone = ''] = blocks('text').map(plain);

test('what is refused and left out is said as the page shows it', () => {
  const repo = shared();
  const [ann, ben] = [new ClaudeSession(repo, 'ann'), new ClaudeSession(repo, 'ben')];
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  expect(plain(repo.text('person', 'reserve', 'shared').stderr)).toContain(wantedAlone);
  expect(plain(reasonOf(ben.edit('shared', 'line 4\n', 'ben\n')))).toBe(tooNear);
  appendFileSync(join(repo.top, 'shared'), 'by hand\n');
  expect(plain(ann.bash('git commit -qam ann').stderr).trimEnd()).toBe(unknown);
  const [, own = ''] = /if they are yours: (.*)/.exec(unknown) ?? [];
  expect(ann.bash(`${own} -qm by-hand`)).toMatchObject({ code: 0 });
  expect(repo.git('status', '--short')).toBe('');
});

/** A person's git, with these answers to what it asks. */
function person(repo: TestRepository, answers: string, ...args: readonly string[]): number | null {
  return spawnSync('git', args, { cwd: repo.top, env: repo.env, input: answers }).status;
}

test("a person's commit passes with none of the agents' lines", () => {
  const repo = shared();
  const ann = new ClaudeSession(repo, 'ann');
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  appendFileSync(join(repo.top, 'shared'), 'by hand\n');
  expect(person(repo, '', 'commit', '-qam', 'person')).not.toBe(0);
  expect(person(repo, 'n\ny\n', 'add', '-p', 'shared')).toBe(0);
  expect(person(repo, '', 'commit', '-qm', 'person')).toBe(0);
  expect(repo.git('diff', 'HEAD~', 'HEAD', '-U0')).toMatch(/^@@.*\n\+by hand\n$/m);
  expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
  expect(repo.git('status', '--short')).toBe('');
});

test.for([
  'git commit -qi -m ann shared',
  'git commit -qo -m ann shared',
  'git commit -q --amend -am ann',
  "printf 'y\\ny\\n' | git commit -q -p -m ann",
  "printf 'y\\ny\\n' | git add -p shared && git commit -qm ann",
])('%s takes the lines of its author', (command) => {
  const repo = shared();
  const [ann, ben] = [new ClaudeSession(repo, 'ann'), new ClaudeSession(repo, 'ben')];
  expect(ann.bash("sed -i 's/^line 18$/LINE 18/' shared; git commit -qam first").code).toBe(0);
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
  expect(ann.bash(command)).toMatchObject({ code: 0 });
  expect(repo.git('show', 'HEAD:shared')).toContain('line 3 of ann');
  expect(repo.git('show', 'HEAD:shared')).toContain('LINE 18');
  expect(repo.git('show', 'HEAD:shared')).not.toContain('ben');
  expect(ann.shell('git status --short').stdout).toBe(' M shared\n');
});

test('the commands of the page: union by attribute and by setting, and one at a time', () => {
  const repo = shared();
  const [ann, ben] = [new ClaudeSession(repo, 'ann'), new ClaudeSession(repo, 'ben')];
  const [union = '', alone = ''] = blocks('sh');
  expect(ann.shell(union).code).toBe(0);
  expect(repo.git('check-attr', 'merge', 'CHANGELOG.md')).toContain('union');
  expect(repo.git('config', 'coord.union')).toContain('docs/news/*.md');
  expect(ann.shell(alone).code).toBe(0);
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  expect(ben.edit('shared', 'line 12\n', 'ben\n')).toContain('shared is held by');
});
