/**
 * The recipes of docs/recipes.md, run as they stand there.
 * Needs: git-lfs, pre-commit, husky and lefthook.
 */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import {
  at,
  coordProgram,
  type Environment,
  type Ran,
  repository,
  type TestRepository,
} from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8');

/** Its blocks, by its title. */
const recipes = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => [
      section.slice(0, section.indexOf('\n')),
      [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block),
    ]),
);
const done = new Set<string>();

interface Scene {
  readonly repo: TestRepository;
  readonly env: Environment;
  /** Runs a block of a recipe, in this folder. */
  follow(title: string, block?: number, cwd?: string): Ran;
  run(script: string, cwd?: string): Ran;
}

/** A repository with coord on the PATH, nothing installed, and a server. */
function scene(program = coordProgram): Scene {
  const repo = repository({ env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` } });
  repo.coord(null, 'uninstall');
  const home = dirname(repo.top);
  const bin = join(home, 'bin');
  coordIn(bin, ['coord', 'git-coord'], program);
  symlinkSync(join(root, 'hooks/agent-hook'), join(bin, 'git-coord-hook'));
  repo.git('init', '-q', '--bare', '-b', 'main', '../server.git');
  repo.git('remote', 'add', 'origin', join(home, 'server.git'));
  repo.write('src/auth.ts', 'one\n');
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'begin');
  const env: Environment = {
    ...repo.env,
    PATH: `${bin}:${repo.env['PATH'] ?? ''}`,
    npm_config_offline: 'true',
  };
  const run = (script: string, cwd = repo.top): Ran => ranIn(cwd, env, 'sh', ['-ec', script]);
  return {
    repo,
    env,
    run,
    follow: (title, block = 0, cwd = repo.top) => {
      done.add(title);
      const ran = run(recipes.get(title)?.[block] ?? 'exit 99', cwd);
      expect(ran.code, `${ran.stdout}${ran.stderr}`).toBe(0);
      return ran;
    },
  };
}

/** A commit on what somebody else holds. */
function isRefused({ repo, run }: Scene, cwd = repo.top): boolean {
  run('coord --agent zoe reserve held', cwd);
  const { code, stderr } = run(
    'echo x > held && git add held && COORD_AGENT=yan git commit -q -m held',
    cwd,
  );
  run('git rm -q -f --cached held; coord --agent zoe release held', cwd);
  return code !== 0 && /held by zoe/.test(stderr);
}

const packages = join(process.env['COORD_TEST_NEIGHBOURS'] ?? '', 'node_modules');

/** What `npm install` of husky and lefthook leaves. */
function npmInstalled({ top }: TestRepository): void {
  const bin = join(top, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['husky', 'lefthook'])
    symlinkSync(join(packages, name), join(top, 'node_modules', name));
  symlinkSync('../husky/bin.js', join(bin, 'husky'));
  symlinkSync('../lefthook/bin/lefthook', join(bin, 'lefthook'));
}

describe('the recipe', () => {
  test('A team begins, A teammate joins', () => {
    const here = scene();
    here.repo.write('of-a-colleague.ts', '');
    const { stdout } = here.follow('A team begins');
    const [, next = ''] = /^next: (.*)$/m.exec(stdout) ?? [];
    expect(recipes.get('A team begins')?.[0]).toContain(`\n${next}\n`);
    expect(here.repo.git('status', '--porcelain')).toBe('?? of-a-colleague.ts\n');
    const teammate = join(here.repo.top, '../teammate');
    here.run(`git clone -q ../server.git '${teammate}'`);
    expect(here.follow('A teammate joins', 0, teammate).stdout).toContain("on remote 'origin'");
    expect(at(teammate, here.env).git('status', '--porcelain')).toBe('');
    expect(here.run('coord config ttl', teammate).stdout).toBe('20m\n');
    expect(isRefused(here, teammate)).toBe(true);
  });

  test.each(['husky', 'lefthook', 'pre-commit', 'git-lfs'])('%s', (title) => {
    const here = scene();
    here.run('coord install');
    here.repo.write('package.json', '{"name": "x"}\n');
    here.repo.write('lefthook.yml', 'pre-commit:\n  jobs:\n    - run: "true"\n');
    here.repo.write('.pre-commit-config.yaml', 'repos: []\n');
    npmInstalled(here.repo);
    here.repo.write('.git/info/exclude', 'node_modules\n');
    here.follow(title);
    expect(here.run('coord doctor').stdout).not.toMatch(/^fail/m);
    expect(isRefused(here)).toBe(true);
  });

  test('A work tree for each agent', () => {
    const here = scene();
    here.run('coord install');
    here.follow('A work tree for each agent');
    expect(
      here.repo.git('log', '-1', '--format=%s%n%(trailers:key=Coord-Agent,valueonly)', 'ann'),
    ).toMatch(/^change/);
    expect(here.repo.coord(null, 'log').stdout).toContain('src/auth.ts');
  });

  test('Claude Code and Codex in one checkout', () => {
    const here = scene();
    const { stdout } = here.follow('Claude Code and Codex in one checkout');
    expect(stdout).toMatch(/^ok +claude/m);
    expect(stdout).toMatch(/codex +not in force: .*trust/);
  });

  test('Node has moved', () => {
    const here = scene();
    const old = join(here.repo.top, '../old-node');
    cpSync(process.execPath, old);
    expect(ranIn(here.repo.top, here.env, old, [coordProgram, 'install']).code).toBe(0);
    rmSync(old);
    expect(isRefused(here)).toBe(true);
    here.follow('Node has moved');
    expect(isRefused(here)).toBe(true);
    expect(readFileSync(join(here.repo.top, '.git/coord/hook'), 'utf8')).not.toContain('old-node');
  });

  test('A container that mounts the repository in another place', () => {
    const host = scene();
    const installed = join(host.repo.top, '../host-coord');
    for (const name of ['dist', 'hooks', 'package.json'])
      cpSync(join(root, name), join(installed, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
    expect(
      ranIn(host.repo.top, host.env, process.execPath, [
        join(installed, 'dist/coord.cjs'),
        'install',
        '--harness',
        'claude',
      ]).code,
    ).toBe(0);
    host.run('coord --agent ann reserve src/auth.ts');
    const workspace = join(host.repo.top, '../workspace');
    renameSync(host.repo.top, workspace);
    rmSync(installed, { recursive: true });
    host.follow('A container that mounts the repository in another place', 0, workspace);
    expect(host.run('coord --agent bob check src/auth.ts || true', workspace).stdout).toMatch(
      /^held/,
    );
    expect(isRefused(host, workspace)).toBe(true);
  });

  /** A bead is worked on, where what is committed is to be tested. */
  function worked(): Scene {
    const here = scene();
    here.repo.write('package.json', '{"name": "x", "scripts": {"test": "true"}}\n');
    here.repo.write('.coord.json', '{"gate": {"require": ["npm test"]}}\n');
    here.run(
      'coord install && git add -A && git commit -q -m gate && git push -q origin HEAD:main',
    );
    return here;
  }
  const work =
    'coord --agent ann claim bd-1 --again && echo 2 >> src/auth.ts && git add -A && COORD_AGENT=ann git commit -q -m "work (bd-1)"';

  test.each(['in the clone', 'on the remote'])('The gate in CI, with the log %s', (where) => {
    const here = worked();
    if (where === 'on the remote') here.run('coord --agent ann remote set origin');
    here.run(work);
    here.follow('The gate in CI');
    if (where === 'in the clone') here.follow('The gate in CI', 1);
    const clone = join(here.repo.top, '../ci');
    here.run(`git clone -q ../server.git '${clone}'`);
    here.follow('The gate in CI', 2, clone);
  });

  test('Evidence of two clones', () => {
    const here = worked();
    here.run(`coord --agent ann remote set origin && ${work} && git push -q origin HEAD`);
    const other = join(here.repo.top, '../other');
    here.run(`git clone -q ../server.git '${other}' && cd '${other}' && coord remote set origin`);
    const verified = here.run(
      'coord --agent bob verify -- npm test && git push -q origin refs/notes/coord',
      other,
    );
    expect(verified).toMatchObject({ code: 0 });
    here.run('coord --agent ann verify -- npm test');
    expect(here.run('git push -q origin refs/notes/coord').code).not.toBe(0);
    here.follow('Evidence of two clones');
    const known = here.run('git notes --ref=coord show HEAD').stdout;
    expect(known.match(/^Evidence: .*$/gm)).toHaveLength(2);
    expect(known).toMatch(/by ann[^]*by bob/);
    expect(here.run('coord gate HEAD').code).toBe(0);
  });

  test('Undo everything', () => {
    const here = scene();
    here.run(
      'coord init --yes --harness claude && coord --agent ann reserve a && coord --agent ann release a',
    );
    here.follow('Undo everything');
    expect(here.repo.git('for-each-ref', 'refs/coord', 'refs/notes')).toBe('');
    expect(here.run('ls .git/coord 2>&1 || true').stdout).toContain('No such file');
    expect(here.repo.git('config', '--local', '--list')).not.toMatch(/^(coord|alias\.coord|hook)/m);
    expect(here.repo.git('status', '--porcelain')).toBe('?? .coord.json\n');
  });

  test('is run by one of these, whichever it is', () => {
    expect([...recipes.keys()].filter((title) => !done.has(title))).toEqual([]);
    expect([...page.matchAll(/\]\(#([\w-]+)\)/g)]).toHaveLength(recipes.size);
  });
});
