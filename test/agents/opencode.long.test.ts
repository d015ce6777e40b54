/**
 * What is special about opencode, of whose sessions a plugin tells: its ways to edit, its subagents,
 * its ends. Needs:
 * agent programs, loopback alone.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { patch } from './codex-program.ts';
import type { Step } from './model-server.ts';
import { withModel } from './opencode-server.ts';
import { agents, held, reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, scene, turn } from './scene.ts';
import { killGroup } from './session.ts';

const opencode = programNamed('opencode');
const { hands } = opencode;

it('says the reason alone to the model', async () => {
  const here = await scene([opencode]);
  reserveAs(here, 'bob', 'a.txt');
  const { results } = await here.run(opencode, [turn(hands.write(here.file('a.txt'), 'mine\n'))]);
  expect(results).toEqual([expect.stringMatching(/^coord: a\.txt .*bob[^]*\nNext: .*$/)]);
  expect(content(here, 'a.txt')).toContain('one of a.txt');
});

it('a patch is refused and reserves as other edits do, however its lines are spaced', async () => {
  const here = await scene([opencode]);
  reserveAs(here, 'bob', 'a.txt');
  const apply = (text: string) => turn({ tool: 'apply_patch', input: { patchText: text } });
  const { results } = await here.run(
    opencode,
    [
      apply(patch('a.txt', 'two', 'three')),
      apply(patch('a.txt', 'two', 'three').replace('File: ', 'File:')),
      apply(patch('b.txt', 'two', 'three')),
      async () => {
        expect(held(here)['b.txt']).toMatch(/^opencode-/);
        return turn();
      },
    ],
    // The models that patch are known by their names.
    { env: withModel(here, 'gpt-5') },
  );
  expect(content(here, 'a.txt')).not.toContain('three');
  expect(content(here, 'b.txt')).toContain('three');
  expect(results.map((text) => text.includes('bob'))).toEqual([true, true, false]);
});

it('a subagent is a child with leases, an index and commits of its own, and ends', async () => {
  const here = await scene([opencode]);
  const { results } = await here.run(
    opencode,
    [
      turn(hands.write(here.file('one.txt'), 'of the parent\n')),
      turn(hands.task('SCRIPT:child go on')),
      async () => {
        expect(Object.keys(held(here))).toEqual(['one.txt']);
        return turn(hands.write(here.file('other.txt'), 'of the parent too\n'));
      },
    ],
    {
      children: {
        child: [
          // Its first tool is the shell.
          turn(hands.shell('echo new > new.txt; git add new.txt && git commit -qm child')),
          turn(hands.write(here.file('other.txt'), 'of the child\n')),
          async () => {
            expect(held(here)['other.txt']).toMatch(/^opencode-\w{8}\/\w{8}$/);
            return turn(hands.read(here.file('one.txt')));
          },
          async () => {
            return turn(hands.write(here.file('one.txt'), 'of the child as well\n'));
          },
        ],
      },
    },
  );
  expect(results.join('\n')).not.toContain('held by');
  expect(here.repo.git('log', '-1', '--format=%s %(trailers)')).toMatch(
    /^child Coord-Agent: opencode-\w{8}\/\w{8} /,
  );
  expect(content(here, 'one.txt')).toBe('of the child as well\n');
  expect(agents(here)).toEqual([]);
});

it('a session that goes on is the same agent', async () => {
  const here = await scene([opencode]);
  const names: (string | undefined)[] = [];
  const look: Step = async () => {
    names.push(...Object.values(held(here)));
    return turn();
  };
  const edit = turn(hands.write(here.file('a.txt'), 'mine\n'));
  await here.run(opencode, [edit, look], { script: 'one' });
  await here.run(opencode, [edit, look], { script: 'two', resumes: true });
  expect(names).toEqual([expect.stringMatching(/^opencode-/), names[0]]);
});

it.each([
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
] as const)('ended by %s it holds nothing', async (signal) => {
  const here = await scene([opencode]);
  const session = here.start(opencode, [
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    async () => {
      expect(Object.keys(held(here))).toEqual(['a.txt']);
      killGroup(session.child, signal);
      return turn();
    },
  ]);
  expect(await session.ended).toMatchObject({ signal });
  here.server.check();
  expect(held(here)).toEqual({});
});

it('killed, it goes on as the same agent with what it held, and frees it at its end', async () => {
  const here = await scene([opencode]);
  const session = here.start(opencode, [
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    async () => {
      killGroup(session.child, 'SIGKILL');
      return turn();
    },
  ]);
  await session.ended;
  const before = held(here);
  expect(Object.keys(before)).toEqual(['a.txt']);
  const look: Step = async () => {
    expect(held(here)).toEqual(before);
    return turn(hands.write(here.file('a.txt'), 'more\n'));
  };
  await here.run(opencode, [look], { script: 'more', resumes: true });
  expect(content(here, 'a.txt')).toBe('more\n');
  expect(held(here)).toEqual({});
});

it('runs the commands that are allowed, and no others, as it does without coord', async () => {
  const ran = async (withoutCoord: boolean): Promise<readonly string[]> => {
    const here = await scene([opencode], withoutCoord ? { withoutCoord } : {});
    const { results } = await here.run(
      opencode,
      [
        turn(hands.write(here.file('new.txt'), 'mine\n')),
        turn(hands.shell('git status --short')),
        turn(hands.shell('ls')),
        turn(hands.shell('git add new.txt')),
        turn(hands.shell('git commit -m change')),
        turn(hands.shell('date')),
      ],
      { allowed: ['git status', 'git add', 'git commit', 'ls'] },
    );
    expect(here.repo.git('log', '-1', '--format=%s').trim()).toBe('change');
    return results.map((text) => (/prevents you from using/.test(text) ? 'not allowed' : 'ran'));
  };
  const alone = await ran(true);
  expect(alone).toEqual(['ran', 'ran', 'ran', 'ran', 'ran', 'not allowed']);
  expect(await ran(false)).toEqual(alone);
});

it('a command in a folder of its own is judged from there', async () => {
  const here = await scene([opencode]);
  reserveAs(here, 'bob', 'src/c.txt');
  const { results } = await here.run(opencode, [
    turn({
      tool: 'bash',
      input: { command: 'rm c.txt', workdir: here.file('src'), description: 'as the script says' },
    }),
  ]);
  expect(results.at(-1)).toContain('bob');
  expect(content(here, 'src/c.txt')).toContain('two');
});

it('goes on where coord fails: only edits are refused, and the rest says so', async () => {
  const here = await scene([opencode]);
  const launcher = here.file('.git/coord/hook');
  const hooks = here.repo.git('coord-hook', '--where').trim();
  writeFileSync(
    launcher,
    [
      '#!/bin/sh',
      `[ "$1" != --where ] || exec echo '${hooks}'`,
      'echo "coord: broken" >&2',
      '[ "$2" != before-edit ] || exit 2',
      '',
    ].join('\n'),
  );
  chmodSync(launcher, 0o755);
  const { results, code } = await here.run(opencode, [
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    turn(hands.shell('echo ran')),
  ]);
  expect(results[0]).toBe('coord: broken');
  expect(results[1]).toMatch(/ran[^]*coord: broken/);
  expect(code).toBe(0);
});
