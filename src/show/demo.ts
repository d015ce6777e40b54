/** The demo: real processes in a throw-away repository, told as it happens. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../agent/clock.ts';
import { CoordError } from '../core/errors.ts';
import { gitEnvironment } from '../git/environment.ts';
import { openRepository } from '../git/repository.ts';
import { porcelain, runGit } from '../git/run-git.ts';
import { temporaryFolder } from '../git/temporary-folder.ts';
import { type ProgramEnd, runProgram } from '../work/shell.ts';

type Coord = (line: string, ...more: readonly string[]) => Promise<ProgramEnd>;

/** Nothing of the user's applies there. */
function apart(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = {
    ...env,
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
  for (const name of [
    'COORD_AGENT',
    'COORD_SESSION',
    'COORD_JSON',
    'COORD_QUIET',
    'COORD_WAIT',
    'COORD_DIRECTORY',
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
  ])
    delete own[name];
  return own;
}

export async function showDemo(
  program: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<void> {
  // Where none can be made, this says so in words.
  rmdirSync(temporaryFolder('coord-demo-'));
  // Loading it looks for the temporary folder, and every verb that is not hot loads this file.
  const { withDir } = await import('tmp-promise');
  await withDir(
    async ({ path }) => {
      const own = apart(env, path);
      await prepare(path, own);
      const top = join(path, 'shop');
      const coord: Coord = async (line, ...more) =>
        start(program, top, own, [...line.split(' '), ...more]);
      const shown: Coord = async (line, ...more) => {
        const said = await coord(line, ...more);
        say(`$ coord ${line}${more.length > 0 ? ` ${more.join(' ')}` : ''}`);
        for (const row of said.text.split('\n')) say(`    ${row}`);
        return said;
      };
      await race(coord, say);
      await refusalAndWait(shown, coord, say);
      await expiry(shown, say);
      await lockQueue(shown, say);
      say('');
      say('5. All of it is git: anybody can look.');
      const format =
        '%(refname:lstrip=2)  %(authorname)  %(authordate:relative)  %(contents:subject)';
      say(`$ git for-each-ref --sort=-authordate refs/coord --format='${format}'`);
      const { git } = openRepository(top, own);
      for (const row of runGit(
        git,
        ['for-each-ref', '--sort=-authordate', 'refs/coord', `--format=${format}`],
        '',
        top,
      )
        .stdout.toString('utf8')
        .trimEnd()
        .split('\n'))
        say(`    ${row}`);
      await shown('log --limit 6');
    },
    { unsafeCleanup: true, prefix: 'coord-demo-' },
  );
  say('');
  say('done: the throw-away repository is gone. In yours: coord reserve <path>');
}

async function prepare(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const top = join(path, 'shop');
  mkdirSync(join(top, 'src'), { recursive: true });
  writeFileSync(
    join(path, 'gitconfig'),
    '[user]\n\tname = Demo\n\temail = demo@example.invalid\n[init]\n\tdefaultBranch = main\n',
  );
  for (const name of ['cart', 'price', 'stock'])
    writeFileSync(join(top, 'src', `${name}.ts`), `export const ${name} = 0;\n`);
  const program = { path: 'git', env: gitEnvironment(env) };
  runGit(program, ['init', '-q', top]);
  const git = await porcelain(program, top);
  await git.add('.').commit('a shop');
}

async function race(coord: Coord, say: (line: string) => void): Promise<void> {
  say('1. Three agents, three processes, at once: their patterns differ, and overlap.');
  const asked = [
    ['ann', 'src/*.ts'],
    ['bob', 'src/{cart,price}.ts'],
    ['cid', 'src'],
  ] as const;
  const answers = await Promise.all(
    asked.map(([agent, pattern]) => coord(`reserve ${pattern} --agent ${agent} --reason race`)),
  );
  for (const [i, [agent, pattern]] of asked.entries()) {
    const answer = answers[i];
    say(`$ coord reserve '${pattern}' --agent ${agent}      (exit ${answer?.code ?? -1})`);
    say(`    ${answer?.text.split('\n')[0] ?? ''}`);
  }
  if (answers.filter(({ code }) => code === 0).length !== 1)
    throw new CoordError('bug', 'the race had not exactly one winner');
  say('   Exactly one holds it.');
  await Promise.all(asked.map(([agent]) => coord(`session end ${agent}`)));
}

async function refusalAndWait(
  shown: Coord,
  coord: Coord,
  say: (line: string) => void,
): Promise<void> {
  say('');
  say('2. A refusal says who, since when, and what to do; whoever waits is next.');
  await shown('reserve src/cart.ts --agent ann --reason', 'totals');
  await shown('reserve src/cart.ts --agent bob');
  const waiting = coord('reserve src/cart.ts --agent bob --wait 10s');
  await sleep(700);
  await shown('release src/cart.ts --agent ann');
  say('$ coord reserve src/cart.ts --agent bob --wait 10s      (began before the release)');
  for (const row of (await waiting).text.split('\n')) say(`    ${row}`);
}

async function expiry(shown: Coord, say: (line: string) => void): Promise<void> {
  say('');
  say('3. An agent that dies frees what it held: here after 5s and a grace of 1s.');
  await shown('reserve src/stock.ts --agent cid --ttl 5s -c coord.grace=1s');
  await shown('reserve src/stock.ts --agent ann --wait 12s -c coord.grace=1s');
}

async function lockQueue(shown: Coord, say: (line: string) => void): Promise<void> {
  say('');
  say('4. Two test runs at once take turns.');
  const command = [
    '--',
    process.execPath,
    '-e',
    'setTimeout(() => process.stdout.write("tests ran\\n"), 300)',
  ];
  await Promise.all([
    shown('run --lock test --agent ann', ...command),
    shown('run --lock test --agent bob', ...command),
  ]);
}

function start(
  program: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<ProgramEnd> {
  return runProgram([process.execPath, program, ...args], cwd, env);
}
