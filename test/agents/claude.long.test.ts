/** What only Claude Code has. Needs: agent programs, loopback alone. */
import { describe, expect, it } from 'vitest';
import { reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';

const claude = programNamed('claude');
const { hands } = claude;

const task = (prompt: string, more: Readonly<Record<string, unknown>> = {}) => ({
  tool: 'Agent',
  input: { description: 'a task', prompt, subagent_type: 'general-purpose', ...more },
});

/** Reads a file, changes it, and commits it. */
function changes(here: Scene, path: string) {
  return [
    turn(hands.read(here.file(path))),
    turn(hands.edit(here.file(path), 'two', `it's "${path}"`)),
    turn(hands.shell(`git add ${path}`)),
    turn(hands.shell('git commit -m "what I\'ve done"')),
  ];
}

describe.each(['/bin/bash', '/usr/bin/zsh'])('in %s', (shell) => {
  const env = { SHELL: shell };

  it('knows subagents apart that commit at once, by the same command', async () => {
    const here = await scene([claude]);
    await here.run(claude, [turn(task('SCRIPT:one'), task('SCRIPT:two'))], {
      env,
      children: { one: changes(here, 'a.txt'), two: changes(here, 'b.txt') },
    });
    const log = here.repo.git('log', '--format=%H %(trailers:key=Coord-Agent,valueonly)', '-2');
    const children = new Set(log.match(/claude-\w+\/\w+/g));
    expect(children.size, log).toBe(2);
    expect(
      here.repo.git('show', '--format=', '--name-only', 'HEAD', 'HEAD~1').trim().split('\n').sort(),
    ).toEqual(['a.txt', 'b.txt']);
    expect(here.repo.git('status', '--short')).toBe('');
  });

  it('rewrites no command of a subagent, so that what is allowed stays allowed', async () => {
    const commands = ['git status --short', 'git add a.txt', 'git commit -m allowed'];
    const child = commands.map((command) => turn(hands.shell(command)));
    const [withCoord, without] = [
      await scene([claude]),
      await scene([claude], { withoutCoord: true }),
    ];
    for (const here of [withCoord, without]) {
      here.repo.write('a.txt', 'changed\n');
      await here.run(claude, [turn(task('SCRIPT:child'))], {
        env,
        allowed: ['git'],
        children: { child },
      });
      const heard = here.server.heard('child').items.filter(({ by }) => by === 'tool');
      expect(heard.map(({ text }) => text).join('\n')).not.toMatch(/permission|approv|denied/i);
      expect(here.repo.git('log', '-1', '--format=%s').trim()).toBe('allowed');
    }
  });

  it('lets a subagent in a work tree of its own run git', async () => {
    const here = await scene([claude]);
    await here.run(claude, [turn(task('SCRIPT:child', { isolation: 'worktree' }))], {
      env,
      children: {
        child: [
          turn(hands.shell('echo more >> a.txt')),
          turn(hands.shell('git add -A')),
          turn(hands.shell('git commit -m isolated')),
        ],
      },
    });
    expect(here.repo.git('log', '--all', '--exclude=refs/coord/*', '--format=%s')).toContain(
      'isolated',
    );
    expect(content(here, 'a.txt')).not.toContain('more');
  });
});

it('tells a subagent in its own words why an edit is refused', async () => {
  const here = await scene([claude]);
  reserveAs(here, 'bob', 'b.txt');
  const { items } = await here.run(claude, [turn(task('SCRIPT:one')), turn(task('SCRIPT:two'))], {
    children: {
      one: [turn(hands.read(here.file('b.txt'))), turn(hands.edit(here.file('b.txt'), 'two', 'x'))],
      two: [turn(hands.read(here.file('a.txt'))), turn(hands.edit(here.file('a.txt'), 'two', 'x'))],
    },
  });
  expect(items.length).toBeGreaterThan(0);
  const told = here.server.heard('one').items.at(-1)?.text;
  expect(told).toMatch(/^PreToolUse:Edit hook error: .*b\.txt[^]*bob[^]*Next: /m);
  expect(content(here, 'a.txt')).toContain('x');
});
