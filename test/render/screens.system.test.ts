/**
 * What people see in a real terminal, at several widths, kept in fixtures/screens: `cat` one to look
 * at it. After a change of them: COORD_WRITE_SCREENS=1.
 * Needs: tmux.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';
import { alike, plain } from '../support/screen.ts';
import { terminal } from '../support/terminal.ts';

const folder = resolve(import.meta.dirname, '../../fixtures/screens');
const isWritten = process.env['COORD_WRITE_SCREENS'] !== undefined;

const commands: Readonly<Record<string, string>> = {
  help: 'coord --help',
  'help-reserve': 'coord reserve --help',
  status: 'coord status',
  who: 'coord who',
  log: 'coord log',
  stats: 'coord stats',
  config: 'coord config',
  refused: 'coord --agent carol reserve src/login/form.ts',
  mistake: 'coord reserv src/a',
  init: 'coord init --dry-run',
};

function team(): TestRepository {
  const repo = repository();
  repo.git('remote', 'add', 'origin', '../server.git');
  repo.coord(
    'ann',
    'reserve',
    'src/login/**',
    'test/login',
    '--reason',
    'the new login, with two factors and a way back',
  );
  repo.coord('bob', 'lock', 'deploy', '--reason', 'release 2.1');
  repo.coord('ann/review', 'claim', 'bd-7', '--again');
  repo.coord('dora', 'reserve', 'src/login/form.ts');
  return repo;
}

/** Written anew where it is another. */
function matches(name: string, screen: string): void {
  const file = join(folder, `${name}.txt`);
  const kept = (): string => alike(existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : '');
  if (isWritten && kept() !== alike(screen)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `${screen}\n`);
  }
  expect(alike(screen), name).toBe(kept());
}

describe('in a terminal', () => {
  test.each([
    60, 80, 200,
  ])('of %i columns everything fits, with headings and colour', async (columns) => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns, rows: 200 });
    for (const [name, command] of Object.entries(commands)) {
      const screen = await at.run(command);
      matches(`${name}-${columns}`, screen);
      if (name.startsWith('help')) expect(screen).not.toMatch(/\u001b\[3[1-6]m/);
    }
  }, 60_000);

  test.each([
    ['status', /LEASE +WHAT +HELD BY +EXPIRES/],
    ['who', /AGENT +LAST ACTIVE +HOLDS/],
  ])('%s is a table that is not wider than the terminal', async (command, headings) => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 50, rows: 40 });
    const screen = plain(await at.run(`coord ${command}`));
    expect(screen).toMatch(headings);
    // What goes on in the next line stands below its heading.
    const column = (screen.split('\n')[0] ?? '').indexOf('HOLDS');
    const broken = screen.split('\n').filter((line) => line.startsWith(' '));
    expect(broken).toEqual(
      command === 'who' ? [expect.stringMatching(new RegExp(`^ {${column}}test/login$`))] : [],
    );
  });

  test('NO_COLOR takes the colour, and the table stays', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 80, rows: 40 });
    const screen = await at.run('NO_COLOR=1 coord status');
    expect(screen).not.toContain('\u001b[');
    expect(screen).toContain('HELD BY');
  });

  test('a pipe gets no headings, no colour, and the whole of each cell', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 200, rows: 40 });
    const screen = await at.run('coord status | cat');
    expect(screen).not.toContain('\u001b[');
    expect(screen).not.toContain('HELD BY');
    expect(screen).toContain('the new login, with two factors and a way back');
  });
});

test('screens that are kept are compared by paint and by widths', () => {
  const kept = readFileSync(join(folder, 'status-80.txt'), 'utf8');
  expect(alike(kept)).toContain('  ‹1›lock deploy              ‹›bob (');
  for (const other of [
    kept.replaceAll('\u001b[33m', '\u001b[32m'),
    kept.replaceAll('\u001b[2m', ''),
    kept.replace('  \u001b[1mlock', '   \u001b[1mlock'),
  ])
    expect(alike(other)).not.toBe(alike(kept));
  expect(alike(kept.replaceAll('0s ago ', '12s ago'))).toBe(alike(kept));
});

describe('a terminal that does not know its width', () => {
  test('is taken for one of 80 columns, by tables, lines and help', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 120, rows: 200 });
    const commands = 'coord who; coord --agent carol reserve src/login/form.ts; coord --help';
    const seen = alike(await at.run(commands));
    const unknown = await at.run(`stty cols 0; ${commands}; stty cols 120`);
    const known = await at.run(`stty cols 80; ${commands}; stty cols 120`);
    expect(alike(unknown)).toBe(alike(known));
    expect(alike(unknown)).not.toBe(seen);
  });
});

describe('who waits', () => {
  test('on a dumb terminal is told once what for', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 110, rows: 20 });
    at.line(
      'clear; TERM=dumb coord --agent carol reserve --wait 3s src/login/form.ts; echo "exit $?"',
    );
    const screen = await at.until(/exit \d+/);
    expect(screen.match(/waiting for src\/login/g)).toHaveLength(1);
    expect(screen).not.toContain('of 3s');
  });

  test('sees what for, how long and when it is free, on one line that goes on', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 110, rows: 20 });
    at.line('clear; coord --agent carol reserve --wait 5m src/login/form.ts');
    const first = await at.until(/: \d+s of 5m, expires in \d+m unless it is renewed$/m);
    expect(first).toMatch(/waiting for src\/login\/\*\* test\/login of ann \(\w+\): /);
    await at.until(/: [1-9]\d*s of 5m/);
    expect((await at.until(/ of 5m/)).split('\n')).toHaveLength(1);
    repo.coord('ann', 'release', '--all');
    const screen = await at.until(/granted src\/login\/form\.ts after/);
    expect(screen).not.toContain('waiting for');
  });

  test('and ends it with Ctrl-C is told so, and stands in line no more', async () => {
    const repo = team();
    const at = terminal(repo.top, repo.env, { columns: 110, rows: 20 });
    at.line('clear; coord --agent carol reserve --wait 5m src/login/form.ts; echo "exit $?"');
    await at.until(/of 5m/);
    at.key('C-c');
    const screen = await at.until(/exit \d+/);
    expect(screen).toContain('interrupted: you are not in line any more');
    expect(screen).toContain('exit 130');
    expect(screen).not.toContain('in time');
    expect(repo.coord(null, 'status').json['waits']).toEqual([]);
  });
});

describe('coord init', () => {
  test.each([
    ['y', 'next: git add -- :/.coord.json', true],
    ['', 'next: git add -- :/.coord.json', true],
    ['n', 'nothing was done', false],
  ])('shows the plan and asks; answered %j', async (answer, said, isDone) => {
    const repo = repository();
    repo.coord(null, 'uninstall');
    const at = terminal(repo.top, repo.env, { columns: 80, rows: 40 });
    at.line('clear; coord init');
    expect(await at.until(/Do this\? \[Y\/n\]/)).toContain('create .coord.json, to be committed');
    at.line(answer);
    await at.until(new RegExp(said.replaceAll('.', '\\.')));
    expect(repo.git('status', '--porcelain').includes('.coord.json')).toBe(isDone);
  });

  test.each(['C-d', 'C-c'])('answered with %s does nothing', async (key) => {
    const repo = repository();
    repo.coord(null, 'uninstall');
    const at = terminal(repo.top, repo.env, { columns: 80, rows: 40 });
    at.line('clear; coord init');
    await at.until(/Do this\? \[Y\/n\]/);
    at.key(key);
    await at.until(/nothing was done/);
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});
