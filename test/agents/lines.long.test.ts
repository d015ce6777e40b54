/**
 * Sessions that change one file at once, each its own lines. Needs: agent programs, loopback alone.
 */
import { describe, expect, it } from 'vitest';
import { patch } from './codex-program.ts';
import type { Step } from './model-server.ts';
import { Moment, Order } from './moment.ts';
import { withModel } from './opencode-server.ts';
import { agents, held } from './others.ts';
import { type Program, programNamed } from './programs.ts';
import { turn } from './scene.ts';
import { beside, changes, commits, line, path, sharedScene } from './shared-file.ts';

describe.each([
  ['claude', 'claude'],
  ['claude', 'codex'],
  ['codex', 'claude'],
  ['codex', 'codex'],
  ['claude', 'gemini'],
  ['claude', 'opencode'],
  ['claude', 'kilo'],
  ['claude', 'copilot'],
  ['copilot', 'copilot'],
  ['claude', 'qwen'],
] as const)('%s and %s in one file', (one, other) => {
  it('commit each exactly its own lines', async () => {
    const [first, second] = [programNamed(one), programNamed(other)];
    const here = await sharedScene(first, second);
    const order = new Order();
    const then =
      (come: string, wait: string, next: () => ReturnType<typeof turn>): Step =>
      async () => {
        order.come(come);
        await order.passed(wait);
        return next();
      };
    const commit = (program: Program, command: string) => () => turn(program.hands.shell(command));
    const added = (message: string): string => `git add ${path} && git commit -qm ${message}`;
    const [a, ...more] = changes(here, first, 3, 'line 03 of the first');
    const [b, ...rest] = changes(here, second, 12, 'line 12 of the second');
    const edits = (step: Step | undefined): (() => ReturnType<typeof turn>) => {
      return () => step as ReturnType<typeof turn>;
    };
    const [c, ...later] = changes(here, first, 5, 'line 05 of the first');
    const [d, ...last] = changes(here, second, 14, 'line 14 of the second');
    const [, { results }] = await Promise.all([
      here.run(
        first,
        [
          turn(first.hands.read(here.file(path))),
          then('first has read', 'second has read', edits(a)),
          ...more,
          then('first has edited', 'second has edited', commit(first, 'git commit -qam first')),
          then('first has committed', 'second has committed', edits(c)),
          ...later,
          then('first is ready', 'second is done', commit(first, added('first'))),
        ],
        { script: 'first' },
      ),
      here.run(
        second,
        [
          turn(second.hands.read(here.file(path))),
          then('second has read', 'first has edited', edits(b)),
          ...rest,
          then(
            'second has edited',
            'first has committed',
            commit(second, 'git commit -qam second'),
          ),
          then('second has committed', 'first is ready', edits(d)),
          ...last,
          commit(second, added('second'))(),
          then('second is done', 'second is done', () => turn()),
        ],
        { script: 'second' },
      ),
    ]);
    expect(commits(here, 4), results.join('\n')).toEqual([
      `first by ${one}; -line 05; +line 05 of the first`,
      `second by ${other}; -line 14; +line 14 of the second`,
      `second by ${other}; -line 12; +line 12 of the second`,
      `first by ${one}; -line 03; +line 03 of the first`,
    ]);
    expect(here.repo.git('status', '--short', '--', path)).toBe('');
    expect(held(here)).toEqual({});
  });
});

describe.each([
  ['claude', 'claude'],
  ['claude', 'codex'],
  ['codex', 'claude'],
  ['claude', 'gemini'],
  ['claude', 'opencode'],
  ['claude', 'copilot'],
  ['claude', 'qwen'],
] as const)('what %s has in hand', (one, other) => {
  it(`is refused to ${other}, with whose lines they are; others are free`, async () => {
    const [first, second] = [programNamed(one), programNamed(other)];
    const here = await sharedScene(first, second);
    const { hands } = second;
    const results = await beside(here, first, async () => {
      const told = await here.run(
        second,
        [
          turn(hands.read(here.file(path))),
          turn(hands.edit(here.file(path), 'line 04', 'line 04 of the second')),
          turn(hands.edit(here.file(path), 'line 03 of the first', 'line 03 of the second')),
          ...changes(here, second, 6, 'line 06 of the second'),
          turn(hands.shell('git commit -qam second')),
        ],
        { script: 'second' },
      );
      return told.results;
    });
    for (const said of results.slice(1, 3))
      expect(said).toMatch(
        new RegExp(`shared\\.txt is shared, .* lines 3, which ${one}-\\w{8} [^]*Next: `),
      );
    expect(commits(here, 2), results.join('\n')).toEqual([
      `first by ${one}; -line 03; +line 03 of the first`,
      `second by ${other}; -line 06; +line 06 of the second`,
    ]);
  });
});

