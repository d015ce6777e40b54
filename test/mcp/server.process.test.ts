/**
 * The server as clients use it: the official client for both eras of the protocol, over standard
 * input and output.
 */
import { describe, expect, test } from 'vitest';
import { call, connected } from '../support/mcp-client.ts';
import { raiseLog } from '../support/newer-log.ts';
import { checkout } from '../support/sessions.ts';

/** Every tool says what it takes, what it gives and what it may do. */
async function isDescribed(client: Awaited<ReturnType<typeof connected>>): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'reserve',
    'wait',
    'release',
    'check',
    'ask',
    'answer',
    'inbox',
    'verify',
    'commit',
    'next',
    'claim',
    'unclaim',
    'gate',
    'done',
    'status',
  ]);
  // A model reads them in every session.
  const words = tools.map(({ name, title, description, inputSchema, outputSchema }) =>
    JSON.stringify({ name, title, description, inputSchema, outputSchema }),
  );
  expect(words.join('').length).toBeLessThan(10_000);
  for (const { annotations, inputSchema, outputSchema, description } of tools) {
    expect(typeof annotations?.readOnlyHint).toBe('boolean');
    expect(typeof annotations?.destructiveHint).toBe('boolean');
    expect(typeof annotations?.idempotentHint).toBe('boolean');
    expect(typeof annotations?.openWorldHint).toBe('boolean');
    expect(inputSchema.type).toBe('object');
    expect(outputSchema?.['type']).toBe('object');
    expect((description ?? '').length).toBeLessThan(180);
    expect((description ?? '').match(/[.?](?= |$)/g)?.length).toBeLessThanOrEqual(2);
  }
}

/** One ordinary call of every tool. */
const ordinaryTools: Readonly<Record<string, Record<string, unknown>>> = {
  reserve: { patterns: ['src/b'] },
  wait: { patterns: ['src/b'], waitSeconds: 1 },
  release: { all: true },
  check: { patterns: ['src/b'] },
  ask: { lease: 'abcdefgh', reason: 'please' },
  answer: { request: 'abcdefgh', verdict: 'accept' },
  inbox: {},
  verify: { command: ['true'] },
  commit: { message: 'x' },
  next: {},
  claim: { bead: 'bd-1' },
  unclaim: { bead: 'bd-1' },
  gate: {},
  done: { bead: 'bd-1' },
  status: {},
};

