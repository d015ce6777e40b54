#!/usr/bin/env node
/**
 * The program `coord`: runs the built file beside it that has the verb (`bundles/`). Compiling it
 * takes longer than most verbs need to do their work, so what V8 made of it is kept in the user's
 * cache folder, a file a verb or hook, and taken from there next time. The key changes with the
 * build and with node; without a cache, or with one that V8 will not have, it only takes longer.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type Bundle, bundleOf } from './bundles/names.ts';
import type { Program } from './bundles/program.ts';

type Built =
  | typeof import('./bundles/hot.ts')
  | typeof import('./bundles/hooks.ts')
  | typeof import('./bundles/work.ts')
  | typeof import('./bundles/cold.ts');

type Module = (
  exports: Built,
  require: NodeJS.Require,
  module: { readonly exports: Built },
  folder: string,
) => void;

/** Of other builds and versions so many files stay. */
const kept = 64;

function cacheFile(
  { XDG_CACHE_HOME: cache, HOME: home }: NodeJS.ProcessEnv,
  file: string,
  words: string,
): string | null {
  const folder = cache?.startsWith('/')
    ? cache
    : home === undefined || !home.startsWith('/')
      ? null
      : join(home, '.cache');
  if (folder === null) return null;
  // A file's change time cannot be set, so no two builds in one place ever share a key.
  const { dev, ino, ctimeMs, size } = statSync(file);
  return join(
    folder,
    'git-coord',
    `${process.version}-${process.arch}-${dev}-${ino}-${ctimeMs}-${size}-${/^[a-z-]{1,60}$/.test(words) ? words : 'none'}`,
  );
}

/** It is run, so nobody else may have written it. */
function isMineAlone({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return process.getuid !== undefined && uid === process.getuid() && (mode & 0o022) === 0;
}

/** V8 does not look at what it is given: it is there twice, and both have to be the same. */
function read(cache: string | null): Buffer | undefined {
  try {
    if (
      cache === null ||
      !isMineAlone(statSync(join(cache, '..'))) ||
      !isMineAlone(statSync(cache))
    )
      return undefined;
    const both = readFileSync(cache);
    const half = both.subarray(0, both.length / 2);
    return half.length > 0 && half.equals(both.subarray(half.length)) ? half : undefined;
  } catch {
    return undefined;
  }
}

function keep(script: Script, cache: string): void {
  try {
    const folder = join(cache, '..');
    for (const place of [join(folder, '..'), folder])
      if (!existsSync(place)) mkdirSync(place, { mode: 0o700 });
    if (!isMineAlone(statSync(folder))) return;
    const old = readdirSync(folder)
      .map((name) => join(folder, name))
      .map((name) => ({ name, at: statSync(name).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { name } of old.slice(kept)) rmSync(name, { force: true });
    const draft = `${cache}.${process.pid}`;
    const data = script.createCachedData();
    const descriptor = openSync(draft, 'wx', 0o600);
    writeFileSync(descriptor, Buffer.concat([data, data]));
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(draft, cache);
  } catch {
    // A folder that cannot be written to: then every run compiles.
  }
}

/** Nothing that went wrong outside a report may look like a refusal. */
process.on('uncaughtException', (error) => {
  try {
    writeSync(2, `coord: unexpected: ${error.message}\n`);
  } catch {
    // Nobody reads any more; saying so would be the next such error.
  }
  process.exitCode = 70;
});

/** What the shims have kept from node is for whatever is started from here (hooks/launch). */
for (const name of ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']) {
  const kept = process.env[`COORD_KEPT_${name}`];
  if (kept === undefined) continue;
  delete process.env[`COORD_KEPT_${name}`];
  if (kept === '') delete process.env[name];
  else process.env[name] = kept;
}

function load(bundle: Bundle, words: string): Program {
  const file = join(__dirname, `${bundle}.cjs`);
  // What it imports at need can only be found by node's own loader.
  if (bundle === 'cold') return (require(file) as Built).runProgram;
  const cache = cacheFile(process.env, file, `${bundle}-${words}`);
  const cachedData = read(cache);
  // The bundler writes everything beyond ASCII as escapes, and so short a form is read fastest.
  const source = `(function (exports, require, module, __dirname) {${readFileSync(file, 'latin1')}\n})`;
  const script = new Script(source, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (
    cache !== null &&
    process.getuid !== undefined &&
    (cachedData === undefined || script.cachedDataRejected === true)
  )
    process.once('exit', () => {
      // Of many that started at once, the first has written it for all.
      if (script.cachedDataRejected === true || read(cache) === undefined) keep(script, cache);
    });
  const built = { exports: {} as Built };
  (script.runInThisContext() as Module)(built.exports, require, built, __dirname);
  return built.exports.runProgram;
}

const argv = process.argv.slice(2);
const { bundle, at } = bundleOf(argv);
// Hooks have a verb in common and little else.
const words = at < 0 ? argv.slice(0, 1) : argv.slice(at, at + (argv[at] === 'hook' ? 3 : 1));
load(bundle, words.join('-'))(argv, process.env, () => load('cold', words.join('-')));
