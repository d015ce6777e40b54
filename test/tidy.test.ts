/**
 * The rules of the house, read from the files: who may import whom, how long things get, what is
 * banned where.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, text, importsOf, misplaced, longFunctions } from './tidy-files.ts';

function files(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => name.endsWith('.ts'));
}

const source = files('src');

const tests = files('test');

/** From the bottom up: a folder imports of ours what stands before it, and nothing that stands behind. */
const layers: readonly string[] = [
  'core',
  'render',
  'git',
  'log',
  'remote',
  'loop',
  'shim',
  'agent',
  'draft',
  'guard',
  'work',
  'landing',
  'doctor',
  'show',
  'harness',
  'mcp',
  'study',
  'cli',
  'index.ts',
];

/** Folders of tests that are about all of it. */
const ownFolders: readonly string[] = [
  '',
  'race',
  'crash',
  'journeys',
  'walk',
  'support',
  'git-suite',
];

const layerOf = (name: string): number => layers.indexOf(name.split('/')[1] ?? '');

function forbiddenImports(name: string, content = text(name)): readonly string[] {
  return importsOf(name, content).filter(
    (target) => layerOf(target) > layerOf(name) || layerOf(name) < 0,
  );
}

interface Ban {
  readonly what: RegExp;
  readonly instead: string;
  readonly allowed: readonly string[];
}

/**
 * They read standard input, /proc, what is below the repository's git folder or coord's own
 * package: nothing that a work tree holds.
 */
const readsItsOwn: readonly string[] = [
  'src/agent/agent-programs.ts',
  'src/agent/clock.ts',
  'src/agent/identity.ts',
  'src/cli/commands/hook.ts',
  'src/cli/commands/statusline.ts',
  'src/cli/harness-hook.ts',
  'src/cli/start.ts',
  'src/cli/version.ts',
  'src/git/git-command.ts',
  'src/git/head.ts',
  'src/git/config.ts',
  'src/remote/copy-repository.ts',
  'src/log/history.ts',
  'src/log/live-git.ts',
  'src/git/local.ts',
  'src/log/maintain.ts',
  'src/git/objects.ts',
  'src/git/paths.ts',
  'src/git/process-mark.ts',
  'src/log/ref-lock.ts',
  'src/git/refs.ts',
  'src/git/repository.ts',
  'src/remote/pending.ts',
  'src/guard/queued-commit.ts',
  'src/draft/saved-work.ts',
  'src/guard/stash-owner.ts',
  'src/harness/until.ts',
];

const bans: readonly Ban[] = [
  {
    what: /\breadFileSync\b|\bcreateReadStream\b|\breadFile\(/,
    instead: 'regular-file.ts',
    allowed: readsItsOwn,
  },
  {
    what: /\bDate\.now\b|new Date\(\)/,
    instead: 'World.clock',
    allowed: [
      'src/agent/clock.ts',
      'src/git/trace.ts',
      'src/git/objects.ts',
      'src/git/local.ts',
      'src/log/maintain.ts',
      'src/log/repair.ts',
    ],
  },
  { what: /Math\.random/, instead: 'World.random', allowed: [] },
  {
    what: /setTimeout|setInterval/,
    instead: 'Clock.sleep',
    allowed: [
      'src/agent/clock.ts',
      'src/log/queue.ts',
      'src/git/run-git.ts',
      'src/work/run-locked.ts',
      'src/show/demo.ts',
    ],
  },
  {
    what: /process\.env/,
    instead: 'Surroundings.env',
    allowed: ['src/cli/start.ts', 'src/index.ts'],
  },
  { what: /process\.exit\(/, instead: 'process.exitCode', allowed: [] },
  {
    what: /process\.cwd/,
    instead: 'Surroundings.cwd',
    allowed: ['src/cli/run-verb.ts', 'src/index.ts'],
  },
  { what: /console\./, instead: 'Output', allowed: [] },
  {
    what: /node:child_process|builtin\.childProcess/,
    instead: 'run-git.ts',
    allowed: [
      'src/cli/commands/statusline.ts',
      'src/harness/proof.ts',
      'src/git/builtin.ts',
      'src/git/git-command.ts',
      'src/git/run-git.ts',
      'src/git/signature.ts',
      'src/work/run-locked.ts',
      'src/work/bd.ts',
      'src/show/demo.ts',
    ],
  },
  { what: /SIGKILL/, instead: 'SIGTERM: a killed git leaves its locks', allowed: [] },
  { what: /:\s*any\b|as any\b|<any>/, instead: 'a type', allowed: [] },
  { what: /\bas unknown as\b|[\w\])]!\.|@ts-/, instead: 'a check', allowed: [] },
  { what: /\b(TODO|FIXME|XXX|HACK)\b/, instead: 'doing it', allowed: [] },
  { what: /^(export )?enum |^namespace /m, instead: 'a union', allowed: [] },
];

function banned(name: string, content = text(name)): readonly string[] {
  return bans
    .filter(({ what, allowed }) => !allowed.includes(name) && what.test(content))
    .map(({ what, instead }) => `${name}: ${what.source}, use ${instead}`);
}

