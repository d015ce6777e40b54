/**
 * One way back for all that was in no commit: what was kept, and what was staged when a session
 * ended.
 */
import {
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { went } from '../support/scene.ts';
import { checkout, session } from '../support/sessions.ts';

interface Listed {
  readonly id: string;
  readonly agent: string;
}

describe('coord rescue [U21]', () => {
  test('lists what was staged when a session ended, compares it and brings it back', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    const ended = ann.run(
      'sh',
      '-c',
      `'${process.execPath}' '${join(import.meta.dirname, '../../dist/coord.cjs')}' session end`,
    );
    const [, said = ''] = /coord rescue show (\S+)/.exec(ended.stderr) ?? [];
    const [listed] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly Listed[];
    expect(listed).toMatchObject({ id: said, agent: 'ann' });
    repo.git('checkout', '-q', '--', 'src/a');
    expect(repo.coord(null, 'rescue', 'diff', said).json['patch']).toContain('+ann was here');
    expect(repo.coord(null, 'rescue', 'restore', said, '--in-place').code).toBe(0);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toContain('ann was here');
    expect(repo.coord(null, 'rescue', 'diff', said).json['result']).toBe('same');
  });

  test('what is in the way of a restoration in place can come back itself', () => {
    const repo = checkout();
    repo.write('src/a', 'older\n');
    repo.coord(null, 'rescue', 'save');
    const [older] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly Listed[];
    repo.write('src/a', 'newer\n');
    expect(repo.coord(null, 'rescue', 'diff', older?.id ?? '').json['patch']).toMatch(
      /-newer\n\+older/,
    );
    expect(repo.coord(null, 'rescue', 'restore', older?.id ?? '', '--in-place').code).toBe(0);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('older\n');
    const [newer] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly Listed[];
    expect(repo.coord(null, 'rescue', 'restore', newer?.id ?? '', '--in-place').code).toBe(0);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('newer\n');
  });
});

describe('what is in the way [U21]', () => {
  test("others' uncommitted changes, files elsewhere, links and files in the place of folders stop it before it begins", () => {
    const repo = checkout();
    repo.write('src/a', 'older\n');
    repo.write('dir/f', 'inside\n');
    repo.coord(null, 'rescue', 'save');
    const [{ id }] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly [Listed];
    const restore = (...to: readonly string[]): number | null =>
      repo.coord(null, 'rescue', 'restore', id, ...to).code;
    const other = join(repo.top, '../other');
    expect(restore('--to', other)).toBe(0);
    expect(restore('--to', other)).toBe(69);
    repo.coord('ann', 'reserve', 'src/a');
    repo.write('src/a', 'of ann\n');
    expect(restore('--in-place')).toBe(1);
    expect(restore('--to', '.')).toBe(1);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('of ann\n');
    repo.coord('ann', 'release', '--all');
    rmSync(join(repo.top, 'dir'), { recursive: true });
    symlinkSync(other, join(repo.top, 'dir'));
    expect(restore('--in-place')).toBe(69);
    expect(readFileSync(join(repo.top, 'src/a'), 'utf8')).toBe('of ann\n');
  });
});

describe('nothing is replaced that could not come back [U21]', () => {
  function kept(): { readonly repo: ReturnType<typeof checkout>; readonly id: string } {
    const repo = checkout();
    repo.write('src/a', 'older\n');
    repo.write('local.env', 'older\n');
    repo.coord(null, 'rescue', 'save');
    const [{ id }] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly [Listed];
    return { repo, id };
  }
  const read = (repo: ReturnType<typeof checkout>, path: string): string =>
    readFileSync(join(repo.top, path), 'utf8');

  test.each([
    ['a file that git ignores by now', 'local.env'],
    ['a file that git was told not to look at', 'src/a'],
  ])('%s is kept first', (_, path) => {
    const { repo, id } = kept();
    repo.git('checkout', '-q', '--', 'src/a');
    writeFileSync(join(repo.top, '.git/info/exclude'), 'local.env\n');
    repo.git('update-index', '--skip-worktree', 'src/a');
    repo.write(path, 'newer\n');
    expect(repo.coord(null, 'rescue', 'restore', id, '--in-place').code).toBe(0);
    expect(read(repo, path)).toBe('older\n');
    const [{ id: newer }] = repo.coord(null, 'rescue', 'list').json['saved'] as readonly [Listed];
    expect(repo.coord(null, 'rescue', 'restore', newer, '--in-place').code).toBe(0);
    expect(read(repo, path)).toBe('newer\n');
  });

  test('a file that is too large to be kept stays', () => {
    const { repo, id } = kept();
    truncateSync(join(repo.top, 'local.env'), 21_000_000);
    const { code, json } = repo.coord(null, 'rescue', 'restore', id, '--in-place');
    expect(code).toBe(69);
    expect(json['error']).toMatchObject({ message: "'local.env' is there already" });
    expect(statSync(join(repo.top, 'local.env')).size).toBe(21_000_000);
  });

  test.each([
    ['the folder of git', '.git'],
    ['a folder below it', '.git/hooks/new'],
    ['a link to it', 'shortcut'],
  ])('%s is no place to restore to', (_, to) => {
    const { repo, id } = kept();
    symlinkSync('.git', join(repo.top, 'shortcut'));
    const { code, json } = repo.coord(null, 'rescue', 'restore', id, '--to', to);
    expect(code).toBe(69);
    expect(json['error']).toMatchObject({
      message: expect.stringContaining('is where git keeps its own files'),
    });
    expect(existsSync(join(repo.top, '.git/src'))).toBe(false);
  });

  test('a link into the work tree leads to what is kept there', () => {
    const { repo, id } = kept();
    symlinkSync(repo.top, join(repo.top, '../here'));
    repo.coord('ann', 'reserve', 'src/a');
    repo.write('src/a', 'of ann\n');
    expect(repo.coord(null, 'rescue', 'restore', id, '--to', '../here').code).toBe(1);
    expect(read(repo, 'src/a')).toBe('of ann\n');
  });
});

describe('coord uninstall --purge [U21]', () => {
  test('leaves nothing, and nothing goes that somebody may want unless it is forced', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    went(ann.coord('reserve', 'src/a'));
    expect(repo.coord(null, 'uninstall', '--purge').json['error']).toMatchObject({
      message: '1 lease would be lost',
    });
    expect(existsSync(join(repo.top, '.git/hooks/pre-commit'))).toBe(true);
    went(ann.coord('session', 'end'));
    expect(repo.coord(null, 'uninstall', '--purge').code).toBe(0);
    expect(repo.git('for-each-ref', 'refs/coord')).toBe('');
    expect(existsSync(join(repo.top, '.git/coord'))).toBe(false);
  });
});
