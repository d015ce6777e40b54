/** Subagents, sessions and work trees of Copilot CLI. Needs: agent programs, loopback alone. */
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { held, trailer } from './others.ts';
import { programNamed } from './programs.ts';
import { content, scene, turn } from './scene.ts';

const copilot = programNamed('copilot');
const { hands } = copilot;

describe('subagents', () => {
  it('hold what they edit as children, which is free once they end; parent and child pass each other', async () => {
    const here = await scene([copilot]);
    let before: Readonly<Record<string, string>> = {};
    let after: Readonly<Record<string, string>> = {};
    const { results } = await here.run(
      copilot,
      [
        turn(hands.edit(here.file('a.txt'), 'two', 'three')),
        turn(hands.task('SCRIPT:child')),
        async () => {
          after = held(here);
          return turn(hands.edit(here.file('b.txt'), 'one', 'again'));
        },
      ],
      {
        children: {
          child: [
            turn(hands.edit(here.file('a.txt'), 'three', 'four')),
            turn(hands.edit(here.file('b.txt'), 'two', 'three')),
            async () => {
              before = held(here);
              return turn(hands.shell('git add b.txt && git commit -qm child'));
            },
          ],
        },
      },
    );
    expect(content(here, 'a.txt'), results.join('\n')).toContain('four');
    expect(content(here, 'b.txt')).toContain('again');
    expect(before['b.txt']).toMatch(/copilot-\w{8}\/\w{8}$/);
    expect(Object.keys(after)).toEqual(['a.txt']);
    expect(trailer(here)).toMatch(/^copilot-\w{8}\/\w{8}$/);
    const { items } = here.server.heard('child');
    expect(items.map(({ text }) => text).join('\n')).toMatch(/you are copilot-\w{8}\/\w{8}/);
  });

  it('stand in the way of each other, and are told by name', async () => {
    const here = await scene([copilot]);
    const background = (prompt: string, name: string) => {
      const { tool, input } = hands.task(prompt);
      return { tool, input: { ...(input as object), name, mode: 'sync' } };
    };
    let taken: () => void = () => undefined;
    const isTaken = new Promise<void>((done) => {
      taken = done;
    });
    let refused: () => void = () => undefined;
    const isRefused = new Promise<void>((done) => {
      refused = done;
    });
    const pair = turn(background('SCRIPT:one', 'one'), background('SCRIPT:two', 'two'));
    await here.run(copilot, [pair], {
      children: {
        one: [
          turn(hands.edit(here.file('a.txt'), 'two', 'three')),
          async () => {
            taken();
            await isRefused;
            return turn(hands.shell('true'));
          },
        ],
        two: [
          async () => {
            await isTaken;
            return turn(hands.edit(here.file('a.txt'), 'one', 'mine'));
          },
          async () => {
            refused();
            return turn(hands.shell('true'));
          },
        ],
      },
    });
    const told = here.server.heard('two').items.find(({ text }) => text.startsWith('Denied'));
    expect(told?.text).toMatch(/a\.txt[^]*copilot-\w{8}\/\w{8}/);
    expect(content(here, 'a.txt')).not.toContain('mine');
  });

  it('have subagents that are children of theirs', async () => {
    const here = await scene([copilot]);
    let before: Readonly<Record<string, string>> = {};
    await here.run(copilot, [turn(hands.task('SCRIPT:child'))], {
      children: {
        child: [
          turn(hands.edit(here.file('a.txt'), 'two', 'three')),
          turn(hands.task('SCRIPT:grandchild')),
        ],
        grandchild: [
          turn(hands.edit(here.file('a.txt'), 'three', 'four')),
          turn(hands.edit(here.file('b.txt'), 'two', 'three')),
          async () => {
            before = held(here);
            return turn(hands.shell('true'));
          },
        ],
      },
    });
    expect(before['b.txt']).toMatch(/^copilot-\w{8}\/\w{8}\/\w{8}$/);
    expect(content(here, 'a.txt')).toContain('four');
    expect(held(here)).toEqual({});
  });
});

