/** A unit of work without a shell, from the next one to its end. */
import { describe, expect, test } from 'vitest';
import { gated } from '../support/gated.ts';
import { call, connected } from '../support/mcp-client.ts';
import { withFile } from '../support/tracker.ts';

describe('work by tools', () => {
  test('next, claim, reserve, an edit, verify, gate, done; each is refused before the one it needs', async () => {
    const repo = gated();
    withFile(repo, [
      { id: 'bd-1', priority: 1 },
      { id: 'bd-2', priority: 2 },
    ]);
    repo.git('add', '.beads');
    repo.git('commit', '-q', '-m', 'beads');
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    expect(await call(ann, 'next', { limit: 1 })).toMatchObject({
      isError: false,
      said: { result: 'ready', beads: [{ id: 'bd-1' }], more: 1 },
    });
    expect(await call(ann, 'done', { bead: 'bd-1', noChange: true, reason: 'x' })).toMatchObject({
      isError: true,
      said: { ok: false, next: expect.any(String) },
    });
    expect(await call(ann, 'claim', {})).toMatchObject({ said: { bead: 'bd-1' } });
    await call(ann, 'reserve', { patterns: ['src/a'] });
    expect(await call(ann, 'done', { bead: 'bd-1' })).toMatchObject({
      isError: true,
      said: { code: 'gate', missing: [{ what: 'bead' }] },
    });
    repo.write('src/a', 'two\n');
    repo.git('commit', '-q', '-am', 'a change', '--trailer', 'Bead: bd-1');
    const missing = { code: 'gate', missing: [{ what: 'evidence', command: 'sh test.sh' }] };
    expect(await call(ann, 'gate', {})).toMatchObject({ isError: true, said: missing });
    expect(await call(ann, 'done', { bead: 'bd-1' })).toMatchObject({ said: missing });
    expect(await call(ann, 'verify', { command: ['sh', 'test.sh'] })).toMatchObject({
      isError: false,
      said: { result: 'ran', exit: 0, recorded: true, evidence: { bead: 'bd-1' } },
    });
    expect(await call(ann, 'gate', {})).toMatchObject({
      isError: false,
      said: { result: 'passed', bead: 'bd-1', missing: [] },
    });
    expect(await call(ann, 'done', { bead: 'bd-1' })).toMatchObject({
      isError: false,
      said: { result: 'done', bead: 'bd-1', commit: repo.git('rev-parse', 'HEAD').trim() },
    });
    expect((await call(ann, 'next', {})).said['beads']).toMatchObject([{ id: 'bd-2' }]);
  });

  test('of two clients one has a bead; what failed comes to the other with the reason; bad input is said', async () => {
    const repo = gated();
    withFile(repo, [{ id: 'bd-1' }]);
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { COORD_AGENT: 'bob' }),
    ];
    const came = await Promise.all([call(ann, 'claim', {}), call(bob, 'claim', {})]);
    expect(came.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
    const [winner, other] = came[0]?.isError === false ? [ann, bob] : [bob, ann];
    expect((await call(other, 'next', {})).said).toMatchObject({ result: 'nothing', beads: [] });
    for (const args of [{ bead: 'bd-1' }, { bead: 'bd-1', failed: true }])
      expect(await call(other, 'unclaim', args)).toMatchObject({ isError: true });
    const why = { reason: 'the port is taken', try: 'another port' };
    expect(await call(winner, 'unclaim', { bead: 'bd-1', failed: true, ...why })).toMatchObject({
      isError: false,
      said: { result: 'failed', bead: 'bd-1', failures: 1 },
    });
    expect(await call(other, 'claim', { bead: 'bd-1' })).toMatchObject({
      isError: false,
      said: { failed: [{ reason: why.reason, next: why.try }] },
    });
    expect(await call(other, 'unclaim', { bead: 'bd-1' })).toMatchObject({
      isError: false,
      said: { result: 'released', leases: [{ bead: 'bd-1' }] },
    });
    for (const [name, args, code] of [
      ['gate', { commit: 'nothing' }, 'usage'],
      ['done', { bead: '' }, 'bad_bead'],
      ['done', { bead: 'bd-1', noChange: true }, 'needs_reason'],
      ['unclaim', { bead: '-x y' }, 'bad_bead'],
    ] as const)
      expect([name, await call(ann, name, args)]).toMatchObject([
        name,
        { isError: true, said: { code, next: expect.any(String) } },
      ]);
    for (const [name, args] of [
      ['next', { limit: 0 }],
      ['unclaim', {}],
      ['done', { bead: 7 }],
      ['gate', { commit: null }],
    ] as const)
      expect([name, await call(ann, name, args)]).toMatchObject([name, { isError: true }]);
  });
});
