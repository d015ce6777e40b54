/**
 * What is packed is what is needed: installed from its tarball it works as `coord` and as `git
 * coord`.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { hermetic, repository, temporaryFolder } from '../support/repository.ts';

const root = resolve(import.meta.dirname, '../..');

test('npm pack holds the program, the library and its types, and nothing of the tests', () => {
  const folder = temporaryFolder();
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as { files: { path: string }[]; filename: string }[];
  const names = packed?.files.map(({ path }) => path) ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      'dist/coord.cjs',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli/main.js',
      'dist/study/remote-model.js',
      'README.md',
      'LICENSE',
      'package.json',
    ]),
  );
  expect(
    names.filter((name) =>
      /^(test|src|fixtures|dist\/bench)\/|^dist\/study\/(?!remote-|replay)/.test(name),
    ),
  ).toEqual([]);
});

test('installed from the tarball, coord and git coord run, and the library is imported by its name', () => {
  const folder = temporaryFolder();
  const env = hermetic(folder);
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    stdio: 'ignore',
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync(
    'npm',
    [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--global',
      '--prefix',
      join(folder, 'global'),
      join(folder, tarball),
    ],
    { stdio: 'ignore' },
  );
  const repo = repository();
  const path = `${join(folder, 'global/bin')}:${env['PATH'] ?? ''}`;
  const say = (program: string, ...args: string[]): string =>
    execFileSync(program, args, {
      cwd: repo.top,
      env: { ...repo.env, PATH: path },
      encoding: 'utf8',
    });
  expect(say('coord', 'reserve', 'a', '--agent', 'ann')).toContain('granted a');
  expect(say('git', 'coord', 'status')).toContain('ann');
  expect(say('coord', '--version').trim()).toMatch(/^coord \d+\.\d+\.\d+ \(node .*, git .*\)$/);
  expect(say('coord', 'doctor')).toContain('ok    log');
  expect(say('coord', 'simulate', '--remote', '--hours', '0.1', '--svg', 'sweep.svg')).toContain(
    'round trip 300ms',
  );
  const script =
    "const {createCoord,overlaps,matches,CoordError}=await import(process.argv[1]);const c=createCoord({agent:'bob'});console.log((await c.reserve('a')).result,overlaps('a/*','*/b'),matches('**/*.ts','x.ts'),typeof CoordError)";
  expect(
    say(
      process.execPath,
      '--input-type=module',
      '-e',
      script,
      join(folder, 'global/lib/node_modules/git-coord/dist/index.js'),
    ).trim(),
  ).toBe('refused true true function');
});

test('the demo shows a race with one winner, a refusal, waiting, a take-over and plain git, and exits 0', () => {
  const folder = temporaryFolder();
  const shown = execFileSync(process.execPath, [join(root, 'dist/coord.cjs'), 'demo'], {
    cwd: folder,
    env: hermetic(folder),
    encoding: 'utf8',
  });
  for (const part of [
    'Exactly one holds it',
    'refused: src/cart.ts is held by ann',
    'waiting for',
    'granted src/stock.ts after',
    'tests ran',
    'git for-each-ref',
    'done:',
  ])
    expect(shown).toContain(part);
});
