/**
 * Sessions of agent programs beside each other, and how they end. Needs: agent programs, loopback
 * alone.
 */
import { describe, expect, it } from 'vitest';
import { Moment } from './moment.ts';
import { held } from './others.ts';
import { type Program, programNamed, programs } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';
import { killGroup } from './session.ts';

/** One has a file in hand while the other wants it, and waits for nothing else. */
async function meet(here: Scene, first: Program, second: Program): Promise<string> {
  const [taken, refused] = [new Moment(), new Moment()];
  const one = here.run(
    first,
    [
      turn(first.hands.read(here.file('a.txt'))),
      turn(first.hands.edit(here.file('a.txt'), 'two', 'of the first')),
      async () => {
        taken.come();
        await refused.passed;
        return turn(first.hands.shell('git add a.txt && git commit -qm first'));
      },
    ],
    { script: 'first' },
  );
  await taken.passed;
  const two = here.run(
    second,
    [
      turn(second.hands.read(here.file('a.txt'))),
      turn(second.hands.edit(here.file('a.txt'), 'one of a.txt', 'of the second')),
      turn(second.hands.read(here.file('b.txt'))),
      turn(second.hands.edit(here.file('b.txt'), 'two', 'of the second')),
      turn(second.hands.shell('git add b.txt && git commit -qm second')),
      () => {
        refused.come();
        return Promise.resolve(turn());
      },
    ],
    { script: 'second' },
  );
  const [, { items }] = await Promise.all([one, two]);
  return items.map(({ text }) => text).join('\n');
}

function commits({ repo }: Scene): readonly string[] {
  return repo
    .git('log', '-2', '--format=%x00%s %(trailers:key=Coord-Agent,valueonly)', '--name-only')
    .split('\0')
    .slice(1)
    .map((one) => one.trim().replace(/\s+/g, ' '))
    .sort();
}

describe.each([
  ['claude', 'claude'],
  ['codex', 'codex'],
  ['claude', 'codex'],
  ['codex', 'claude'],
] as const)('%s and %s in one checkout', (one, other) => {
  it('edit lines that touch one after the other, and commit each its own', async () => {
    const [first, second] = [programNamed(one), programNamed(other)];
    const here = await scene(first === second ? [first] : [first, second]);
    const told = await meet(here, first, second);
    expect(told).toMatch(new RegExp(`a\\.txt is shared, .* lines 2, which ${one}-\\w{8}`));
    expect(content(here, 'a.txt')).toBe('one of a.txt\nof the first\n');
    expect(commits(here)).toMatchObject([
      expect.stringMatching(new RegExp(`^first ${one}-.* a\\.txt$`)),
      expect.stringMatching(new RegExp(`^second ${other}-.* b\\.txt$`)),
    ]);
    expect(held(here)).toEqual({});
  });
});

describe.each(
  programs.filter(({ name }) => ['claude', 'codex'].includes(name)),
)('a session of $name', (program) => {
  const { hands } = program;

  it('that goes on is the same agent, and has what it had staged', async () => {
    const here = await scene([program]);
    const name = new Set<string>();
    const look = (): void => Object.values(held(here)).forEach((one) => void name.add(one));
    await here.run(program, [
      turn(hands.read(here.file('a.txt'))),
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      () => {
        look();
        return Promise.resolve(turn(hands.shell('git add a.txt')));
      },
    ]);
    const { results } = await here.run(
      program,
      [
        turn(hands.read(here.file('b.txt'))),
        turn(hands.edit(here.file('b.txt'), 'two', 'three')),
        () => {
          look();
          return Promise.resolve(turn(hands.shell('git add b.txt && git commit -qm both')));
        },
      ],
      { resumes: true, script: 'again' },
    );
    expect([...name]).toHaveLength(1);
    expect(content(here, 'b.txt')).toContain('three');
    expect(here.repo.git('show', '--format=', '--name-only'), results.join('\n')).toContain(
      'b.txt',
    );
  });

  it.each([
    'SIGTERM',
    'SIGKILL',
  ] as const)('that ends by %s leaves nothing held', async (signal) => {
    const here = await scene([program]);
    const reached = new Moment();
    const session = here.start(program, [
      turn(hands.read(here.file('a.txt'))),
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      () => {
        reached.come();
        return new Promise(() => undefined);
      },
    ]);
    await reached.passed;
    expect(Object.keys(held(here))).toEqual(['a.txt']);
    killGroup(session.child, signal);
    await session.ended;
    // Whoever begins next finds what is left of one that was killed.
    await here.run(program, [turn(hands.shell('true'))], { script: 'next' });
    expect(held(here)).toEqual({});
  });
});
