/**
 * Records docs/terminal.svg: two agents in one throw-away repository, played by the program that
 * `npm run build` made. Everything that is shown was printed by that run.
 *
 *     npm run build && node docs/terminal.mjs
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', 'dist', 'coord.cjs');
const place = mkdtempSync(join(tmpdir(), 'coord-terminal-'));
const top = join(place, 'shop');

/** Nothing of the caller's own settings and agents. */
const bare = {
  PATH: `${join(place, 'bin')}:${process.env.PATH}`,
  HOME: join(place, 'home'),
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C.UTF-8',
  TERM: 'dumb',
};

/**
 * What a terminal prints after it has waited is `resumed`.
 *
 * @type {{ who: string, text: string, kind: 'command' | 'output' | 'resumed' }[]}
 */
const rows = [];

function prepare() {
  for (const folder of ['bin', 'home', 'shop/src']) mkdirSync(join(place, folder), { recursive: true });
  const coord = join(place, 'bin', 'coord');
  writeFileSync(coord, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(coord, 0o755);
  writeFileSync(join(top, 'src', 'auth.ts'), 'export const tries = 1;\n');
  writeFileSync(join(top, 'src', 'ui.ts'), 'export const title = "Shop";\n');
  run(bare, 'git init -q -b main && git config user.name Demo && git config user.email demo@example.com');
  run(bare, "git add . && git commit -q -m 'a shop' && coord install");
}

/** @returns {string} what was printed, on both streams in their order */
function run(env, line) {
  const done = spawnSync('sh', ['-c', `exec 2>&1; ${line}`], { cwd: top, env, encoding: 'utf8' });
  return done.stdout.trimEnd();
}

/** The environment of a shell in which a session has begun. */
function session(name) {
  const script = `eval "$(coord session start ${name} --shell 2>/dev/null)" && env -0`;
  const { stdout } = spawnSync('sh', ['-c', script], { cwd: top, env: bare, encoding: 'utf8' });
  return Object.fromEntries(
    stdout
      .split('\0')
      .filter((entry) => entry.includes('='))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

function print(who, kind, text) {
  for (const line of text.split('\n')) if (text !== '') rows.push({ who, kind, text: line });
}

function show(who, env, line) {
  print(who, 'command', line);
  print(who, 'output', run(env, line));
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function play() {
  const ann = session('ann');
  const bob = session('bob');
  show('ann', ann, 'coord reserve src/auth.ts --reason "fix login"');
  writeFileSync(join(top, 'src', 'auth.ts'), 'export const tries = 3;\n');
  run(ann, 'git add src/auth.ts');
  await pause(3_000);

  show('bob', bob, "coord reserve 'src/**'");
  writeFileSync(join(top, 'src', 'ui.ts'), 'export const title = "Shoes";\n');
  show('bob', bob, 'git stash');
  show('bob', bob, 'git add src/ui.ts && git commit -q -m "new title" && git show --stat --format=%s');

  print('bob', 'command', "coord reserve 'src/**' --wait 2m");
  const waiting = spawn('sh', ['-c', "exec 2>&1; coord reserve 'src/**' --wait 2m"], {
    cwd: top,
    env: bob,
  });
  let said = '';
  waiting.stdout.setEncoding('utf8').on('data', (part) => {
    said += part;
  });
  const ended = new Promise((resolve) => waiting.on('close', resolve));
  await pause(4_000);
  const before = said.trimEnd();
  print('bob', 'output', before);
  show('ann', ann, 'git commit -q -m "fix login" && coord release src/auth.ts');
  await ended;
  print('bob', 'resumed', said.slice(before.length).trim());
}

const colours = {
  back: '#16181d',
  frame: '#2b2f38',
  plain: '#c9d1d9',
  ann: '#7ee787',
  bob: '#79c0ff',
  refused: '#ffa198',
  granted: '#a5d6ff',
  faint: '#8b949e',
};

function colourOf(text) {
  if (/^(coord: )?refused\b/.test(text)) return colours.refused;
  if (/^(granted|released)\b/.test(text)) return colours.granted;
  if (/^\s+(next|why):|^waiting/.test(text)) return colours.faint;
  return colours.plain;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function svg() {
  const [size, step, left] = [13, 19, 20];
  const columns = Math.max(...rows.map(({ text, kind }) => text.length + (kind === 'output' ? 0 : 6)));
  const [width, height] = [Math.ceil(columns * size * 0.602) + 2 * left, rows.length * step + 62];
  const lines = rows.map(({ who, kind, text }, at) => {
    const y = 54 + at * step;
    const sign = { command: `${who} $ `, resumed: `${who} | `, output: '' }[kind];
    const prompt = `<tspan fill="${colours[who]}" font-weight="bold">${sign}</tspan>`;
    const fill = kind === 'command' ? '#ffffff' : colourOf(text);
    const inner = `${sign === '' ? '' : prompt}<tspan fill="${fill}">${escaped(text)}</tspan>`;
    return `  <text x="${left}" y="${y}" xml:space="preserve">${inner}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `  <circle cx="${left + 6 + at * 18}" cy="20" r="5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Two agents, ann and bob, in one repository">`,
    `  <rect width="${width}" height="${height}" rx="8" fill="${colours.back}" stroke="${colours.frame}"/>`,
    ...dots,
    `  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${size}">`,
    ...lines,
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}

try {
  prepare();
  await play();
  writeFileSync(join(import.meta.dirname, 'terminal.svg'), svg());
  process.stdout.write(`${rows.map(({ who, kind, text }) => (kind === 'command' ? `${who} $ ${text}` : text)).join('\n')}\n`);
} finally {
  rmSync(place, { recursive: true, force: true });
}
