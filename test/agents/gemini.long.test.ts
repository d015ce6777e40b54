/**
 * What is special about Gemini CLI: git's hooks are off in its shells, which know of no session; its
 * subagents cannot be told from it; hooks run in trusted folders alone. Needs: agent programs,
 * loopback alone.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executable } from '../support/gate.ts';
import { coordProgram, said } from '../support/repository.ts';
import type { Step } from './model-server.ts';
import { held, message, reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';

const gemini = programNamed('gemini');
const { hands } = gemini;

it('tells the model why an edit is refused, to the letter, and changes nothing', async () => {
  const here = await scene([gemini]);
  reserveAs(here, 'bob', 'a.txt');
  reserveAs(here, 'bob', 'new.txt');
  const { results } = await here.run(gemini, [
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    turn(hands.write(here.file('new.txt'), 'mine\n')),
    turn(hands.write(here.file('free.txt'), 'mine\n')),
  ]);
  const { error } = JSON.parse(results[0] ?? '{}') as { readonly error: string };
  expect(error).toMatch(
    /^Tool execution blocked: coord: a\.txt is held by bob \(\w{8}\) for \w+ \(.*\), expires in \w+\.\nNext: coord reserve --wait 2m -- a\.txt$/,
  );
  expect(results[1]).toMatch(/Tool execution blocked: coord: [^]*bob/);
  expect(content(here, 'a.txt')).toContain('one of a.txt');
  expect(existsSync(here.file('new.txt'))).toBe(false);
  expect(content(here, 'free.txt')).toBe('mine\n');
});

it("commits are guarded by coord's hooks alone, where the program has switched git's off", async () => {
  const here = await scene([gemini]);
  const mark = join(dirname(here.file('.')), 'own-hook-ran');
  executable(here.file('.git/hooks/pre-commit'), `#!/bin/sh\n: > '${mark}'\n`);
  here.repo.text(null, 'install');
  reserveAs(here, 'bob', 'b.txt');
  const { results } = await here.run(gemini, [
    turn(hands.shell(`node -e "fs.appendFileSync('b.txt', 'more')"; git add b.txt`)),
    turn(hands.shell('git commit -m held')),
    turn(hands.shell('git commit --no-verify -m held')),
    turn(hands.shell('git restore --staged b.txt')),
    turn(hands.write(here.file('new.txt'), 'mine\n')),
    turn(hands.shell('git add new.txt && git commit -m free')),
  ]);
  expect(results[1]).toContain('b.txt is held by bob');
  expect(results[2]).toContain('b.txt is held by bob');
  expect(message(here), results.join('\n')).toMatch(/^free Coord-Agent: gemini-\w{8}\b/);
  expect(existsSync(mark)).toBe(false);
});

it('a shell that coord was not let into is of the session all the same', async () => {
  const here = await scene([gemini]);
  here.repo.write('who.mjs', `import(${JSON.stringify(coordProgram)})`);
  const { results } = await here.run(gemini, [
    turn(hands.write(here.file('new.txt'), 'mine\n')),
    async () => {
      const [name = ''] = Object.values(held(here));
      expect(name).toMatch(/^gemini-\w{8}$/);
      return turn(hands.shell(`node who.mjs whoami; : ${name}`));
    },
  ]);
  expect(results[1]).toMatch(/gemini-\w{8} \(/);
  expect(results[1]).not.toContain('modified by a hook');
});

it('a script is let into: what it commits is of the session, and judged', async () => {
  const here = await scene([gemini]);
  reserveAs(here, 'bob', 'b.txt');
  here.repo.write('b.txt', 'unsaved work of bob\n');
  here.repo.write('save.sh', 'git add "$1" && git commit -m by-script\n');
  const { results } = await here.run(gemini, [
    turn(hands.write(here.file('new.txt'), 'mine\n')),
    turn(hands.shell('sh save.sh new.txt')),
    turn(hands.shell('sh save.sh b.txt')),
  ]);
  expect(message(here), results.join('\n')).toMatch(/^by-script Coord-Agent: gemini-/);
  expect(results[2]).toContain('b.txt is held by bob');
});

it('two sessions in one repository are two agents, in their shells too', async () => {
  const here = await scene([gemini]);
  here.repo.write('who.sh', `'${process.execPath}' '${coordProgram}' whoami\n`);
  const steps = [turn(hands.write(here.file('new.txt'), 'mine\n')), turn(hands.shell('sh who.sh'))];
  let isSecondOver = false;
  const first = here.start(
    gemini,
    [
      ...steps,
      async () => {
        const second = await here.run(gemini, steps, { script: 'second' });
        const mine = here.server.heard('first').items.at(-1)?.text ?? '';
        const names = [mine, second.results[1] ?? ''].map((text) => /gemini-\w{8}/.exec(text)?.[0]);
        expect(second.results[0]).toMatch(/Tool execution blocked[^]*gemini-/);
        expect(names[0]).toMatch(/^gemini-/);
        expect(names[1]).toMatch(/^gemini-/);
        expect(names[0]).not.toBe(names[1]);
        isSecondOver = true;
        return turn();
      },
    ],
    { script: 'first' },
  );
  await first.ended;
  here.server.check();
  expect(isSecondOver).toBe(true);
  expect(held(here)).toEqual({});
});

it('a subagent is one agent with its session: hooks are not told of it', async () => {
  const here = await scene([gemini]);
  const ends = turn({ tool: 'complete_task', input: { result: 'done' } });
  const { results } = await here.run(
    gemini,
    [
      turn(hands.write(here.file('new.txt'), 'of the parent\n')),
      turn(hands.task('SCRIPT:child')),
      async () => {
        const { 'new.txt': a, 'other.txt': b } = held(here);
        expect(a).toMatch(/^gemini-\w{8}$/);
        expect(b).toBe(a);
        return turn(hands.write(here.file('other.txt'), 'of the parent too\n'));
      },
    ],
    {
      children: {
        child: [
          turn(hands.write(here.file('new.txt'), 'of the child\n')),
          turn(hands.shell('git add new.txt && git commit -m child')),
          turn(hands.write(here.file('other.txt'), 'of the child\n')),
          ends,
        ],
      },
    },
  );
  expect(results.join('\n')).not.toContain('refused');
  expect(message(here)).toMatch(/^child Coord-Agent: gemini-\w{8} \(/);
  expect(content(here, 'other.txt')).toBe('of the parent too\n');
});

it('a session that goes on is the same agent', async () => {
  const here = await scene([gemini]);
  const names: (string | undefined)[] = [];
  const look: Step = async () => {
    names.push(held(here)['a.txt']);
    return turn();
  };
  const edit = turn(hands.write(here.file('a.txt'), 'mine\n'));
  await here.run(gemini, [edit, look]);
  here.server.set('again', [edit, look]);
  await here.run(gemini, [edit, look], { script: 'again', resumes: true });
  expect(names).toEqual([expect.stringMatching(/^gemini-/), names[0]]);
});

it.each([
  ['SIGINT', true],
  ['SIGTERM', true],
  ['SIGKILL', false],
] as const)('ended by %s', async (signal, frees) => {
  const here = await scene([gemini]);
  const session = here.start(gemini, [
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    async () => {
      expect(Object.keys(held(here))).toEqual(['a.txt']);
      session.child.kill(signal);
      return turn(hands.shell('sleep 20'));
    },
  ]);
  await session.ended;
  here.server.check();
  if (frees) await expect.poll(() => held(here), { timeout: 20_000 }).toEqual({});
  else expect(Object.keys(held(here))).toEqual(['a.txt']);
});

it('a command in a folder of its own is judged from there', async () => {
  const here = await scene([gemini]);
  reserveAs(here, 'bob', 'src/c.txt');
  const { results } = await here.run(gemini, [
    turn({ tool: 'run_shell_command', input: { command: 'rm c.txt', dir_path: 'src' } }),
  ]);
  expect(results.at(-1)).toContain('bob');
  expect(existsSync(here.file('src/c.txt'))).toBe(true);
});

it('a file that a command has changed in spite of its holder is told, and its former content kept', async () => {
  const here = await scene([gemini]);
  reserveAs(here, 'bob', 'a.txt');
  here.repo.write('a.txt', 'unsaved work of bob\n');
  const { results } = await here.run(gemini, [
    turn(hands.shell(`node -e "fs.writeFileSync('a' + '.txt', 'mine')"`)),
  ]);
  expect(results.at(-1)).toMatch(/changed a\.txt, held by bob/);
  expect(here.repo.text(null, 'rescue', 'list').stdout).toMatch(
    /bob .*before a command of gemini-/,
  );
});

describe('in a folder that is not trusted', () => {
  const edits = (here: Scene): readonly Step[] => [turn(hands.write(here.file('a.txt'), 'mine\n'))];
  const doctor = ({ repo, file }: Scene, env: Readonly<Record<string, string>> = {}): string =>
    said(
      repo.top,
      { ...repo.env, HOME: join(dirname(file('.')), 'home-gemini'), ...env },
      ['doctor'],
      [],
    ).stdout;

  it('hooks do not run, and doctor says so; the environment can trust it', async () => {
    const here = await scene([gemini], { untrusted: true });
    reserveAs(here, 'bob', 'a.txt');
    const skipping = {
      ...gemini,
      launch: (...asked: Parameters<typeof gemini.launch>) => {
        const launched = gemini.launch(...asked);
        return { ...launched, args: [...launched.args, '--skip-trust'] };
      },
    };
    const trusting = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const { results } = await here.run(gemini, edits(here), { env: trusting });
    expect(results[0]).toContain('Tool execution blocked');
    expect(doctor(here, trusting)).not.toContain('not in force');
    await here.run(skipping, edits(here));
    expect(content(here, 'a.txt')).toBe('mine\n');
    expect(doctor(here)).toMatch(/gemini.*not in force/);
  });

  it('all is in force once it is trusted', async () => {
    const here = await scene([gemini]);
    expect(doctor(here)).not.toContain('not in force');
  });
});
