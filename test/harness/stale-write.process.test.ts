/** A whole file that is written from an old read: refused once, with what it would take back. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { type ProgramName, type Reader, reader } from './readers.ts';

const contentOf = (repo: TestRepository, path: string): string =>
  readFileSync(join(repo.top, path), 'utf8');

/** Of somebody without an agent: a line at the end, committed. */
function committed(repo: TestRepository, path: string, line = 'theirs'): void {
  appendFileSync(join(repo.top, path), `${line}\n`);
  repo.git('add', path);
  repo.git('commit', '-q', '-m', 'theirs');
}

const reading: readonly ProgramName[] = ['claude', 'gemini', 'qwen', 'kilo', 'opencode', 'copilot'];

describe.each(reading)('%s', (program) => {
  test('is refused what would take back a commit, is shown it, and may write then', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann', { program });
    ann.read('src/a');
    const old = contentOf(repo, 'src/a');
    committed(repo, 'src/a');
    const why = ann.write('src/a', `${old}mine\n`);
    expect(why).toMatch(
      /^coord: src\/a has changed since you read or wrote it, by \S+ in [0-9a-f]{10} \d+s ago\. Your text takes that back:\n@@ line 10\n-theirs\nNext: /,
    );
    expect(Buffer.byteLength(why ?? '')).toBeLessThan(1_000);
    expect(ann.write('src/a', `${old}mine\n`)).toBeNull();
  });

  test('writes what it has read and nobody has changed, and what keeps what others did', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann', { program });
    for (const path of ['src/a', 'src/b']) ann.read(path);
    expect(ann.write('src/a', 'all of it is new\n')).toBeNull();
    const old = contentOf(repo, 'src/b');
    committed(repo, 'src/b');
    expect(ann.write('src/b', `mine\n${old}theirs\nmine\n`)).toBeNull();
    expect(ann.write('src/new', 'new\n')).toBeNull();
  });

  test('has not read what a subagent of its session has read', () => {
    const repo = checkout();
    const child = reader(repo, 'ann', { program, subagent: 'child' });
    child.ask('subagent-start', {});
    child.read('src/a');
    expect(readdirSync(child.folder)).toHaveLength(1);
    expect(reader(repo, 'ann', { program }).write('src/a', 'x\n')).toMatch(
      /you have not read src\/a/,
    );
    expect(child.write('src/a', 'x\n')).toBeNull();
  });
});

test('codex, which has no tool that reads: a file that it adds over another is refused once', () => {
  const repo = checkout();
  const ann = reader(repo, 'ann', { program: 'codex' });
  const why = ann.write('src/a', 'a 0\nmine\n');
  expect(why).toMatch(
    /^coord: you have not read src\/a with a tool, .* changed by .* in [0-9a-f]{10}/,
  );
  expect(why).toContain('@@ line 2\n-a 1\n');
  expect(ann.write('src/a', 'a 0\nmine\n')).toBeNull();
  expect(ann.edit('src/a', 'mine\n', 'still mine\n')).toBeNull();
  expect(ann.write('src/a', 'again\n')).toBeNull();
});

