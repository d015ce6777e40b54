/** Hand-over by asking: windows, pins and ends, in a world whose clock is set by hand. */
import { describe, expect, test } from 'vitest';
import { decideActive } from '../../src/core/decide/renew.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { stayActive } from '../../src/loop/activity.ts';
import {
  answer,
  ask,
  breakLease,
  claim,
  endSession,
  release,
  renew,
  reserve,
  transfer,
  whoami,
} from '../../src/loop/coord.ts';
import { operate } from '../../src/loop/operate.ts';
import type { Report } from '../../src/render/report.ts';
import { messagesIn } from '../../src/show/inbox.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

const minute = 60_000;

interface Team {
  readonly ann: TestWorld;
  readonly bob: TestWorld;
  readonly eve: TestWorld;
  readonly clock: HandClock;
  readonly log: MemoryLog;
  readonly lease: string;
}

/** Ann holds a file and is at work; bob and eve would like it. */
async function team(): Promise<Team> {
  const log = new MemoryLog();
  const clock = new HandClock();
  const world = (name: string, seed: number): TestWorld =>
    worldOf(name, new MemoryLogStore(log), clock, seed);
  const [ann, bob, eve] = [world('ann', 1), world('bob', 2), world('eve', 3)];
  const granted = await reserve(ann, ['src/a'], {});
  for (const other of [bob, eve]) await whoami(other);
  return { ann, bob, eve, clock, log, lease: leasesOf(granted)[0] ?? '' };
}