describe('sessions', () => {
  it('of one file: the second is refused it, by the name of the first', async () => {
    const here = await scene([copilot]);
    let taken: () => void = () => undefined;
    const isTaken = new Promise<void>((done) => {
      taken = done;
    });
    let over: () => void = () => undefined;
    const isOver = new Promise<void>((done) => {
      over = done;
    });
    const first = here.run(copilot, [
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      async () => {
        taken();
        await isOver;
        return turn(hands.shell('true'));
      },
    ]);
    await isTaken;
    const { results } = await here.run(
      copilot,
      [turn(hands.edit(here.file('a.txt'), 'one', 'mine'))],
      { script: 'second' },
    );
    over();
    await first;
    expect(results.at(-1)).toMatch(/^Denied by preToolUse hook: coord: [^]*copilot-\w{8}/);
    expect(content(here, 'a.txt')).not.toContain('mine');
  });

  it('that go on are the same agent, also after SIGKILL, and SIGTERM frees what they hold', async () => {
    const here = await scene([copilot]);
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((done) => {
      begun = done;
    });
    const waits = () => new Promise<never>(() => undefined);
    const killed = here.start(copilot, [
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      async () => {
        begun();
        return waits();
      },
    ]);
    await hasBegun;
    killed.child.kill('SIGKILL');
    await killed.ended;
    const before = held(here);
    expect(before).toEqual({ 'a.txt': expect.stringMatching(/^copilot-\w{8}$/) });
    let again: () => void = () => undefined;
    const isAgain = new Promise<void>((done) => {
      again = done;
    });
    const resumed = here.start(
      copilot,
      [
        turn(hands.edit(here.file('a.txt'), 'three', 'four')),
        async () => {
          again();
          return waits();
        },
      ],
      { resumes: true, script: 'resumed' },
    );
    await isAgain;
    expect(content(here, 'a.txt')).toContain('four');
    expect(held(here)).toEqual(before);
    resumed.child.kill('SIGTERM');
    await resumed.ended;
    // Its hook outlives it.
    await expect.poll(() => held(here), { timeout: 20_000 }).toEqual({});
    expect(new Set(here.repo.text(null, 'log').stdout.match(/copilot-\w{8}/g)).size).toBe(1);
  });
});

it('killed, holds nothing against the next session', async () => {
  const here = await scene([copilot]);
  let begun: () => void = () => undefined;
  const hasBegun = new Promise<void>((done) => {
    begun = done;
  });
  const session = here.start(copilot, [
    turn(hands.edit(here.file('a.txt'), 'two', 'three')),
    async () => {
      begun();
      return new Promise<never>(() => undefined);
    },
  ]);
  await hasBegun;
  session.child.kill('SIGKILL');
  await session.ended;
  const before = held(here);
  expect(before).toEqual({ 'a.txt': expect.stringMatching(/^copilot-\w{8}$/) });
  const next = [turn(hands.edit(here.file('a.txt'), 'one', 'mine'))];
  await here.run(copilot, next, { script: 'next' });
  expect(content(here, 'a.txt')).toContain('mine');
});

it('works in a linked work tree of a bare repository, under the configuration of git that it sets', async () => {
  const here = await scene([copilot]);
  const top = here.file('.');
  const bare = join(dirname(top), 'bare.git');
  const linked = join(dirname(top), 'linked');
  here.repo.git('clone', '-q', '--bare', top, bare);
  here.repo.git('-C', bare, 'worktree', 'add', '-q', linked, 'HEAD');
  const { results } = await here.run(copilot, [
    turn(
      hands.shell(
        `cd '${linked}' && git config user.name T && git config user.email t@example.invalid && echo x > a.txt && git add a.txt && git commit -qm linked && git log -1 --format='%s %(trailers)'`,
      ),
    ),
  ]);
  expect(results.at(-1)).toContain('linked');
});