describe.each(['claude', 'codex', 'opencode', 'copilot', 'qwen'])('%s', (name) => {
  const program = programNamed(name);
  const { hands } = program;

  it('goes on with the lines that it had in hand', async () => {
    const here = await sharedScene(program, programNamed('claude'));
    const results = await beside(here, programNamed('claude'), async () => {
      const edits = (number: number): readonly Step[] => [
        turn(hands.read(here.file(path))),
        ...changes(here, program, number, `${line(number)} of the second`),
      ];
      await here.run(program, edits(12), { script: 'second' });
      const again = [...edits(14), turn(hands.shell('git commit -qam second'))];
      const told = await here.run(program, again, { script: 'again', resumes: true });
      return told.results;
    });
    expect(commits(here, 2), results.join('\n')).toEqual([
      'first by claude; -line 03; +line 03 of the first',
      `second by ${name}; -line 12; +line 12 of the second; -line 14; +line 14 of the second`,
    ]);
  });
});

describe.each(['claude', 'copilot', 'opencode'])('a subagent of %s', (name) => {
  const program = programNamed(name);
  const { hands } = program;

  it('is beside its parent in one file, and goes on with what is in its way', async () => {
    const here = await sharedScene(program);
    const edited = new Moment();
    const child: readonly Step[] = [
      turn(hands.read(here.file(path))),
      turn(hands.edit(here.file(path), 'line 12', 'line 12 of the child')),
      turn(hands.shell('git commit -qam child')),
      turn(hands.edit(here.file(path), 'line 03 of the parent', 'line 03 of both')),
      async () => {
        edited.come();
        return turn();
      },
    ];
    // Some programs go on at once.
    const afterIt: Step = async () => {
      await edited.passed;
      const children = () => agents(here).filter((one) => one.includes('/'));
      await expect.poll(children, { timeout: 20_000 }).toEqual([]);
      return turn(hands.shell('git commit -qam parent'));
    };
    const { results } = await here.run(
      program,
      [
        turn(hands.read(here.file(path))),
        turn(hands.edit(here.file(path), 'line 03', 'line 03 of the parent')),
        turn(hands.task('SCRIPT:child go on')),
        afterIt,
      ],
      { children: { child } },
    );
    expect(commits(here, 2), results.join('\n')).toEqual([
      `parent by ${name}; -line 03; +line 03 of both`,
      `child by ${name}; -line 12; +line 12 of the child`,
    ]);
  });
});

it.each(['claude', 'copilot', 'qwen'])('%s takes a line away by its text alone', async (name) => {
  const program = programNamed(name);
  const { hands } = program;
  const here = await sharedScene(program, programNamed('claude'));
  const results = await beside(here, programNamed('claude'), async () => {
    const told = await here.run(
      program,
      [
        turn(hands.read(here.file(path))),
        turn(hands.edit(here.file(path), 'line 12', '')),
        turn(hands.shell('git commit -qam second')),
      ],
      { script: 'second' },
    );
    return told.results;
  });
  expect(commits(here, 2), results.join('\n')).toEqual([
    'first by claude; -line 03; +line 03 of the first',
    `second by ${name}; -line 12`,
  ]);
});

it('opencode changes lines by a patch', async () => {
  const opencode = programNamed('opencode');
  const here = await sharedScene(opencode, programNamed('claude'));
  const results = await beside(here, programNamed('claude'), async () => {
    const told = await here.run(
      opencode,
      [
        turn({
          tool: 'apply_patch',
          input: { patchText: patch(path, 'line 12', 'line 12 of the second') },
        }),
        turn(opencode.hands.shell('git commit -qam second')),
      ],
      { script: 'second', env: withModel(here, 'gpt-5') },
    );
    return told.results;
  });
  expect(commits(here, 2), results.join('\n')).toEqual([
    'first by claude; -line 03; +line 03 of the first',
    'second by opencode; -line 12; +line 12 of the second',
  ]);
});