describe('the house', () => {
  test('every folder imports only what it may', () => {
    expect(
      source.flatMap((name) => forbiddenImports(name).map((target) => `${name} imports ${target}`)),
    ).toEqual([]);
  });

  test('the core imports nothing of node and no package', () => {
    expect(
      source
        .filter((name) => name.startsWith('src/core/'))
        .filter((name) => /from '(?!\.)/.test(text(name))),
    ).toEqual([]);
  });

  test('there is no cycle of imports', () => {
    const cycles: string[] = [];
    const visit = (name: string, trail: readonly string[]): void => {
      if (trail.includes(name))
        cycles.push([...trail.slice(trail.indexOf(name)), name].join(' -> '));
      else if (!done.has(name))
        for (const target of importsOf(name)) visit(target, [...trail, name]);
      done.add(name);
    };
    const done = new Set<string>();
    for (const name of source) visit(name, []);
    expect(cycles).toEqual([]);
  });

  test('nothing banned is used outside the file it is for', () => {
    expect(source.flatMap((name) => banned(name))).toEqual([]);
  });

  test('no file of the program has over 300 lines and no function in it over 70', () => {
    expect(source.filter((name) => text(name).split('\n').length > 301)).toEqual([]);
    expect(source.flatMap((name) => longFunctions(name, 70))).toEqual([]);
  });

  test('no file of the tests has over 300 lines and no function in it over 60', () => {
    expect(tests.filter((name) => text(name).split('\n').length > 301)).toEqual([]);
    expect(tests.flatMap((name) => longFunctions(name, 60))).toEqual([]);
  });

  test('every file begins by saying what it owns, and none is called utils, helpers, common or types', () => {
    expect(source.filter((name) => !/^(#!.*\n)?(\/\*\*|import)/.test(text(name)))).toEqual([]);
    expect(
      [...source, ...tests].filter((name) =>
        /(^|\/)(utils?|helpers?|common|types?)(\/|\.ts$)/.test(name),
      ),
    ).toEqual([]);
  });

  test('every file of the program is imported by another', () => {
    const imported = new Set([...source, ...tests].flatMap((name) => importsOf(name)));
    const entries = ['src/index.ts', 'src/cli/start.ts'];
    expect(source.filter((name) => !imported.has(name) && !entries.includes(name))).toEqual([]);
  });

  test('no test is skipped, focused or left for later', () => {
    expect(
      tests.filter(
        (name) =>
          name !== 'test/tidy.test.ts' &&
          /\.(skip|only|todo|fails)\(|\bx(it|describe)\(/.test(text(name)),
      ),
    ).toEqual([]);
  });

  test('every test stands in a folder of the program, or in one that is not about a part of it', () => {
    const folders = new Set(
      tests.filter((name) => name.endsWith('.test.ts')).map((name) => dirname(name).slice(5)),
    );
    const known = new Set([...source.map((name) => dirname(name).slice(4)), ...ownFolders]);
    expect([...folders].filter((folder) => !known.has(folder))).toEqual([]);
  });

  test('every test is in the tier that its name says, and says what it needs', () => {
    const named = tests.filter((name) => name.endsWith('.test.ts') && name !== 'test/tidy.test.ts');
    expect(named.flatMap((name) => misplaced(name))).toEqual([]);
  });

  test('the six packages that were asked for are declared, and used where they serve', () => {
    const { dependencies, devDependencies } = JSON.parse(text('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const uses: Readonly<Record<string, readonly string[]>> = {
      'isomorphic-git': source,
      'simple-git': source,
      yargs: source,
      'tmp-promise': source,
      picomatch: tests,
      vitest: tests,
    };
    for (const [name, where] of Object.entries(uses)) {
      expect(Object.keys({ ...dependencies, ...devDependencies }), name).toContain(name);
      expect(
        where.some((file) => text(file).includes(`'${name}'`)),
        name,
      ).toBe(true);
    }
    expect(JSON.stringify(JSON.parse(text('package-lock.json')))).not.toMatch(/"resolved":"http/);
  });

  test('the rules can say no', () => {
    const spawns = "import { spawn } from 'node:child_process';";
    expect(misplaced('test/x.test.ts', spawns)).toHaveLength(1);
    expect(misplaced('test/x.proces.test.ts', '')).toHaveLength(1);
    expect(
      misplaced('test/git/x.test.ts', "import { checkout } from '../support/sessions.ts';"),
    ).toHaveLength(1);
    expect(misplaced('test/x.process.test.ts', '/** X. Needs: strace. */')).toHaveLength(1);
    expect(misplaced('test/x.system.test.ts', '/** X. Needs: magic. */')).toHaveLength(1);
    expect(
      misplaced('test/git/x.system.test.ts', "import { serve } from '../support/servers.ts';"),
    ).toHaveLength(2);
    expect(forbiddenImports('src/core/x.ts', "import { a } from '../git/refs.ts';")).toHaveLength(
      1,
    );
    expect(banned('src/core/x.ts', 'const t = Date.now();')).toHaveLength(1);
    expect(
      longFunctions('src/x.ts', 70, `function long() {\n${'  work();\n'.repeat(80)}}\n`),
    ).toHaveLength(1);
  });
});
