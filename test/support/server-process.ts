/**
 * One server's processes on this machine: a port that is its own for as long as the tests run, its
 * start up to the moment it accepts connections, and its end together with everything it started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { constants } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from './repository.ts';

/**
 * In the environment of a server and of what it starts, so that these are found after their parent
 * died too.
 */
const mark = 'COORD_TEST_SERVER';

export interface Command {
  /** Its name on PATH, and the Debian package that has it. */
  readonly program: string;
  readonly from: string;
  readonly args: readonly string[];
  readonly accepts: NetConnectOpts;
}

export interface Family {
  /** The servers are up when this is done. */
  start(): Promise<void>;
  /** Nothing that they started lives when this is done. */
  end(): Promise<void>;
}

/**
 * Servers that go up in this order and down together; they write what they have to say into `log`.
 */
export function family(
  home: string,
  env: Environment,
  log: string,
  commands: readonly Command[],
): Family {
  let roots: readonly ChildProcess[] = [];
  const end = async (): Promise<void> => {
    await endAll(roots, `${mark}=${home}`);
    roots = [];
  };
  return {
    start: async () => {
      if (roots.length > 0) throw new Error('it runs already');
      for (const command of commands) {
        const child = launch(home, { ...env, [mark]: home }, log, command);
        roots = [...roots, child];
        try {
          await accepted(command, child);
        } catch (error) {
          await end();
          throw new Error(`${command.program} does not start: ${readFileSync(log, 'utf8')}`, {
            cause: error,
          });
        }
      }
    },
    end,
  };
}

/**
 * Should this process be killed, nobody is there to stop the servers: then they are told to end by
 * the kernel, and the whole group with them, for fcgiwrap leaves its workers behind.
 */
const untilTerm = 'trap "trap - TERM; kill 0" TERM; "$@" & wait';

function launch(
  home: string,
  env: Environment,
  log: string,
  { program, from, args }: Command,
): ChildProcess {
  const output = openSync(log, 'a');
  try {
    return spawn(
      'setpriv',
      [
        '--pdeathsig',
        'TERM',
        '--',
        'sh',
        '-c',
        untilTerm,
        'sh',
        installed(program, from, env),
        ...args,
      ],
      { cwd: home, env, detached: true, stdio: ['ignore', output, output] },
    );
  } finally {
    closeSync(output);
  }
}

/** Servers are not on everyone's PATH, and sshd wants to be called by its whole name. */
export function installed(program: string, from: string, env: Environment): string {
  const folders = [...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute), '/usr/sbin'];
  const file = folders.map((folder) => join(folder, program)).find(existsSync);
  if (file === undefined)
    throw new Error(`${program} is not installed here: apt-get install ${from}`);
  return file;
}

async function accepted({ accepts }: Command, child: ChildProcess): Promise<void> {
  let failure: unknown = null;
  child.once('error', (error) => {
    failure = error;
  });
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (failure !== null || child.exitCode !== null || child.signalCode !== null)
      throw new Error('it ended', { cause: failure });
    if (await accepting(accepts)) return;
    await pause();
  }
  throw new Error('it accepts no connection');
}

function accepting(where: NetConnectOpts): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(where);
    const answer = (is: boolean) => (): void => {
      socket.destroy();
      done(is);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}

function pause(): Promise<void> {
  return new Promise((next) => setTimeout(next, 5));
}

/**
 * A port of 127.0.0.1 that nobody else gets, even while its server is down: the same port of
 * 127.0.0.2 stays taken until this process ends. Other workers' claims meet there, and the kernel
 * gives no port that is bound somewhere to an outgoing connection.
 */
export async function claimedPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = await listening('127.0.0.2', 0, true);
    if (port !== null && (await listening('127.0.0.1', port, false)) === port) return port;
  }
  throw new Error('there is no free port');
}

function listening(host: string, port: number, keep: boolean): Promise<number | null> {
  return new Promise((done) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', () => done(null));
    server.listen({ host, port }, () => {
      const address = server.address();
      const got = address !== null && typeof address === 'object' ? address.port : null;
      if (keep) done(got);
      else server.close(() => done(got));
    });
  });
}

interface Running {
  readonly pid: number;
  readonly parent: number;
}

function running(): readonly Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readProc(name, 'stat');
      // The name of the program stands in brackets and may hold anything.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return parent === undefined || state === 'Z' || state === 'X'
        ? []
        : [{ pid: Number(name), parent: Number(parent) }];
    });
}

/** Processes come and go, and those of others do not show themselves. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

export function alive(pids: readonly number[]): readonly number[] {
  return running()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid));
}

/**
 * These processes as far as they live, and all that they started, and those that started in turn.
 */
export function withDescendants(pids: readonly number[]): readonly number[] {
  const all = running();
  const found = new Set(pids);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.map(({ pid }) => pid).filter((pid) => found.has(pid));
}

/**
 * sshd writes over its environment, so it is known by its parent; what a dead parent left is known
 * by the mark.
 */
function members(roots: readonly number[], marked: string): readonly number[] {
  const orphans = running()
    .map(({ pid }) => pid)
    .filter((pid) => readProc(String(pid), 'environ').split('\0').includes(marked));
  return withDescendants([...roots, ...orphans]);
}

/**
 * Frozen first, lest one starts another while they are counted. Asked to end, for a killed git
 * leaves its locks.
 */
async function endAll(children: readonly ChildProcess[], marked: string): Promise<void> {
  const known = new Set(
    children.flatMap(({ pid, exitCode, signalCode }) =>
      pid === undefined || exitCode !== null || signalCode !== null ? [] : [pid],
    ),
  );
  const exits = children
    .filter(({ pid }) => pid !== undefined && known.has(pid))
    .map((child) => new Promise((done) => child.once('exit', done)));
  const frozen = new Set<number>();
  const fresh = (): readonly number[] =>
    members([...known], marked).filter((pid) => !frozen.has(pid));
  for (let found = fresh(); found.length > 0; found = fresh()) {
    for (const pid of found) {
      known.add(pid);
      frozen.add(pid);
      send(pid, 'SIGSTOP');
    }
  }
  for (const pid of frozen) send(pid, ignoresTerm(pid) ? 'SIGHUP' : 'SIGTERM');
  for (const pid of frozen) send(pid, 'SIGCONT');
  for (let tries = 0; members([...known], marked).length > 0; tries += 1) {
    if (tries === 400) for (const pid of members([...known], marked)) send(pid, 'SIGKILL');
    if (tries === 2_000)
      throw new Error(`these do not end: ${members([...known], marked).join(' ')}`);
    await pause();
  }
  await Promise.all(exits);
}

/** So do all that git's daemon starts for a request, git and its hooks. */
function ignoresTerm(pid: number): boolean {
  const [, mask = '0'] = /^SigIgn:\s*(\w+)$/m.exec(readProc(String(pid), 'status')) ?? [];
  return (Number.parseInt(mask.slice(-4), 16) >> (constants.signals.SIGTERM - 1)) % 2 === 1;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
