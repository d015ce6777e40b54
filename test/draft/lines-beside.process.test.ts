/** Two sessions beside each other in one file, and what they leave to others. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ClaudeSession } from '../support/claude-sessions.ts';
import type { TestRepository } from '../support/repository.ts';

import { addedIn, type SharedFile, sharedFile } from '../support/shared-file.ts';

function bash(command: string): Readonly<Record<string, unknown>> {
  return { tool_name: 'Bash', tool_input: { command } };
}

function saidOf(repo: TestRepository, { session }: ClaudeSession): string {
  return join(repo.top, '.git/coord/edits', `claude+${session}${repo.top}/shared/@said`);
}

function fileNow(repo: TestRepository): string {
  return readFileSync(join(repo.top, 'shared'), 'utf8');
}

describe('beside each other', () => {
  test('what one has staged comes along when the other commits', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ben.bash('git add shared')).toMatchObject({ code: 0 });
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(ben.bash('git commit -qm ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    expect(repo.git('show', 'HEAD:shared')).toBe(fileNow(repo));
    expect(repo.git('status', '--short')).toBe('');
  });

  test('whoever is alone in a file is known by what the shim was told', () => {
    const { repo, ann, ben } = sharedFile();
    for (const line of [3, 5, 7])
      expect(ann.edit('shared', `line ${line}\n`, `line ${line} of ann\n`)).toBe('');
    // Nothing but the shim has seen the last ones.
    expect(
      JSON.parse(readFileSync(saidOf(repo, ann), 'utf8').split('\n').at(-2) ?? ''),
    ).toMatchObject({ tool_input: { old_string: 'line 7\n' } });
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    expect(ben.edit('shared', 'line 7 of ann\n', 'ben\n')).toContain('lines 7,');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann', 'line 5 of ann', 'line 7 of ann']);
    expect(repo.git('diff', '-U0', 'HEAD')).toMatch(/\+line 12 of ben\n[^]*\+by hand\n/);
  });

  test('of two commands at once the one that names the file has changed it; of two that do nobody', () => {
    const { repo, ann, ben } = sharedFile();
    const begins = (session: ClaudeSession, command: string, call: string): void => {
      session.ask('before-shell', { ...bash(command), tool_use_id: call });
    };
    const ends = (session: ClaudeSession, command: string, call: string): void => {
      session.ask('after-shell', { ...bash(command), tool_use_id: call });
    };
    const write = (from: string, to: string): void => {
      const file = join(repo.top, 'shared');
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    };
    begins(ann, 'python3 fix.py shared', 'one');
    begins(ben, 'make', 'two');
    write('line 3\n', 'line 3 of ann\n');
    ends(ben, 'make', 'two');
    ends(ann, 'python3 fix.py shared', 'one');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    begins(ann, 'python3 fix.py shared', 'three');
    begins(ben, 'python3 fix.py shared', 'four');
    write('line 8\n', 'line 8 of ben\n');
    ends(ann, 'python3 fix.py shared', 'three');
    ends(ben, 'python3 fix.py shared', 'four');
    for (const session of [ann, ben]) {
      const { code, stderr } = session.bash('git commit -qam all');
      expect(code).not.toBe(0);
      expect(stderr).toContain('shared has uncommitted changes of somebody unknown');
    }
  });

  test.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('of two commands at once that name the file each has what its words say, the %s ended before the %s', (one) => {
    const { repo, ann, ben } = sharedFile();
    const calls = [ann, ben].map((session, i) => {
      const line = (i + 1) * 6;
      const command = `sed -i 's/^line ${line}$/line ${line} by command ${i + 1}/' shared`;
      return { session, line, more: { ...bash(command), tool_use_id: `call ${i}` } };
    });
    for (const { session, more } of calls) session.ask('before-shell', more);
    for (const { session, line } of calls) {
      const to = `line ${line} by command ${line / 6}\n`;
      session.lands('shared', `line ${line}\n`, to);
    }
    const ends = one === 'first' ? calls : [...calls].reverse();
    for (const { session, more } of ends) session.ask('after-shell', more);
    for (const { session, line } of calls) {
      expect(session.bash('git commit -qam own')).toMatchObject({ code: 0, stderr: '' });
      expect(addedIn(repo, 'HEAD')).toEqual([`line ${line} by command ${line / 6}`]);
    }
  });

  test('an edit that was allowed and never made takes nothing from anybody', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.wants('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    ann.lands('shared', 'line 3\n', 'line 3 of ann\n');
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test('where one is about to write another one does not', () => {
    const { ann, ben } = sharedFile();
    expect(ann.wants('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.wants('shared', 'line 4\n', 'line 4 of ben\n')).toMatch(/"deny"[^]*lines 3, which/);
    expect(ben.wants('shared', 'line 5\n', 'line 5 of ben\n')).toBe('');
  });

  test('two tools that were allowed at once, whichever writes first', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.wants('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.wants('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    ben.lands('shared', 'line 12\n', 'line 12 of ben\n');
    appendFileSync(join(repo.top, 'shared'), 'by hand\n');
    ann.lands('shared', 'line 3\n', 'line 3 of ann\n');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    expect(repo.git('diff', '-U0', 'HEAD').split('\n').at(-2)).toBe('+by hand');
  });

  test('who wants the file alone waits for the lines, which end with their commit', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(repo.coord('person', 'reserve', 'shared').code).toBe(1);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(repo.coord('person', 'reserve', 'shared').code).toBe(0);
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toMatch(/held by person/);
  });

  test('a lease ends with the lines that were committed, also beside those of others', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    const before = repo.coord(null, 'status').json['leases'];
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(repo.coord(null, 'status').json['leases']).toHaveLength(1);
    expect(before).toHaveLength(2);
  });

  test('a session that goes on after its end has what it had', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    ann.ask('session-end', { reason: 'other' });
    const again = new ClaudeSession(repo, 'ann');
    expect(again.edit('shared', 'line 5\n', 'line 5 of ann\n')).toBe('');
    expect(again.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann', 'line 5 of ann']);
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
  });

  test('what a session has left at its end a person may commit', () => {
    const { repo, ann, ben } = sharedFile();
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
    ann.ask('session-end', { reason: 'other' });
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 12 of ben']);
    repo.git('commit', '-qam', 'person');
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  describe('a subagent and whoever sent it', () => {
    function family(): SharedFile & {
      readonly kid: (from: string, to: string, id?: string) => string;
    } {
      const { repo, ann, ben } = sharedFile();
      for (const id of ['kid', 'sister']) ann.ask('subagent-start', { ...child(id) });
      const kid = (from: string, to: string, id = 'kid'): string => {
        const input = { file_path: ann.path('shared'), old_string: from, new_string: to };
        const more = { ...child(id), tool_name: 'Edit', tool_input: input };
        const said = ann.ask('before-edit', more);
        if (said === '') ann.lands('shared', from, to);
        return said;
      };
      return { repo, ann, ben, kid };
    }
    const child = (id: string) => ({ agent_id: id, agent_type: 'helper' });

    test('its lines go on with them once it ends', () => {
      const { repo, ann, kid } = family();
      expect(kid('line 3\n', 'line 3 of kid\n')).toBe('');
      ann.ask('subagent-stop', child('kid'));
      expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
      expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of kid']);
    });

    test('each goes on with what the other has in its way, and with no more', () => {
      const { repo, ann, ben, kid } = family();
      expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
      expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
      expect(kid('line 3 of ann\n', 'line 3 of both\n')).toBe('');
      expect(kid('line 4\n', 'line 4 of kid\n')).toBe('');
      expect(ann.edit('shared', 'line 5\n', 'line 5 of ann\n')).toBe('');
      expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
      expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of both', 'line 4 of kid', 'line 5 of ann']);
      expect(kid('line 12 of ben\n', 'line 12 of kid\n')).toMatch(/lines 12, which claude-/);
    });

    test('of two subagents neither touches the lines of the other', () => {
      const { kid } = family();
      expect(kid('line 3\n', 'line 3 of kid\n')).toBe('');
      expect(kid('line 4\n', 'line 4 of sister\n', 'sister')).toMatch(
        /lines 3, which claude-\w+\/\w+ /,
      );
      expect(kid('line 5\n', 'line 5 of sister\n', 'sister')).toBe('');
    });
  });
});

test('a patch in a command is judged by its lines', () => {
  const { ann, ben } = sharedFile();
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  const patch = (from: string): string =>
    ben.before('Bash', {
      command: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: shared\n@@\n-${from}\n+of ben\n*** End Patch\nEOF`,
    });
  expect(patch('line 3 of ann')).toMatch(/"deny"[^]*lines 3, which claude-/);
  expect(patch('line 12')).not.toContain('"deny"');
});
