/** What only Codex has. Needs: agent programs, loopback alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { patch } from './codex-program.ts';
import type { Conversation, ToolCall } from './conversation.ts';
import { held, reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';
import { killGroup } from './session.ts';

const codex = programNamed('codex');
const { hands } = codex;

const byShell = (text: string, before = ''): ToolCall =>
  hands.shell(`${before}apply_patch <<'EOF'\n${text}EOF`);
/** What newer models do: their tools are called by a program that they write. */
const byProgram = ({ tool, input }: ToolCall): ToolCall => ({
  tool: 'functions.exec',
  input: `text(JSON.stringify(await tools.${tool}(${JSON.stringify(input)})))`,
});
const nobodyHolds = (here: Scene): void => expect(held(here)).toEqual({});

function useModel({ repo }: Scene, model: string): void {
  const file = join(repo.top, '..', 'home-codex', '.codex', 'config.toml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^model = .*/m, `model = "${model}"`));
}

describe('a patch that Codex takes out of a shell command', () => {
  const change = patch('a.txt', 'two', 'three of git');
  const below = patch('c.txt', 'two', 'three');

  it.for<readonly [string, string, readonly ToolCall[]]>([
    ['a here-document', 'a.txt', [byShell(change)]],
    ['another folder', 'src/c.txt', [byShell(below, 'cd src && ')]],
    ['a move', 'b.txt', [byShell(change.replace('@@', '*** Move to: b.txt\n@@'))]],
    ['a deletion', 'b.txt', [byShell('*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n')]],
  ])('is refused by %s over a file that somebody holds', async ([, path, calls]) => {
    const here = await scene([codex]);
    reserveAs(here, 'bob', path);
    const before = content(here, path);
    const { results } = await here.run(codex, [turn(...calls)]);
    expect(content(here, path)).toBe(before);
    expect(results.at(-1)).toMatch(
      /^Command blocked by PreToolUse hook: coord: \S+ is held by bob \(\w+\) .*\nNext: coord reserve --wait 2m -- .+\. Command: (cd src && )?apply_patch/,
    );
  });

  it.for(['gpt-5.5', 'gpt-6-astra', 'unknown'])('reserves what is free, with %s', async (model) => {
    const here = await scene([codex]);
    useModel(here, model);
    const call = byShell(change);
    const { results } = await here.run(codex, [
      turn(model === 'gpt-6-astra' ? byProgram(call) : call),
      async () => {
        expect(Object.keys(held(here))).toEqual(['a.txt']);
        return turn();
      },
    ]);
    expect(content(here, 'a.txt'), results.join('\n')).toContain('three of git');
    nobodyHolds(here);
  });
});

it('is refused edits that a program of its model makes', async () => {
  const here = await scene([codex]);
  useModel(here, 'gpt-6-astra');
  reserveAs(here, 'bob', 'a.txt');
  const { results } = await here.run(codex, [
    turn(byProgram({ tool: 'apply_patch', input: patch('a.txt', 'two', 'three') })),
    turn(byProgram(byShell(patch('a.txt', 'two', 'three')))),
    turn(byProgram(hands.shell('rm a.txt'))),
    turn(byProgram(hands.edit(here.file('b.txt'), 'two', 'three'))),
  ]);
  expect(content(here, 'a.txt')).toContain('two');
  expect(content(here, 'b.txt')).toContain('three');
  for (const said of results.slice(0, 3)) expect(said).toMatch(/PreToolUse hook: coord: [^]*bob/);
});

describe('its subagents', () => {
  const wait = ({ items }: Conversation): Promise<ReturnType<typeof turn>> => {
    const ids = items.flatMap(({ text }) => /"agent_id":\s*"([^"]+)"/.exec(text)?.[1] ?? []);
    return Promise.resolve(
      turn({
        tool: 'multi_agent_v1.wait_agent',
        input: { targets: [ids.at(-1)], timeout_ms: 30_000 },
      }),
    );
  };

  it('are children with leases, an index and commits of their own, and end', async () => {
    const here = await scene([codex]);
    const { results } = await here.run(
      codex,
      [
        turn(hands.edit(here.file('b.txt'), 'two', 'of the parent')),
        turn(hands.shell('git add b.txt')),
        turn(hands.task('SCRIPT:child')),
        wait,
        async () => {
          const { leases } = here.repo.coord(null, 'status').json;
          expect(leases.map(({ patterns }: { patterns: string[] }) => patterns[0])).toEqual([
            'b.txt',
          ]);
          return turn(hands.edit(here.file('a.txt'), 'of the child', 'of both'));
        },
        turn(hands.shell('git add a.txt && git commit -qm parent')),
      ],
      {
        children: {
          child: [
            turn(hands.edit(here.file('b.txt'), 'of the parent', 'of the parent and its child')),
            turn(hands.edit(here.file('a.txt'), 'two', 'of the child')),
            turn(hands.shell('git add a.txt && git commit -qm child')),
          ],
        },
      },
    );
    const log = here.repo.git('log', '-2', '--format=%s %(trailers)', '--name-only');
    expect(log.replaceAll(/\n+/g, ' '), results.join('\n')).toMatch(
      /^parent Coord-Agent: (codex-\w+) .*a\.txt b\.txt child Coord-Agent: \1\/\w+ .*a\.txt $/,
    );
    nobodyHolds(here);
  });

  it('do not edit what another of them has', async () => {
    const here = await scene([codex]);
    await here.run(
      codex,
      [turn(hands.task('SCRIPT:one')), wait, turn(hands.task('SCRIPT:two')), wait],
      {
        children: {
          one: [
            turn(hands.edit(here.file('a.txt'), 'two', 'of one')),
            async () => {
              here.repo.coord('bob', 'reserve', 'b.txt');
              return turn(hands.edit(here.file('b.txt'), 'two', 'of one'));
            },
          ],
          two: [turn(hands.edit(here.file('a.txt'), 'of one', 'of two'))],
        },
      },
    );
    expect(here.server.heard('one').items.at(-1)?.text).toMatch(/b\.txt is held by bob/);
    expect(content(here, 'a.txt')).toContain('of two');
  });
});

