/**
 * What is special about Qwen Code: its shells say of themselves whose they are, and nothing else can
 * be given to them. Needs: agent programs, loopback alone.
 */
import { expect, it } from 'vitest';
import type { Step } from './model-server.ts';
import { agents, held, reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, scene, turn } from './scene.ts';

const qwen = programNamed('qwen');
const { hands } = qwen;

it('says who is in the way to the model', async () => {
  const here = await scene([qwen]);
  reserveAs(here, 'bob', 'a.txt');
  const { results } = await here.run(qwen, [turn(hands.write(here.file('a.txt'), 'mine\n'))]);
  expect(results).toEqual([expect.stringMatching(/coord: a\.txt .*bob[^]*\nNext: /)]);
  expect(content(here, 'a.txt')).toContain('one of a.txt');
});

it('a subagent is a child with leases and commits of its own, and ends', async () => {
  const here = await scene([qwen]);
  await here.run(
    qwen,
    [
      // It writes over nothing that it has not read.
      turn(hands.read(here.file('b.txt'))),
      turn(hands.write(here.file('b.txt'), 'of the parent\n')),
      turn(hands.task('SCRIPT:child go on')),
    ],
    {
      children: {
        child: [
          turn(hands.write(here.file('new.txt'), 'of the child\n')),
          async () => {
            expect(held(here)['new.txt']).toMatch(/^qwen-\w{8}\/\w{8}$/);
            return turn(hands.shell('git add new.txt && git commit -m child'));
          },
          turn(hands.read(here.file('b.txt'))),
          turn(hands.write(here.file('b.txt'), 'of the child too\n')),
        ],
      },
    },
  );
  expect(here.repo.git('log', '-1', '--format=%s %(trailers)')).toMatch(
    /^child Coord-Agent: qwen-\w{8}\/\w{8} /,
  );
  expect(content(here, 'b.txt')).toBe('of the child too\n');
  expect(agents(here)).toEqual([expect.stringMatching(/^qwen-\w{8}$/)]);
});

it('a session that goes on is the same agent, with what it held', async () => {
  const here = await scene([qwen]);
  await here.run(qwen, [turn(hands.write(here.file('a.txt'), 'mine\n'))], { script: 'one' });
  const before = held(here);
  const look: Step = async () => {
    expect(held(here)).toEqual(before);
    return turn(hands.write(here.file('a.txt'), 'more\n'));
  };
  await here.run(qwen, [turn(hands.read(here.file('a.txt'))), look], {
    script: 'two',
    resumes: true,
  });
  expect(content(here, 'a.txt')).toBe('more\n');
});

it('runs the commands that are allowed, and no others, as it does without coord', async () => {
  const ran = async (withoutCoord: boolean): Promise<readonly string[]> => {
    const here = await scene([qwen], withoutCoord ? { withoutCoord } : {});
    const { results } = await here.run(
      qwen,
      [
        turn(hands.write(here.file('new.txt'), 'mine\n')),
        turn(hands.shell('git status --short')),
        turn(hands.shell('git add new.txt')),
        turn(hands.shell('git commit -m change')),
        turn(hands.shell('touch made')),
      ],
      { allowed: ['git status', 'git add', 'git commit', 'ls'] },
    );
    expect(here.repo.git('log', '-1', '--format=%s').trim()).toBe('change');
    expect(() => content(here, 'made')).toThrow('ENOENT');
    return results.map((text) => (/^Command: /.test(text) ? 'ran' : 'not run'));
  };
  expect(await ran(false)).toEqual(await ran(true));
});
