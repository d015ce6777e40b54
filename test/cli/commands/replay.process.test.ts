/** `coord replay` on made histories: what it counts, what it leaves alone, and what is no history. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  at,
  hermetic,
  keyOf,
  make,
  type Options,
  repository,
  run,
  said,
  type TestRepository,
  temporaryFolder,
} from '../../support/repository.ts';
import { fromTemplate } from '../../support/templates.ts';

const numbered = (count: number, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, i) => `${changed[i + 1] ?? `line ${i + 1}`}\n`).join('');

/** Each file as this side has it; null deletes, two names move. */
type Side = Readonly<Record<string, string | null>>;

function apply(repo: TestRepository, side: Side): void {
  for (const [path, content] of Object.entries(side))
    if (content === null) repo.git('rm', '-q', path);
    else repo.write(path, content);
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'change', '--allow-empty');
}

/** A merge of two sides from one base, resolved by taking ours where git cannot. */
function merge(repo: TestRepository, name: string, one: Side, two: Side): void {
  const at = repo.git('rev-parse', 'HEAD').trim();
  repo.git('switch', '-qc', name, at);
  apply(repo, two);
  repo.git('switch', '-q', 'main');
  apply(repo, one);
  const trees = repo.git('rev-parse', 'HEAD^{tree}').trim();
  const commit = repo.git('commit-tree', trees, '-p', 'HEAD', '-p', name, '-m', 'merge').trim();
  repo.git('reset', '-q', '--hard', commit);
}

/** One merge of each kind; what is expected of all of them stands in the first test. */
function history(options: Options = {}): TestRepository {
  const home = temporaryFolder();
  fromTemplate(`replay ${keyOf(options)}`, home, (place) => fill(make(place, options)));
  return at(join(home, 'repo'), hermetic(home));
}

function fill(repo: TestRepository): void {
  repo.write('f', numbered(30));
  repo.write('moved', numbered(20));
  repo.write('log', 'first\n');
  repo.write('.gitattributes', 'log merge=union\n');
  writeFileSync(join(repo.top, 'image'), Buffer.from([0, 1, 2]));
  apply(repo, {});
  const line = (at: number, text: string): string => numbered(30, { [at]: text });
  merge(repo, 'apart', { a: 'a\n' }, { b: 'b\n' });
  merge(repo, 'clean', { f: line(3, 'one') }, { f: line(20, 'two') });
  merge(repo, 'conflict', { f: line(3, 'three') }, { f: line(4, 'four') });
  merge(repo, 'union', { log: 'first\nmine\n' }, { log: 'first\ntheirs\n' });
  merge(repo, 'binary', { image: '\0one' }, { image: '\0two' });
  merge(
    repo,
    'renamed',
    { moved: null, 'there/moved': numbered(20) },
    { moved: numbered(20, { 5: 'five' }) },
  );
}

function octopus(repo: TestRepository): void {
  const tree = repo.git('rev-parse', 'HEAD^{tree}').trim();
  const sides = ['one', 'two', 'three'].flatMap((name) => [
    '-p',
    repo.git('commit-tree', tree, '-p', 'HEAD', '-m', name).trim(),
  ]);
  const commit = repo.git('commit-tree', tree, ...sides, '-m', 'octopus').trim();
  repo.git('reset', '-q', '--hard', commit);
}

/** Every file of a folder with its size. */
function inventory(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => `${String(name)} ${statSync(join(folder, String(name))).size}`)
    .sort();
}

const counted = {
  pairs: 6,
  sharing: 5,
  conflicts: 2,
  clean: 3,
  policies: [
    { policy: 'project lock', waits: 6, needless: 3, needlessShare: 1, missed: 0 },
    { policy: 'files', waits: 5, needless: 3, needlessShare: 1, missed: 0 },
    // What is renewed, deleted or no text needs the whole file.
    { policy: 'lines', waits: 3, needless: 1, needlessShare: 1 / 3, missed: 0 },
  ],
  octopus: 0,
  unreadable: 0,
  left: 0,
  isShallow: false,
  judge: 'git',
};

