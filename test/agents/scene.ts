/**
 * A repository with coord, a home for each program, and a model that says what a test wants: what
 * the scenarios of all programs begin with.
 */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';
import type { Item, ToolCall, Turn } from './conversation.ts';
import { type ModelServer, type Step, startModelServer } from './model-server.ts';
import type { LaunchOptions, Place, Program } from './program.ts';
import { killGroup, type Session, type SessionEnd, start } from './session.ts';

export interface Scene {
  readonly repo: TestRepository;
  readonly server: ModelServer;
  /** Names a file in the repository as a program has to. */
  file(path: string): string;
  /** Runs one prompt of a program to its end. */
  run(program: Program, steps: readonly Step[], options?: RunOptions): Promise<Told>;
  /** Starts one, and returns at once. */
  start(program: Program, steps: readonly Step[], options?: RunOptions): Session;
  /** What the model of this program has been told by now. */
  told(program: Program): readonly Item[];
}

export interface RunOptions extends LaunchOptions {
  /** Where there are two sessions of one program: which script this one follows. */
  readonly script?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Scripts of subagents, by the name that their prompt says: `SCRIPT:<name>`. */
  readonly children?: Readonly<Record<string, readonly Step[]>>;
}

export interface Told extends SessionEnd {
  readonly items: readonly Item[];
  /** All texts that tools gave back to the model. */
  readonly results: readonly string[];
}

export function turn(...calls: readonly ToolCall[]): Turn {
  return { text: '', calls };
}

function programsFolder(): string {
  const folder = process.env['COORD_TEST_AGENTS'];
  if (folder === undefined) throw new Error('COORD_TEST_AGENTS says where the programs are');
  return folder;
}

/** The files a.txt, b.txt and src/c.txt of two lines each, and coord for these programs. */
export async function scene(
  programs: readonly Program[],
  options: { readonly withoutCoord?: true; readonly untrusted?: true } = {},
): Promise<Scene> {
  const repo = repository();
  const server = await startModelServer();
  onTestFinished(() => server.close());
  for (const path of ['a.txt', 'b.txt', 'src/c.txt']) repo.write(path, `one of ${path}\ntwo\n`);
  repo.git('config', 'user.name', 'Tester');
  repo.git('config', 'user.email', 'tester@example.invalid');
  repo.git('add', '.');
  repo.git('commit', '-qm', 'files');
  const top = realpathSync(repo.top);
  const place = ({ name }: Program): Place => ({
    programs: programsFolder(),
    home: join(top, '..', `home-${name}`),
    cwd: top,
    model: server.url,
  });
  if (options.withoutCoord !== true) {
    const wanted = programs.flatMap(({ name }) => ['--harness', name]);
    const { code, stderr } = repo.text(null, 'install', ...wanted);
    if (code !== 0) throw new Error(stderr);
    repo.git('add', '.');
    repo.git('commit', '-qm', 'coord');
  }
  for (const program of programs) {
    mkdirSync(place(program).home, { recursive: true });
    program.prepare(place(program));
    if (options.untrusted !== true) await program.trust(place(program));
  }

  const begin = (program: Program, steps: readonly Step[], how: RunOptions = {}): Session => {
    const script = how.script ?? program.name;
    server.set(script, steps);
    for (const [name, child] of Object.entries(how.children ?? {})) server.set(name, child);
    const session = start(program, place(program), `SCRIPT:${script}`, how, how.env);
    onTestFinished(() => killGroup(session.child, 'SIGKILL'));
    return session;
  };
  return {
    repo,
    server,
    file: (path) => join(top, path),
    start: begin,
    told: ({ name }) => server.heard(name).items,
    async run(program, steps, how = {}) {
      const ended = await begin(program, steps, how).ended;
      server.check();
      const { items } = server.heard(how.script ?? program.name);
      const results = items.filter(({ by }) => by === 'tool').map(({ text }) => text);
      return { ...ended, items, results };
    },
  };
}

export function content(scene: Scene, path: string): string {
  return readFileSync(scene.file(path), 'utf8');
}

export function overwrite(scene: Scene, path: string, text: string): void {
  writeFileSync(scene.file(path), text);
}