describe('its sessions', () => {
  const holder = (here: Scene, path: string): string => held(here)[path] ?? '';

  it('are two agents, also in one file at once, and what one changed the other gets after it', async () => {
    const here = await scene([codex]);
    let other: Promise<unknown> = Promise.resolve();
    const first = await here.run(codex, [
      turn(hands.edit(here.file('a.txt'), 'two', 'of one')),
      async () => {
        other = here.run(codex, [turn(hands.edit(here.file('a.txt'), 'of one', 'of two'))], {
          script: 'other',
        });
        await other;
        return turn();
      },
    ]);
    expect(first.code).toBe(0);
    expect(here.server.heard('other').items.at(-1)?.text).toMatch(
      /a\.txt is shared, .* lines 2, which codex-/,
    );
    await here.run(codex, [turn(hands.edit(here.file('a.txt'), 'of one', 'of two'))]);
    expect(content(here, 'a.txt')).toContain('of two');
  });

  it.for([
    'SIGTERM',
    'SIGKILL',
  ] as const)('that get a %s hold nothing any more, once somebody asks', async (signal) => {
    const here = await scene([codex]);
    const killed = here.start(codex, [
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      async () => {
        expect(holder(here, 'a.txt')).toMatch(/^codex-/);
        killGroup(killed.child, signal);
        return turn();
      },
    ]);
    await killed.ended;
    here.server.check();
    expect(holder(here, 'a.txt')).toMatch(/^codex-/);
    await here.run(codex, [turn(hands.edit(here.file('a.txt'), 'three', 'four'))]);
    expect(content(here, 'a.txt')).toContain('four');
    nobodyHolds(here);
  });

  it('are the same agent when they go on', async () => {
    const here = await scene([codex]);
    const names: string[] = [];
    const steps = (from: string, to: string) => [
      turn(hands.edit(here.file('a.txt'), from, to)),
      async () => {
        names.push(holder(here, 'a.txt'));
        return turn();
      },
    ];
    await here.run(codex, steps('two', 'three'));
    await here.run(codex, steps('three', 'four'), { script: 'again', resumes: true });
    expect(names[0]).toMatch(/^codex-/);
    expect(names[1]).toBe(names[0]);
  });
});

it('is told, and so is the holder, of what it has typed into a shell', async () => {
  const here = await scene([codex]);
  const typed = (chars: string) => async (conversation: Conversation) => {
    const ids = conversation.items.flatMap(
      ({ text }) => /running with session ID (\d+)/.exec(text)?.[1] ?? [],
    );
    const input = { session_id: Number(ids[0]), chars, yield_time_ms: 1_000 };
    return turn({ tool: 'write_stdin', input });
  };
  const { items } = await here.run(codex, [
    turn({ tool: 'exec_command', input: { cmd: 'bash', tty: true, yield_time_ms: 500 } }),
    async (conversation) => {
      reserveAs(here, 'bob', 'a.txt');
      here.repo.write('a.txt', 'unsaved work of bob\n');
      await Promise.resolve(conversation);
      return turn(hands.shell('true; ./nothing'));
    },
    typed('echo typed > a.txt\n'),
    turn(hands.shell('true; ./nothing')),
  ]);
  expect(content(here, 'a.txt')).toBe('typed\n');
  const said = items.map(({ text }) => text).join('\n');
  const [, who = '', at = ''] = /a\.txt[^]*rescue diff (\w+)\/(\d+)/.exec(said) ?? [];
  const saved = `refs/coord/saved/${who}/${at.padStart(15, '0')}:a.txt`;
  expect(here.repo.git('show', saved)).toBe('unsaved work of bob\n');
  expect(here.repo.text('bob', 'inbox').stdout).toContain('a.txt');
});
