/**
 * The commands of a test that only prepare something or ask for something run one after another in
 * one process that stays: node takes longer to start than most of them take. It is the built
 * program, with real folders, environments and git. Where the process is the point, tests start one
 * of its own, with `run` and `start`. COORD_TEST_OWN_PROCESS=1 gives every command its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { runFolder } from './templates.ts';

const server = resolve(import.meta.dirname, '../../fixtures/one-by-one.mjs');
const patienceMs = 60_000;

/**
 * Verbs that start nothing which outlives them, read no input and are no judgement on a process.
 */
const plain: ReadonlySet<string> = new Set([
  'reserve',
  'check',
  'release',
  'renew',
  'claim',
  'unclaim',
  'done',
  'next',
  'ask',
  'answer',
  'lock',
  'unlock',
  'transfer',
  'break',
  'status',
  'who',
  'whoami',
  'log',
  'stats',
  'inbox',
  'sweep',
  'session',
  'stage',
  'rescue',
  'install',
  'uninstall',
  'doctor',
  'gate',
  'simulate',
  'replay',
]);

/** What is looked at by node or the loader before coord is, or changes whom it is run by. */
const early = /^(NODE_|LD_|FAKETIME|START_GATE)/;

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Process {
  readonly child: ChildProcess;
  /** It has opened its end of the answers. */
  isThere: boolean;
  readonly requests: number;
  readonly answers: number;
  readonly errors: string;
}

let serving: Process | null = null;

/** Null where it has to be a process of its own. */
export function runPlain(
  program: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Answer | null {
  const run = runFolder();
  if (run === null || process.env['COORD_TEST_OWN_PROCESS'] === '1' || !isPlain(env, args))
    return null;
  serving ??= begin(run, program);
  writeWhole(serving.requests, `${JSON.stringify({ cwd, env, args })}\n`);
  return JSON.parse(answerOf(serving, args)) as Answer;
}

function isPlain(env: Readonly<Record<string, string>>, args: readonly string[]): boolean {
  const verb = args.find(
    (arg, i) => !arg.startsWith('-') && !['--agent', '-c', '-C'].includes(args[i - 1] ?? ''),
  );
  const asksMore = args.some((arg) => ['--follow', '--strict'].includes(arg));
  return plain.has(verb ?? '') && !asksMore && !Object.keys(env).some((name) => early.test(name));
}

function begin(run: string, program: string): Process {
  const folder = mkdtempSync(join(run, 'coord-'));
  const [requests = '', answers = '', output = '', errors = ''] = [
    'requests',
    'answers',
    'output',
    'errors',
  ].map((name) => join(folder, name));
  execFileSync('mkfifo', [requests, answers]);
  const streams = [output, errors].map((file) => openSync(file, 'a'));
  // So that neither waits for the other to open them. When this process ends, so does that one.
  const writing = openSync(requests, 'r+');
  const reading = openSync(answers, constants.O_RDONLY | constants.O_NONBLOCK);
  const child = spawn(process.execPath, [server, program, requests, answers, output, errors], {
    stdio: ['ignore', ...streams],
  });
  child.unref();
  for (const stream of streams) closeSync(stream);
  return { child, requests: writing, answers: reading, errors, isThere: false };
}

function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

const clock = new Int32Array(new SharedArrayBuffer(4));

function answerOf(from: Process, args: readonly string[]): string {
  const chunk = Buffer.alloc(65_536);
  const until = performance.now() + patienceMs;
  let text = '';
  // Its first word is an empty line, which says that it is there.
  while (text === '\n' || !text.endsWith('\n')) {
    const count = readSome(from.answers, chunk);
    if (count !== null && count > 0) {
      from.isThere = true;
      text += chunk.toString('latin1', 0, count);
    } else if ((count === 0 && from.isThere) || performance.now() > until) {
      giveUp(from, args);
    } else {
      Atomics.wait(clock, 0, 0, 0.5);
    }
  }
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** 0 where nobody has the other end open, null where nothing is there yet. */
function readSome(descriptor: number, chunk: Buffer): number | null {
  try {
    return readSync(descriptor, chunk);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}

function giveUp({ child, errors }: Process, args: readonly string[]): never {
  child.kill('SIGKILL');
  serving = null;
  throw new Error(`no answer to coord ${args.join(' ')}: ${readFileSync(errors, 'utf8')}`);
}
