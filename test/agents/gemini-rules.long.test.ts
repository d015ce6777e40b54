/**
 * Gemini CLI where its user has said what it may run: no command is rewritten, and its git has neither
 * hooks nor an index of its own, unless BASH_ENV lets coord into its shells. Needs: agent programs,
 * loopback alone.
 */
import { describe, expect, it } from 'vitest';
import { message, reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { scene, turn } from './scene.ts';

const gemini = programNamed('gemini');
const { hands } = gemini;

it.each([
  [['git status', 'git add', 'git commit', 'ls']],
  [['git', 'ls']],
])('runs what %j allows as it does without coord', async (allowed) => {
  const ran = async (withoutCoord: boolean): Promise<readonly string[]> => {
    const here = await scene([gemini], withoutCoord ? { withoutCoord } : {});
    const { results } = await here.run(
      gemini,
      [
        turn(hands.write(here.file('new.txt'), 'mine\n')),
        turn(hands.shell('git status --short')),
        turn(hands.shell('ls')),
        turn(hands.shell('git add new.txt')),
        turn(hands.shell('git commit -m change')),
        turn(hands.shell('git log -1')),
        turn(hands.shell('date')),
      ],
      { allowed },
    );
    expect(message(here)).toMatch(/^change/);
    return results.map((text) => (text.includes('denied by policy') ? 'not allowed' : 'ran'));
  };
  const alone = await ran(true);
  expect(alone.slice(0, 5)).toEqual(['ran', 'ran', 'ran', 'ran', 'ran']);
  expect(alone.at(-1)).toBe('not allowed');
  expect(await ran(false)).toEqual(alone);
});

describe('where its rules say what it may run', () => {
  const allowed = ['git'];

  it('a commit is judged before it, by what it takes along', async () => {
    const here = await scene([gemini]);
    reserveAs(here, 'bob', 'b.txt');
    here.repo.write('b.txt', 'unsaved work of bob\n');
    const before = here.repo.git('rev-parse', 'HEAD');
    const { results } = await here.run(
      gemini,
      [
        turn(hands.shell('git add b.txt && git commit -m held')),
        turn(hands.shell('git commit -m named -- b.txt')),
        turn(hands.shell('git commit -am all')),
        turn(hands.shell('git add b.txt')),
        turn(hands.shell('git commit --no-verify -m staged')),
      ],
      { allowed },
    );
    for (const i of [0, 1, 2, 4]) expect(results[i]).toMatch(/Tool execution blocked[^]*bob/);
    expect(results[4]).toMatch(/b\.txt is held by bob[^]*next: coord reserve --wait 2m/);
    expect(here.repo.git('rev-parse', 'HEAD')).toBe(before);
  });

  it('its commits are its own: it may amend them, and nobody else undoes them', async () => {
    const here = await scene([gemini]);
    reserveAs(here, 'bob', 'b.txt');
    const { results } = await here.run(
      gemini,
      [
        turn(hands.write(here.file('new.txt'), 'mine\n')),
        turn(hands.shell('git add new.txt')),
        turn(hands.shell('git commit -m first')),
        turn(hands.shell('git commit --amend -m better')),
      ],
      { allowed },
    );
    expect(message(here), results.join('\n')).toBe('better');
    expect(() => here.repo.git('reset', '--soft', 'HEAD~1')).toThrow(/a commit of gemini-\w{8}/);
  });

  it('with BASH_ENV its shells know who they are, and no command is rewritten', async () => {
    const here = await scene([gemini]);
    here.repo.write('b.txt', 'staged by the user\n');
    here.repo.git('add', 'b.txt');
    here.repo.write('commit.sh', 'git add new.txt && git commit -m by-script\n');
    const { results } = await here.run(
      gemini,
      [
        turn(hands.write(here.file('new.txt'), 'mine\n')),
        turn(hands.shell('git add new.txt')),
        turn(hands.shell('git commit -m change')),
        turn(hands.write(here.file('new.txt'), 'mine again\n')),
        turn(hands.shell('sh commit.sh')),
      ],
      {
        allowed: ['git', 'sh'],
        env: { BASH_ENV: '$(git rev-parse --path-format=absolute --git-common-dir)/coord/shell' },
      },
    );
    expect(results.join('\n')).not.toContain('modified by a hook');
    const log = here.repo.git('log', '-2', '--format=%s %(trailers)', '--name-only');
    expect(log).toMatch(
      /^by-script Coord-Agent: gemini-[^]*\nnew\.txt\n[^]*change Coord-Agent: gemini-[^]*\nnew\.txt\n$/,
    );
    expect(here.repo.git('diff', '--cached', '--name-only').trim()).toBe('b.txt');
  });
});