describe('coord mcp', () => {
  test('tools have schemas and all hints; two sessions reserve, are refused, wait and release; resources show it', async () => {
    const repo = checkout();
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { CLAUDE_CODE_SESSION_ID: '0a1b2c3d-1111' }),
    ];
    await isDescribed(ann);
    expect(await call(ann, 'reserve', { patterns: ['src/a'], reason: 'fix' })).toMatchObject({
      isError: false,
      said: {
        ok: true,
        result: 'granted',
        leases: [{ patterns: ['src/a'], agent: { name: 'ann' } }],
      },
    });
    const refused = await call(bob, 'reserve', { patterns: ['src/**'] });
    expect(refused).toMatchObject({
      isError: true,
      said: {
        ok: false,
        code: 'held',
        next: "coord reserve --wait 2m -- 'src/**'",
        blockers: [{ agent: { name: 'ann' }, reason: 'fix' }],
      },
    });
    expect(await call(bob, 'check', { patterns: ['src/a'] })).toMatchObject({
      isError: false,
      said: { result: 'held' },
    });
    const waiting = call(bob, 'wait', { patterns: ['src/a'], waitSeconds: 30 });
    expect(await call(ann, 'release', { what: ['src/a'] })).toMatchObject({
      isError: false,
      said: { result: 'released' },
    });
    expect(await waiting).toMatchObject({
      isError: false,
      said: { leases: [{ agent: { name: expect.stringMatching(/^claude-[0-9a-f]{8}$/) } }] },
    });
    expect(await call(ann, 'claim', { bead: 'bd-1' })).toMatchObject({ isError: false });
    expect(await call(bob, 'claim', { bead: 'bd-1' })).toMatchObject({
      isError: true,
      said: { code: 'held' },
    });
    expect((await call(ann, 'status', {})).said['leases']).toHaveLength(2);
    for (const uri of ['coord://status', 'coord://log'])
      expect(
        JSON.parse(
          ((await ann.readResource({ uri })).contents[0] as { readonly text: string }).text,
        ),
      ).toBeTruthy();
  });

  test('bad arguments, bad patterns and no repository are tool errors with a code and what to do', async () => {
    const repo = checkout();
    const client = await connected(repo, { COORD_AGENT: 'ann' });
    expect(
      (await client.callTool({ name: 'reserve', arguments: { patterns: 'src/a' } })).isError,
    ).toBe(true);
    expect(await call(client, 'reserve', { patterns: ['[a'.repeat(600)] })).toMatchObject({
      isError: true,
      said: { code: expect.stringMatching(/pattern/), next: expect.any(String) },
    });
    expect(await call(client, 'reserve', { patterns: ['x'], directory: '/' })).toMatchObject({
      isError: true,
      said: { code: 'not_a_repository' },
    });
    expect(await call(client, 'release', {})).toMatchObject({
      isError: true,
      said: { code: 'usage' },
    });
  });

  test('on a log of a newer format every tool and resource says so, with what to install', async () => {
    const repo = checkout();
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    raiseLog(repo, 3, '0.7.1');
    const client = await connected(repo, { COORD_AGENT: 'ann' });
    const { tools } = await client.listTools();
    expect(Object.keys(ordinaryTools).sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const [name, args] of Object.entries(ordinaryTools))
      expect([name, await call(client, name, args)]).toMatchObject([
        name,
        {
          isError: true,
          said: { code: 'log_newer', next: 'npm install --global git-coord@^0.7.1' },
        },
      ]);
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(0);
    for (const { uri } of resources)
      await expect(client.readResource({ uri })).rejects.toThrow(/the log has format 3/);
  });

  test('an inbox tells once what others did, and again where all is wanted', async () => {
    const repo = checkout();
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { COORD_AGENT: 'bob' }),
    ];
    const { said } = await call(ann, 'reserve', { patterns: ['src/a'] });
    expect(await call(ann, 'inbox', {})).toEqual({
      isError: false,
      said: { ok: true, result: 'nothing', messages: [] },
    });
    await call(bob, 'ask', { lease: said['leases'][0].id, reason: 'a fix' });
    const asked = { text: expect.stringMatching(/^bob .* asks you for src\/a: a fix/) };
    for (const [args, messages] of [
      [{}, [asked]],
      [{}, []],
      [{ all: true }, [asked]],
    ] as const)
      expect((await call(ann, 'inbox', args)).said['messages']).toMatchObject(messages);
    expect(await call(ann, 'inbox', { all: 'yes' })).toMatchObject({ isError: true });
    expect(await call(ann, 'inbox', { directory: '/' })).toMatchObject({
      isError: true,
      said: { code: 'not_a_repository' },
    });
  });

  test('who waits hears what for, and a wait that is cancelled takes nothing', async () => {
    const repo = checkout();
    const [ann, bob] = [
      await connected(repo, { COORD_AGENT: 'ann' }),
      await connected(repo, { COORD_AGENT: 'bob' }),
    ];
    await call(ann, 'reserve', { patterns: ['src/a'] });
    const cancel = new AbortController();
    const heard: (string | undefined)[] = [];
    const waiting = call(
      bob,
      'wait',
      { patterns: ['src/a'], waitSeconds: 600 },
      {
        signal: cancel.signal,
        onprogress: ({ message }) => {
          heard.push(message);
          cancel.abort();
        },
      },
    );
    await expect(waiting).rejects.toThrow();
    expect(heard).toEqual([expect.stringMatching(/^waiting for src\/a of ann/)]);
    await expect
      .poll(async () => (await call(ann, 'status', {})).said['waits'], { timeout: 20_000 })
      .toEqual([]);
    await call(ann, 'release', { all: true });
    expect((await call(ann, 'check', { patterns: ['src/a'] })).said['result']).toBe('free');
  });

  test('a program that says beside each call which session it is of calls as that session', async () => {
    const repo = checkout();
    const client = await connected(repo, {});
    const reserveAs = async (thread: string, path: string): Promise<string> => {
      const turn = { session_id: 'aaaaaaaaaaaaaaa1', thread_id: thread };
      const { structuredContent } = await client.callTool({
        name: 'reserve',
        arguments: { patterns: [path] },
        _meta: { 'x-codex-turn-metadata': turn },
      });
      const { leases } = structuredContent as { leases: { agent: { name: string } }[] };
      return leases[0]?.agent.name ?? '';
    };
    expect(await reserveAs('aaaaaaaaaaaaaaa1', 'src/a')).toBe('codex-aaaaaaa1');
    expect(await reserveAs('aaaaaaaaaaaaaaa2', 'src/b')).toBe('codex-aaaaaaa1/aaaaaaa2');
  });
});
