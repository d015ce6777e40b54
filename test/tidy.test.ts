/**
 * The rules of the house, read from the files: who may import whom, how long things get, what is
 * banned where.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, longFunctions, misplaced, root, text } from './tidy-files.ts';

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
  'git',
  'log',
  'remote',
  'loop',
  'shim',
  'adapter',
  'agent',
  'draft',
  'guard',
  'work',
  'landing',
  'doctor',
  'render',
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
  'agents',
  'journeys',
  'packaging',
  'effect',
  'reference',
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

/** `file name` of what it imports of ours, by name; `file *` where it takes all of it. */
function importedNames(name: string, content = text(name)): readonly string[] {
  const from = (path: string): string => relative(root, join(root, dirname(name), path));
  const named = [
    ...content.matchAll(/(?:import|export)[^;]*?\{([^}]*)\}\s*from\s*'(\.[^']+\.ts)'/g),
  ];
  const whole = [
    ...content.matchAll(/(?:\* as \w+\s+from|import\(|typeof import\()\s*'(\.[^']+\.ts)'/g),
  ];
  return [
    ...named.flatMap(([, names = '', path = '']) =>
      names
        .split(',')
        .map(
          (one) =>
            one
              .trim()
              .replace(/^type /, '')
              .split(' as ')[0] ?? '',
        )
        .map((one) => `${from(path)} ${one}`),
    ),
    ...whole.map(([, path = '']) => `${from(path)} *`),
  ];
}

function exportsOf(name: string): readonly string[] {
  const declared = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  return [...text(name).matchAll(declared)].map(([, one = '']) => one);
}

interface Ban {
  readonly what: RegExp;
  readonly instead: string;
  /** The folders that are there for it. */
  readonly owners: readonly string[];
}

const bans: readonly Ban[] = [
  {
    what: /\breadFileSync\b|\bcreateReadStream\b|\breadFile\(/,
    instead: 'regular-file.ts, for what a work tree may hold',
    owners: ['git', 'log', 'remote', 'shim', 'agent', 'cli'],
  },
  {
    what: /node:child_process|builtin\.childProcess/,
    instead: 'run-git.ts for git, work/shell.ts for programs of the user',
    owners: ['git', 'work'],
  },
  { what: /\bDate\.now\b|new Date\(\)/, instead: 'World.clock', owners: ['git', 'agent'] },
  { what: /Math\.random/, instead: 'World.random', owners: [] },
  {
    what: /^(?!\s*(\*|\/\/|')).*\b(setTimeout|setInterval)\(/m,
    instead: 'Clock.sleep',
    owners: ['git', 'log', 'agent', 'work'],
  },
  { what: /process\.env|process\.cwd/, instead: 'Surroundings', owners: ['cli', 'index.ts'] },
  { what: /process\.exit\(/, instead: 'process.exitCode', owners: [] },
  { what: /console\./, instead: 'Output', owners: [] },
  { what: /SIGKILL/, instead: 'SIGTERM: a killed git leaves its locks', owners: [] },
  { what: /:\s*any\b|as any\b|<any>/, instead: 'a type', owners: [] },
  { what: /\bas unknown as\b|[\w\])]!\.|@ts-/, instead: 'a check', owners: [] },
  { what: /\b(TODO|FIXME|XXX|HACK)\b/, instead: 'doing it', owners: [] },
  { what: /^(export )?enum |^namespace /m, instead: 'a union', owners: [] },
];

function banned(name: string, content = text(name)): readonly string[] {
  const folder = name.split('/')[1] ?? '';
  return bans
    .filter(({ what, owners }) => !owners.includes(folder) && what.test(content))
    .map(({ what, instead }) => `${name}: ${what.source}, use ${instead}`);
}

describe('the house', () => {
  test('a shim hides the message of a file that cannot be opened from every shell: zsh prints it beside the command', () => {
    const shims = readdirSync(join(root, 'hooks'), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !file.name.endsWith('.js'))
      .map((file) => relative(root, join(file.parentPath, file.name)));
    const beside = shims.flatMap((file) =>
      text(file)
        .split('\n')
        .filter((line) => /2>(\/dev\/null|&-) *[<>] *[^&<> ]/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(beside).toEqual([]);
  });

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

  test('nothing banned is used outside the folders that are there for it', () => {
    expect(source.flatMap((name) => banned(name))).toEqual([]);
  });

  test('no file has over 300 lines and no function over 60', () => {
    expect([...source, ...tests].filter((name) => text(name).split('\n').length > 301)).toEqual([]);
    expect([...source, ...tests].flatMap((name) => longFunctions(name, 60))).toEqual([]);
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

  test('no name is exported that nobody imports', () => {
    const imported = new Set([...source, ...tests].flatMap((name) => importedNames(name)));
    const unused = source
      .filter((name) => name !== 'src/index.ts')
      .flatMap((name) => exportsOf(name).map((one) => `${name} ${one}`))
      .filter((one) => !imported.has(one) && !imported.has(`${one.split(' ')[0]} *`));
    expect(unused).toEqual([]);
  });

  test('every file that the documents name is there', () => {
    const documents = [
      'README.md',
      'CONTRIBUTING.md',
      ...readdirSync(join(root, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    // Paths of the examples, in repositories of users, are none of ours.
    const ours = /`((?:src|test|hooks|fixtures)\/[\w./-]+\.(?:ts|sh|mjs|json|txt))`/g;
    const gone = documents.flatMap((name) =>
      [...text(name).matchAll(ours)]
        .map(([, path = '']) => path)
        .filter((path) => !existsSync(join(root, path)) && !/^src\/(auth|cart|stock)\./.test(path))
        .map((path) => `${name} names ${path}`),
    );
    expect(gone).toEqual([]);
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
