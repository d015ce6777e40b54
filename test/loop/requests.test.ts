/** Hand-over by asking: windows, pins and ends, in a world whose clock is set by hand. */
import { describe, expect, test } from 'vitest';
import { answer, ask, endSession, release, reserve, transfer } from '../support/rendered.ts';
import type { TestWorld } from '../support/world.ts';
import { kindOf, minute, requestOf, type Team, team, told } from './team.ts';

async function state({
  bob,
}: Team): Promise<Awaited<ReturnType<TestWorld['store']['observe']>>['state']> {
  return (await bob.store.observe()).state;
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