describe('coord replay', () => {
  test('counts who would have waited, and writes nothing into the repository', () => {
    const repo = history();
    const before = inventory(join(repo.top, '.git'));
    const { code, json, stderr } = repo.coord(null, 'replay');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json).toMatchObject({ schema: 'coord.replay/1', result: 'replayed', ...counted });
    expect(json['files']).toEqual([
      { path: 'f', pairs: 2, conflicts: 1 },
      { path: 'image', pairs: 1, conflicts: 1 },
    ]);
    expect(inventory(join(repo.top, '.git'))).toEqual(before);
  });

  test('leaves no folder of its own behind', () => {
    const repo = history();
    const own = temporaryFolder();
    run(repo.top, { ...repo.env, TMPDIR: own }, ['replay']);
    expect(readdirSync(own).filter((name) => name.startsWith('coord-replay-'))).toEqual([]);
  });

  test('prints a table of at most 80 columns', () => {
    const { stdout, code } = history().text(null, 'replay');
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^share a file +5 +83\.3 %$/m);
    expect(stdout).toMatch(/^lines +3 +50\.0 % +1 +33\.3 % +0$/m);
  });

  test('says the same of a sha256 repository, a bare one, and from elsewhere', () => {
    const repo = history({ init: ['--object-format=sha256'] });
    expect(repo.coord(null, 'replay').json).toMatchObject(counted);
    const bare = join(repo.top, '..', 'bare "quoted": name');
    repo.git('clone', '-q', '--bare', repo.top, bare);
    expect(said(temporaryFolder(), repo.env, ['--json', 'replay', bare]).json).toMatchObject({
      ...counted,
      repository: bare,
    });
  });

  test('looks at no more merges than asked, newest first, and at none before a date', () => {
    const repo = history();
    const { json } = repo.coord(null, 'replay', '--limit', '2');
    expect(json).toMatchObject({ pairs: 2, sharing: 2, conflicts: 1 });
    expect(repo.coord(null, 'replay', '--since', '1h').json).toMatchObject({ pairs: 6 });
    expect(repo.coord(null, 'replay', '--since', '2098-01-01').json).toMatchObject({ pairs: 0 });
  });

  test('leaves out octopus merges and says so', () => {
    const repo = history();
    octopus(repo);
    expect(repo.coord(null, 'replay').json).toMatchObject({ ...counted, octopus: 1 });
    expect(repo.text(null, 'replay').stderr).toContain('1 merge of more than two sides left out');
  });

  test('where both sides were one twice, it looks from what git makes of the two', () => {
    const repo = repository();
    apply(repo, { f: numbered(30) });
    repo.git('branch', 'side');
    apply(repo, { f: numbered(30, { 3: 'one' }) });
    repo.git('switch', '-q', 'side');
    apply(repo, { f: numbered(30, { 20: 'two' }) });
    const [one, two] = ['main', 'side'].map((name) => repo.git('rev-parse', name).trim());
    repo.git('merge', '-q', '-m', 'cross', one ?? '');
    repo.git('switch', '-q', 'main');
    repo.git('merge', '-q', '-m', 'cross', two ?? '');
    apply(repo, { f: numbered(30, { 3: 'one', 20: 'two', 10: 'three' }) });
    repo.git('merge', '-q', '-m', 'last', 'side');
    const { json } = repo.coord(null, 'replay', '--limit', '1');
    expect(json).toMatchObject({ pairs: 1, sharing: 0, conflicts: 0 });
  });
});

describe('what is no whole history', () => {
  test('no merges, and no commits, are said and are no error', () => {
    for (const repo of [repository(), repository({ unborn: true })]) {
      const { code, stdout, stderr } = repo.text(null, 'replay');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'no merges of two sides to replay\n' });
      expect(stderr).toContain('a history without merges');
    }
  });

  test('of a shallow clone it replays what is there and counts the rest', () => {
    const repo = history();
    const clone = join(repo.top, '..', 'shallow');
    repo.git('clone', '-q', '--depth', '4', `file://${repo.top}`, clone);
    const { code, json } = said(clone, repo.env, ['--json', 'replay']);
    expect(code).toBe(0);
    expect(json).toMatchObject({ isShallow: true });
    const { pairs, merges, unreadable } = json as Record<string, number>;
    expect({ merges, unreadable: (unreadable ?? 0) > 0 }).toEqual({
      merges: (pairs ?? 0) + (unreadable ?? 0),
      unreadable: true,
    });
    expect(said(clone, repo.env, ['replay']).stderr).toContain('git fetch --unshallow');
  });

  test('of a partial clone nothing is fetched', () => {
    const repo = history();
    repo.git('config', 'uploadpack.allowFilter', 'true');
    const clone = join(repo.top, '..', 'partial');
    repo.git('clone', '-q', '--bare', '--filter=blob:none', `file://${repo.top}`, clone);
    const before = inventory(clone);
    const { code, json } = said(clone, repo.env, ['--json', 'replay']);
    expect({ code, merges: json['merges'] }).toEqual({ code: 0, merges: 6 });
    expect(json['unreadable']).toBeGreaterThan(0);
    expect(inventory(clone)).toEqual(before);
  });

  test('without a git that merges in its head, what touches in lines counts, and it says so', () => {
    const repo = history();
    const folder = temporaryFolder();
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\nfor word; do [ "$word" != merge-tree ] || exit 129; done\nexec '${real}' "$@"\n`,
    );
    chmodSync(join(folder, 'git'), 0o755);
    const env = { ...repo.env, PATH: `${folder}${delimiter}${repo.env['PATH'] ?? ''}` };
    const { json } = run(repo.top, env, ['--json', 'replay']);
    expect(json).toMatchObject({ pairs: 6, conflicts: 3, judge: 'lines' });
    expect(run(repo.top, env, ['replay']).stderr).toContain('renames are not followed');
  });

  test.each([
    ['a folder without one', '.', 69, 'not in a git repository'],
    ['no folder', 'nowhere', 69, 'not a directory'],
    ['no limit', '--limit=0', 64, 'leaves no merges'],
    ['no time', '--since=yesterday', 64, 'not a duration'],
    ['no date', '--since=2026-99-99', 64, 'not a date'],
  ])('%s is told apart', (_, word, code, message) => {
    const folder = temporaryFolder();
    const ran = said(folder, hermetic(folder), ['--json', 'replay', word]);
    expect({ code: ran.code, message: ran.json['error']?.message }).toEqual({
      code,
      message: expect.stringContaining(message),
    });
  });
});
