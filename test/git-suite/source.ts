/**
 * git's own tests: Debian's source package of the git that is installed, unpacked and built in a
 * cache folder outside of the repository, with the few changes that the tests need to run beside
 * coord. Only what the tests call is built; the git under test is the installed one.
 */
import { execFileSync, type StdioOptions } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Source {
  /** The package's version, such as `1:2.39.5-0+deb12u3`. */
  readonly version: string;
  /** The folder of the tests. */
  readonly tests: string;
}

/** What it prints; what it complains of goes to whoever is watching. */
function run(cwd: string, program: string, args: readonly string[]): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  return execFileSync(program, [...args], { cwd, stdio, encoding: 'utf8', maxBuffer: 64 << 20 });
}

/** Lists of packages in a folder of our own, so that the machine's are not touched. */
function aptOptions(apt: string): readonly string[] {
  return [
    '-o',
    `Dir::Etc::sourcelist=${apt}/source.sources`,
    '-o',
    'Dir::Etc::sourceparts=/dev/null',
    '-o',
    `Dir::State::lists=${apt}/lists`,
    '-o',
    `Dir::Cache=${apt}/cache`,
    '-o',
    'APT::Sandbox::User=root',
    '-qq',
  ];
}

/** The machine's own sources, asked for source packages. */
function sourcesOf(folder: string): string {
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.sources'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((text) => text.includes('debian.org'));
  if (texts.length === 0) throw new Error(`no source of Debian in ${folder}`);
  return texts.join('\n\n').replaceAll(/^Types:.*$/gm, 'Types: deb-src');
}

function download(folder: string, version: string): void {
  const apt = join(folder, 'apt');
  for (const name of ['lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(apt, name), { recursive: true });
  }
  writeFileSync(join(apt, 'source.sources'), sourcesOf('/etc/apt/sources.list.d'));
  run(folder, 'apt-get', [...aptOptions(apt), 'update']);
  run(folder, 'apt-get', [...aptOptions(apt), 'source', '--download-only', `git=${version}`]);
  rmSync(apt, { recursive: true });
}

function build(folder: string): void {
  const make = (...args: readonly string[]): void => {
    run(folder, 'make', ['-s', ...args]);
  };
  const without = ['CURL', 'EXPAT', 'OPENSSL', 'GETTEXT', 'TCLTK'].map((what) => `NO_${what}=1`);
  make('-j2', ...without, 't/helper/test-tool', 't/helper/test-fake-ssh', 'GIT-BUILD-OPTIONS');
  make('-C', 'templates', 'SHELL_PATH=/bin/sh', 'PERL_PATH=/usr/bin/perl');
}

/** Ready to run. The first time takes a minute or two, and the network. */
export function prepareSource(cache: string): Source {
  const version = run('/', 'dpkg-query', ['-W', '-f', '${Version}', 'git']);
  const ready = join(cache, `git-${version.replaceAll(/[^\w.+-]/g, '-')}`);
  if (!existsSync(ready)) {
    const draft = `${ready}.${process.pid}`;
    mkdirSync(draft, { recursive: true });
    download(draft, version);
    const [description = ''] = readdirSync(draft).filter((name) => name.endsWith('.dsc'));
    run(draft, 'dpkg-source', ['--no-check', '-x', description, 'source']);
    build(join(draft, 'source'));
    renameSync(draft, ready);
  }
  const tests = join(ready, 'source', 't');
  for (const file of new Set(changes.map((change) => change.file))) adapt(tests, file);
  return { version, tests };
}

interface Change {
  readonly file: string;
  readonly find: RegExp;
  readonly put: string;
}

/** All of them leave plain git's results as they are; test-hook.sh says why the first is needed. */
const changes: readonly Change[] = [
  { file: 'test-lib-functions.sh', find: /^test_hook \(\) \{$/m, put: 'git_test_hook () {' },
  {
    // What coord keeps in the cache folder would else lie in HOME, which is the repository tested.
    file: 'test-lib.sh',
    find: /^unset XDG_CACHE_HOME$/m,
    put: '. "$SUITE_FOLDER/test-hook.sh"',
  },
  {
    file: 'test-lib.sh',
    find: /^\ttest_count=\$\(\(\$test_count\+1\)\)$/m,
    put: '$&\n\ttest -z "$COORD_TRACE" || echo "subtest $test_count" >>"$COORD_TRACE"',
  },
  { file: 't2400-worktree-add.sh', find: /^\tmkdir \.git\/hooks/m, put: '\tmkdir -p .git/hooks' },
  {
    file: 't5516-fetch-push.sh',
    find: /^\tmkdir "\$repo_name"\/\.git\/hooks/m,
    put: '\tmkdir -p "$repo_name"/.git/hooks',
  },
];

/** From the text as it came, so that doing it again, while another run reads it, is no harm. */
function adapt(tests: string, file: string): void {
  const path = join(tests, file);
  const kept = `${path}.as-it-came`;
  if (!existsSync(kept)) copyFileSync(path, kept);
  let text = readFileSync(kept, 'utf8');
  for (const { find, put } of changes.filter((change) => change.file === file)) {
    if (!find.test(text)) throw new Error(`${file} of this git has changed: ${find} is not in it`);
    text = text.replace(find, put);
  }
  if (readFileSync(path, 'utf8') === text) return;
  writeFileSync(`${path}.${process.pid}`, text, { mode: 0o755 });
  renameSync(`${path}.${process.pid}`, path);
}