describe('what is its own is no one else’s', () => {
  const writer = (): { readonly repo: TestRepository; readonly ann: Reader } => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.read('src/a');
    return { repo, ann };
  };

  test('what it has written, committed or not', () => {
    const { repo, ann } = writer();
    expect(ann.write('src/a', 'one\n')).toBeNull();
    expect(ann.write('src/a', 'two\n')).toBeNull();
    repo.git('config', 'coord.enforce', 'off');
    expect(ann.write('src/a', 'three\n')).toBeNull();
  });

  test('its edits, let through by coord or by the shim alone', () => {
    const { repo, ann } = writer();
    for (const i of [1, 2, 3]) expect(ann.edit('src/a', `a ${i}\n`, `mine ${i}\n`)).toBeNull();
    expect(contentOf(repo, 'src/a')).toContain('mine 3');
    expect(ann.write('src/a', 'nothing of it\n')).toBeNull();
  });

  test('an edit that was never made', () => {
    const { ann } = writer();
    expect(ann.mayEdit('src/a', 'a 1\n', 'mine\n')).toBeNull();
    expect(ann.write('src/a', 'nothing of it\n')).toBeNull();
  });

  test('what a formatter made of it at once', () => {
    const { repo, ann } = writer();
    expect(ann.write('src/a', 'f( "x",1 )\n')).toBeNull();
    writeFileSync(join(repo.top, 'src/a'), "f('x', 1);\n");
    expect(ann.write('src/a', 'g()\n')).toBeNull();
  });

  test('what it writes once more, and what it has put in place by a command that says it', () => {
    const { repo, ann } = writer();
    const tool = { tool_name: 'Bash', tool_input: { command: "cat > src/a <<'E'\nwhole\nE" } };
    expect(ann.ask('before-shell', tool)).not.toContain('deny');
    writeFileSync(join(repo.top, 'src/a'), 'whole\n');
    expect(ann.write('src/a', 'other\n')).toBeNull();
  });
});

describe('what is somebody else’s, though nobody else holds it', () => {
  test('a subagent’s edit, also where its parent’s own edit is in the file too', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    const child = reader(repo, 'ann', { subagent: 'child' });
    ann.read('src/a');
    child.read('src/a');
    const old = contentOf(repo, 'src/a');
    expect(ann.edit('src/a', 'a 0\n', 'of ann\n')).toBeNull();
    expect(child.edit('src/a', 'a 8\n', 'of child\n')).toBeNull();
    const why = ann.write('src/a', old.replace('a 0\n', 'of ann\n'));
    expect(why).toMatch(/not known by whom.*\n@@ line 9\n-of child\n\+a 8\n/);
    expect(why).not.toContain('of ann');
  });

  test('a whole text of a subagent is said to be of it', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    const child = reader(repo, 'ann', { subagent: 'child' });
    for (const one of [ann, child]) one.read('src/a');
    const old = contentOf(repo, 'src/a');
    expect(child.write('src/a', `${old}of child\n`)).toBeNull();
    expect(ann.write('src/a', `${old}of ann\n`)).toMatch(
      /by claude-\w+\/\w+, \d+s ago\. .*\n@@ line 10\n-of child\n/,
    );
  });

  test('a write that was let through and is not there yet is waited for', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    const child = reader(repo, 'ann', { subagent: 'child' });
    for (const one of [ann, child]) one.read('src/a');
    expect(ann.mayWrite('src/a', 'of ann\n')).toBeNull();
    expect(child.write('src/a', 'of child\n')).toMatch(
      /is being written by claude-\w+ \(\w+\) right now/,
    );
    writeFileSync(join(repo.top, 'src/a'), 'of ann\n');
    expect(child.write('src/a', 'of child\n')).toMatch(/\n-of ann\n/);
  });

  test.for<readonly [string, (repo: TestRepository) => void]>([
    ['a line', (repo) => appendFileSync(join(repo.top, 'src/a'), 'of a person\n')],
    ['an edit that was undone', (repo) => repo.git('checkout', '-q', '--', 'src/a')],
    ['bytes that are no text', (repo) => appendFileSync(join(repo.top, 'src/a'), '\0\0')],
  ])('of a person, not committed: %s', ([, change]) => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.read('src/a');
    expect(ann.edit('src/a', 'a 0\n', 'of ann\n')).toBeNull();
    change(repo);
    const text = `of ann\n${contentOf(repo, 'src/a').slice(4)}`
      .replace('of a person\n', '')
      .replaceAll('\0', '');
    expect(ann.write('src/a', text)).toMatch(/^coord: src\/a has changed .* not known by whom/);
    expect(ann.write('src/a', text)).toBeNull();
  });

  test('tabs are shown as they are, all else that is not to be seen by its number', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.read('src/a');
    committed(repo, 'src/a', '\tif x:\u001b[2J');
    expect(ann.write('src/a', 'mine\n')).toContain('\n-\tif x:\\u{1b}[2J\n');
  });

  test('what was read in part was not read', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.read('src/a', { offset: 2, limit: 3 });
    expect(ann.write('src/a', 'x\n')).toMatch(/you have not read src\/a/);
  });

  test('a command that says the whole text is refused as a tool is', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.read('src/a');
    committed(repo, 'src/a');
    const tool = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
    const over = tool("cd src && cat > a <<'E'\na 0\nE");
    expect(ann.ask('before-shell', over)).toMatch(/"deny".*-theirs/s);
    expect(ann.ask('before-shell', tool("cat >> src/b <<'E'\na 0\nE"))).not.toContain('"deny"');
    expect(ann.ask('before-shell', over)).not.toContain('"deny"');
  });
});