const leasesOf = ({ facts }: Report): readonly string[] =>
  ((facts['leases'] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
const kindOf = ({ facts, result }: Report): unknown =>
  (facts['refusal'] as { readonly kind?: string } | undefined)?.kind ?? result;
const requestOf = ({ facts }: Report): string => (facts['request'] as { readonly id: string }).id;

/** The agent works on, minute by minute. */
async function works(world: TestWorld, minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i += 1) {
    world.clock.pass(minute);
    expect((await renew(world, [], undefined, [])).ok).toBe(true);
  }
}

async function state({
  bob,
}: Team): Promise<Awaited<ReturnType<TestWorld['store']['observe']>>['state']> {
  return (await bob.store.observe()).state;
}

function told(t: Team, name: string): readonly string[] {
  const entries = t.log.entries.map(({ logged }) => logged);
  const agent = entries
    .flatMap(({ events }) =>
      events.flatMap((event) => [event.agent, ...(event.by === undefined ? [] : [event.by])]),
    )
    .find((one) => one.name === name);
  return agent === undefined ? [] : messagesIn(entries, agent).map(({ text }) => text);
}

describe('a request for a lease', () => {
  test("accepted, it is the asker's in the same operation, under a new token, and both have been told", async () => {
    const t = await team();
    const asked = await ask(t.bob, t.lease, 'the release waits', false);
    expect(told(t, 'ann')).toEqual([
      expect.stringMatching(
        /^bob \(\w{8}\) asks you for src\/a: the release waits; answer it: coord answer/,
      ),
    ]);
    const before = t.log.entries.length;
    expect(await answer(t.ann, requestOf(asked), 'accept', {})).toMatchObject({
      ok: true,
      result: 'answered',
    });
    expect(t.log.entries.length).toBe(before + 1);
    const { leases, requests } = await state(t);
    expect([...leases.values()].map(({ agent, token }) => [agent.name, token])).toEqual([
      ['bob', before + 1],
    ]);
    expect(requests.size).toBe(0);
    expect(told(t, 'bob')).toEqual([
      expect.stringContaining('gives up src/a'),
      expect.stringContaining('has given you src/a'),
    ]);
  });

  test('accepted with release, it is free', async () => {
    const t = await team();
    await ask(t.bob, t.lease, 'why', false);
    await answer(t.ann, t.lease, 'accept', { frees: true });
    expect((await state(t)).leases.size).toBe(0);
  });

  test('asked twice it is one request; only its holder answers it, and nobody asks for what is their own', async () => {
    const t = await team();
    const [first, second] = [
      await ask(t.bob, t.lease, 'why', false),
      await ask(t.bob, t.lease, 'why', false),
    ];
    expect(requestOf(first)).toBe(requestOf(second));
    expect((await state(t)).requests.size).toBe(1);
    expect(kindOf(await answer(t.eve, requestOf(first), 'accept', {}))).toBe('not_owner');
    expect(kindOf(await answer(t.bob, requestOf(first), 'accept', {}))).toBe('not_owner');
    expect(kindOf(await ask(t.ann, t.lease, 'why', false))).toBe('own_lease');
    expect(kindOf(await ask(t.bob, 'zzzzzzzz', 'why', false))).toBe('no_such_lease');
    expect(kindOf(await answer(t.ann, 'zzzzzzzz', 'decline', {}))).toBe('no_such_request');
    await expect(ask(t.bob, t.lease, '', false)).rejects.toMatchObject({ code: 'needs_reason' });
    await expect(answer(t.ann, t.lease, 'defer', {})).rejects.toMatchObject({ code: 'usage' });
    await expect(answer(t.ann, t.lease, 'defer', { etaMs: 2 * 60 * minute })).rejects.toMatchObject(
      { code: 'bad_duration' },
    );
  });

  test.for<readonly [string, (t: Team) => Promise<unknown>]>([
    ['released', (t) => release(t.ann, { by: 'all' })],
    ['given to a third', (t) => transfer(t.ann, { by: 'all' }, 'eve', '')],
    ['ended with its holder', (t) => endSession(t.ann)],
    [
      'run out and taken',
      async (t) => {
        t.clock.pass(20 * minute);
        await reserve(t.eve, ['src/a'], {});
      },
    ],
  ])('ends by itself, once, when the lease is %s', async ([, end]) => {
    const t = await team();
    const asked = await ask(t.bob, t.lease, 'why', false);
    await end(t);
    expect((await state(t)).requests.size).toBe(0);
    const ends = t.log.entries
      .flatMap(({ logged }) => logged.events)
      .filter(({ event }) => event === 'request-closed' || event === 'answered');
    expect(ends).toEqual([
      expect.objectContaining({ event: 'request-closed', request: requestOf(asked) }),
    ]);
    expect(kindOf(await answer(t.ann, requestOf(asked), 'accept', {}))).not.toBe('answered');
  });

  test('an answer to a grant that is gone moves nothing that came after', async () => {
    const t = await team();
    const asked = await ask(t.bob, t.lease, 'why', false);
    t.clock.pass(18 * minute);
    // It has run out, and nobody has taken it: the request still stands there.
    expect(kindOf(await answer(t.ann, requestOf(asked), 'accept', {}))).toBe('lease_changed');
    expect([...(await state(t)).leases.values()].map(({ agent }) => agent.name)).toEqual(['ann']);
  });
});

describe('breaking a lease', () => {
  test('is refused while its holder is at work, and says when and what first', async () => {
    const t = await team();
    await works(t.ann, 3);
    const refused = await breakLease(t.bob, t.lease, 'mine');
    expect(kindOf(refused)).toBe('too_early');
    expect(refused.facts['next']).toBe(`coord ask ${t.lease} --reason '<why>'`);
  });

  test('is allowed once its holder has shown no activity for five minutes, not before', async () => {
    const t = await team();
    t.clock.pass(5 * minute - 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('too_early');
    t.clock.pass(1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('broken');
  });

  test.for([
    [false, 10],
    [true, 5],
  ] as const)(
    'urgent %s: ten or five minutes after a request that nobody answered, by who asked',
    async ([urgent, minutes]) => {
      const t = await team();
      await ask(t.bob, t.lease, 'why', urgent);
      await works(t.ann, minutes - 1);
      expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('too_early');
      await works(t.ann, 1);
      expect(kindOf(await breakLease(t.eve, t.lease, 'no answer'))).toBe('too_early');
      expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('broken');
    },
  );

  test('a promise holds although its holder is not seen meanwhile', async () => {
    const t = await team();
    await answer(t.ann, requestOf(await ask(t.bob, t.lease, 'why', true)), 'defer', {
      etaMs: 10 * minute,
    });
    t.clock.pass(10 * minute - 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('too_early');
    t.clock.pass(1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('broken');
  });

  test('a promise holds until its time, a refusal for good', async () => {
    const t = await team();
    const asked = await ask(t.bob, t.lease, 'why', false);
    await answer(t.ann, requestOf(asked), 'defer', { etaMs: 12 * minute });
    await works(t.ann, 11);
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('too_early');
    await works(t.ann, 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('broken');
    const u = await team();
    await answer(u.ann, requestOf(await ask(u.bob, u.lease, 'why', false)), 'decline', {
      reason: 'in the middle of it',
    });
    await works(u.ann, 12);
    expect(kindOf(await breakLease(u.bob, u.lease, 'no answer'))).toBe('too_early');
    expect(told(u, 'bob')).toEqual([expect.stringContaining('keeps src/a: in the middle of it')]);
  });
});

describe('a claim that stalls', () => {
  test('SYS-5: after an hour without file activity it is shown and may be taken, with a word to its holder; before that it may not', async () => {
    const t = await team();
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 60);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await works(t.ann, 1);
    expect(kindOf(await claim(t.bob, 'bd-1', {}))).toBe('held');
    expect(await claim(t.bob, 'bd-1', { take: true, reason: 'it has to go on' })).toMatchObject({
      ok: true,
    });
    expect(told(t, 'ann').at(-1)).toMatch(
      /^you had stalled, and bob \(\w{8}\) has taken bead bd-1 over: it has to go on/,
    );
  });

  test('edits keep it going, also those of a child; other calls do not', async () => {
    const t = await team();
    const kid = worldOf('ann/kid', new MemoryLogStore(t.log), t.clock, 9);
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 40);
    await reserve(kid, ['src/b'], { edited: true });
    await release(kid, { by: 'all' });
    await works(t.ann, 40);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await works(t.ann, 21);
    expect(await claim(t.bob, 'bd-1', { take: true })).toMatchObject({ ok: true });
  });

  test('[U7] commits and moves of a stage keep it going', async () => {
    const t = await team();
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 40);
    t.clock.pass(minute);
    await stayActive(t.ann, true);
    await works(t.ann, 59);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await stayActive(t.ann, false);
    await works(t.ann, 2);
    expect(await claim(t.bob, 'bd-1', { take: true })).toMatchObject({ ok: true });
  });

  test('an agent works on eight beads at most', async () => {
    const t = await team();
    for (let i = 0; i < 8; i += 1) expect((await claim(t.bob, `bd-${i}`, {})).ok).toBe(true);
    expect((await claim(t.bob, 'bd-8', {})).facts['refusal']).toMatchObject({
      kind: 'cap',
      scope: 'claims',
    });
  });
});

describe('activity of any kind', () => {
  test('renews what an agent holds, and what its parent holds while it works; at most once a minute, and writes nothing else', async () => {
    const t = await team();
    const kid = worldOf('ann/kid', new MemoryLogStore(t.log), t.clock, 9);
    await reserve(kid, ['src/k'], {});
    const entries = t.log.entries.length;
    const isHere = (world: TestWorld): Promise<unknown> =>
      operate(world, (now, c) => decideActive(world.caller(), now, c));
    await isHere(kid);
    expect(t.log.entries.length).toBe(entries);
    for (let i = 0; i < 40; i += 1) {
      t.clock.pass(minute);
      await isHere(kid);
    }
    expect(t.log.entries.length).toBe(entries + 40);
    expect(kindOf(await reserve(t.bob, ['src/a'], {}))).toBe('held');
    t.clock.pass(18 * minute);
    expect(kindOf(await reserve(t.bob, ['src/a'], {}))).toBe('granted');
  });
});
