/** A file that several change at once, and what each has committed of it. */
import type { Step } from './model-server.ts';
import { Moment } from './moment.ts';
import type { Program } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';

export const path = 'shared.txt';

export function line(number: number): string {
  return `line ${String(number).padStart(2, '0')}`;
}

/** With a file of twenty lines that is committed. */
export async function sharedScene(...programs: readonly Program[]): Promise<Scene> {
  const here = await scene([...new Set(programs)]);
  here.repo.write(path, Array.from({ length: 20 }, (_, i) => `${line(i + 1)}\n`).join(''));
  here.repo.git('add', path);
  here.repo.git('commit', '-qm', path);
  return here;
}

/** Changes a line; a program that wants to read the file again, as another has written it, does. */
export function changes(
  here: Scene,
  { hands }: Program,
  number: number,
  to: string,
): readonly Step[] {
  const read = hands.read(here.file(path));
  const edit = hands.edit(here.file(path), line(number), to);
  const unlessDone = (call: typeof read): Step => {
    return async () => turn(content(here, path).includes(to) ? hands.shell('true') : call);
  };
  return [turn(edit), unlessDone(read), unlessDone(edit)];
}

/** Has the other be in the middle of it with this line, until whoever comes is done with it. */
export async function beside(
  here: Scene,
  program: Program,
  run: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const [edited, done] = [new Moment(), new Moment()];
  const other = here.run(
    program,
    [
      turn(program.hands.read(here.file(path))),
      ...changes(here, program, 3, 'line 03 of the first'),
      async () => {
        edited.come();
        await done.passed;
        return turn(program.hands.shell('git commit -qam first'));
      },
    ],
    { script: 'first' },
  );
  await edited.passed;
  const results = await run();
  done.come();
  await other;
  return results;
}

/** By the newest commit first: whose it is said to be, and the lines it takes away and adds. */
export function commits({ repo }: Scene, count: number): readonly string[] {
  return repo
    .git(
      'log',
      `-${count}`,
      '-p',
      '-U0',
      '--format=%x00%s %(trailers:key=Coord-Agent,valueonly)',
      '--',
      path,
    )
    .split('\0')
    .slice(1)
    .map((one) => {
      const [about = '', ...rest] = one.split('\n');
      const changed = rest.filter((text) => /^[+-](?![+-])/.test(text));
      return [about.replace(/ (\w+)-.*/, ' by $1'), ...changed].join('; ');
    });
}