describe('after a command that nobody could stop', () => {
  test('what it took out of a commit is told to both; the commit keeps it', () => {
    const repo = checkout();
    const [ann, bob] = [reader(repo, 'ann'), reader(repo, 'bob')];
    ann.read('src/a');
    const old = contentOf(repo, 'src/a');
    const welcome = bob.ask('session-start', { source: 'startup' });
    const name = /you are (claude-\w+ \(\w+\))/.exec(welcome)?.[1] ?? '';
    appendFileSync(join(repo.top, 'src/a'), 'of bob\n');
    repo.git('commit', '-q', '-a', '-m', 'of bob', '--trailer', `Coord-Agent: ${name}`);
    const command = {
      tool_name: 'Bash',
      tool_input: { command: 'python3 gen.py' },
      tool_use_id: 'c',
    };
    ann.ask('before-shell', command);
    writeFileSync(join(repo.top, 'src/a'), `${old}of ann\n`);
    const said = JSON.parse(ann.ask('after-shell', command)).hookSpecificOutput.additionalContext;
    expect(said).toContain(`src/a was written from what stood there before ${name} in `);
    expect(said).toContain('-of bob');
    expect(said).toContain('Next: git diff HEAD -- src/a');
    expect(bob.ask('prompt', {})).toMatch(/wrote src\/a from what stood there before your commit/);
  });
});

describe('the notes', () => {
  test('are made and used without node; of a whole file the shim says nothing by itself', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    expect(ann.edit('src/a', 'a 0', 'b 0')).toBeNull();
    const env = { ...repo.env, COORD_NODE: '/nowhere/node', PATH: '/usr/bin:/bin' };
    const alone = reader({ ...repo, env }, 'ann');
    alone.read('src/a');
    expect(alone.mayEdit('src/a', 'a 1', 'b 1')).toBeNull();
    const [note = ''] = readdirSync(ann.folder);
    expect(readFileSync(join(ann.folder, note), 'utf8')).toMatch(
      /^\d+ \d+\n\{.*"new_string":"b 1".*\}\n$/,
    );
  });

  test('end with their session, and are of this repository alone', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    ann.ask('session-start', { source: 'startup' });
    for (const path of ['src/a', '.git/config', '../elsewhere']) ann.read(path);
    expect(readdirSync(ann.folder)).toHaveLength(1);
    ann.ask('session-end', { reason: 'other' });
    expect(existsSync(ann.folder)).toBe(false);
  });

  test('a name that no note can have is known by what coord itself has noted', () => {
    const repo = checkout();
    const ann = reader(repo, 'ann');
    for (const path of ['a:b', 'a"b', 'a\\b']) {
      repo.write(`src/${path}`, 'x\n');
      ann.read(`src/${path}`);
      expect(ann.write(`src/${path}`, 'y\n'), path).toMatch(/you have not read/);
      expect(ann.write(`src/${path}`, 'y\n'), path).toBeNull();
    }
  });
});
