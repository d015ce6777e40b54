/** Every order of steps, each once; and one order from a seed. */
import { describe, expect, test } from 'vitest';
import {
  type Chooser,
  type Effect,
  EveryChoice,
  type Explored,
  explore,
  Schedule,
  type ScheduleOptions,
  seededChooser,
} from '../../src/study/schedule.ts';
import { seeded } from '../support/world.ts';

function everySequence(run: (choices: Chooser) => readonly number[]): readonly string[] {
  const every = new EveryChoice();
  const found: string[] = [];
  while (every.more()) found.push(run(every).join(''));
  return found;
}

describe('the enumerating chooser', () => {
  test('two choices out of 2 and 3: all six, in order, each once', () => {
    expect(everySequence((choices) => [choices.choose(2), choices.choose(3)])).toEqual([
      '00',
      '01',
      '02',
      '10',
      '11',
      '12',
    ]);
  });

  test('a second choice that only the first one leads to: as deep as each run goes', () => {
    expect(
      everySequence((choices) => (choices.choose(2) === 0 ? [0] : [1, choices.choose(2)])),
    ).toEqual(['0', '10', '11']);
  });

  test('no choice at all: one run', () => {
    expect(everySequence(() => [])).toEqual(['']);
  });

  test('a run that does not come to the same choices again: an assertion, not a short search', () => {
    let runs = 0;
    expect(() =>
      everySequence((choices) => [choices.choose((runs += 1) === 2 ? 3 : 2), choices.choose(2)]),
    ).toThrow('comes to the same choices');
  });
});

describe('the seeded chooser', () => {
  test('one seed: the same choices twice, all within bounds', () => {
    const draw = (): number[] => {
      const chooser = seededChooser(seeded(7));
      return Array.from({ length: 500 }, () => chooser.choose(5));
    };
    expect(draw()).toEqual(draw());
    expect(new Set(draw())).toEqual(new Set([0, 1, 2, 3, 4]));
  });
});

/**
 * Agents that add 1 to one number: each reads it, and writes what it read plus 1 if nobody was
 * faster.
 */
async function adding(
  agents: number,
  options: ScheduleOptions & { readonly heedless?: boolean; readonly says?: Effect },
): Promise<Explored & { readonly ends: readonly string[] }> {
  const ends = new Set<string>();
  const explored = await explore(async (choices) => {
    let value = 0;
    const told: string[] = [];
    const schedule = new Schedule(choices, options);
    for (let i = 0; i < agents; i += 1) {
      schedule.start(`agent ${i}`, async (gate) => {
        const read = await gate.hold(
          'read',
          () => 'reads',
          async () => value,
        );
        const won = await gate.hold(
          'write',
          () => options.says ?? 'writes',
          async () => {
            if (value !== read && options.heedless !== true) return false;
            value = read + 1;
            return true;
          },
        );
        told.push(`${i} ${won ? 'wrote' : 'lost'}`);
        await gate.hold(
          'read',
          () => 'reads',
          async () => value,
        );
      });
    }
    const end = await schedule.run();
    if (end === 'complete') ends.add(`${value}: ${told.sort().join(', ')}`);
    return end;
  });
  return { ...explored, ends: [...ends].sort() };
}

describe('the schedule', () => {
  test.for([
    [1, 1],
    [2, 20],
    [3, 1_680],
  ] as const)('%i agents of three steps: all %i orders', async ([agents, orders]) => {
    expect(await adding(agents, {})).toMatchObject({ complete: orders, redundant: 0 });
  });

  test('3 agents, orders that cannot differ left out: every ending of the whole search, in far fewer runs', async () => {
    const whole = await adding(3, {});
    const reduced = await adding(3, { reduce: true });
    expect(reduced.ends).toEqual(whole.ends);
    expect(reduced.complete).toBeLessThan(whole.complete / 4);
  });

  test('a write that passes for a read: the reduced search misses endings, so the comparison above can fail', async () => {
    expect((await adding(2, { reduce: true, says: 'reads' })).ends).not.toEqual(
      (await adding(2, {})).ends,
    );
  });

  test('2 agents who write without looking again: the lost update is found', async () => {
    expect((await adding(2, { heedless: true })).ends).toContain('1: 0 wrote, 1 wrote');
    expect((await adding(2, {})).ends).not.toContain('1: 0 wrote, 1 wrote');
  });

  test('an agent that dies in a step: it never goes on, the others do, and the trace tells it', async () => {
    const done: string[] = [];
    const schedule = new Schedule(seededChooser(() => 0));
    schedule.start('ann', async (gate) => {
      await gate.hold(
        'one',
        () => 'reads',
        async () => {
          gate.note('crash');
          return gate.die();
        },
      );
      done.push('ann');
    });
    schedule.start('bob', async (gate) => {
      await gate.hold(
        'two',
        () => 'reads',
        async () => 2,
      );
      done.push('bob');
    });
    expect(await schedule.run()).toBe('complete');
    expect(done).toEqual(['bob']);
    expect(schedule.trace()).toBe('   1  ann: one (crash)\n   2  bob: two');
  });

  test('an agent that is killed while it is held, and one that is started in its place: only the new one ends', async () => {
    const done: string[] = [];
    let steps = 0;
    const life =
      (name: string) =>
      async (gate: {
        hold: <T>(label: string, effect: () => Effect, call: () => Promise<T>) => Promise<T>;
      }): Promise<void> => {
        await gate.hold(
          'step',
          () => 'reads',
          async () => 1,
        );
        await gate.hold(
          'step',
          () => 'reads',
          async () => 2,
        );
        done.push(name);
      };
    const schedule: Schedule = new Schedule(
      seededChooser(() => 0),
      {
        between: () => {
          steps += 1;
          if (steps !== 2) return;
          schedule.kill('ann');
          schedule.start('ann', life('second'));
        },
      },
    );
    schedule.start('ann', life('first'));
    await schedule.run();
    expect(done).toEqual(['second']);
  });

  test('an agent that throws: the run fails with its error', async () => {
    const schedule = new Schedule(seededChooser(() => 0));
    schedule.start('ann', async () => Promise.reject(new Error('a mistake')));
    await expect(schedule.run()).rejects.toThrow('a mistake');
  });
});
