/**
 * Several sessions of opencode in one process, each an agent of its own. Needs: agent programs,
 * loopback alone.
 */
import { expect, it } from 'vitest';
import type { Step } from './model-server.ts';
import { begin, prompt, served } from './opencode-server.ts';
import { agents, held } from './others.ts';
import { programNamed } from './programs.ts';
import { content, scene, turn } from './scene.ts';

const opencode = programNamed('opencode');
const { hands } = opencode;

it('news come with the result of an edit, of a command, and with a prompt', async () => {
  const here = await scene([opencode]);
  const opened = await served(here);
  const id = await begin(opened);
  const commit = (name: string): void => {
    here.repo.git('commit', '-q', '--allow-empty', '-m', name);
  };
  const tell = (path: string): void => {
    expect(here.repo.coord('bob', 'ask', path, '--reason', `of ${path}`).code).toBe(0);
  };
  here.server.set('opencode', [
    turn(hands.write(here.file('new.txt'), 'mine\n')),
    async () => {
      commit('first');
      return turn(hands.write(here.file('other.txt'), 'mine\n'));
    },
    async () => {
      tell('new.txt');
      return turn(hands.shell('echo new > more.txt'));
    },
  ]);
  await prompt(opened, id, 'SCRIPT:opencode');
  tell('other.txt');
  here.server.set('more', [turn(hands.shell('true'))]);
  await prompt(opened, id, 'SCRIPT:more');
  here.server.check();
  const { items } = here.server.heard('more');
  const results = items.filter(({ by }) => by === 'tool').map(({ text }) => text);
  expect(results[1]).toContain('HEAD moved by 1 commit');
  expect(results[2]).toContain('of new.txt');
  expect(items.findLast(({ by }) => by === 'user')?.text).toContain('of other.txt');
  await opened.stop();
});

it('two sessions of one server are two agents; one that is deleted holds nothing', async () => {
  const here = await scene([opencode]);
  const opened = await served(here);
  const [one, two] = [await begin(opened), await begin(opened)];
  const edits = (): readonly Step[] => [turn(hands.write(here.file('new.txt'), 'mine\n'))];
  for (const name of ['one', 'two', 'again']) here.server.set(name, edits());
  await prompt(opened, one, 'SCRIPT:one');
  await prompt(opened, two, 'SCRIPT:two');
  const said = (name: string): string => here.server.heard(name).items.at(-1)?.text ?? '';
  expect(said('one')).not.toContain('held by');
  expect(said('two')).toContain('held by opencode-');
  expect(agents(here)).toHaveLength(2);
  await opened.remove(`/session/${one}`);
  await expect.poll(() => held(here), { timeout: 20_000 }).toEqual({});
  await prompt(opened, two, 'SCRIPT:again');
  expect(Object.values(held(here))).toEqual([`opencode-${two.toLowerCase().slice(-8)}`]);
  await opened.stop();
  expect(held(here)).toEqual({});
});

it('what a command changed before it was aborted is looked at', async () => {
  const here = await scene([opencode]);
  const opened = await served(here);
  const id = await begin(opened);
  here.server.set('opencode', [turn(hands.shell('echo more >> a.txt; sleep 60'))]);
  const aborted = prompt(opened, id, 'SCRIPT:opencode');
  await expect.poll(() => content(here, 'a.txt'), { timeout: 60_000 }).toContain('more');
  await opened.post(`/session/${id}/abort`);
  await aborted;
  await expect.poll(() => Object.keys(held(here)), { timeout: 20_000 }).toEqual(['a.txt']);
  await opened.stop();
});

it('after a compaction it is told anew who it is and what it holds', async () => {
  const here = await scene([opencode]);
  const opened = await served(here);
  const id = await begin(opened);
  here.server.set('opencode', [turn(hands.write(here.file('a.txt'), 'mine\n'))]);
  await prompt(opened, id, 'SCRIPT:opencode');
  await opened.post(`/session/${id}/summarize`, { providerID: 'scripted', modelID: 'scripted' });
  here.server.set('more', [turn(hands.shell('true'))]);
  await prompt(opened, id, 'SCRIPT:more');
  const system = here.server.heard('more').items.filter(({ by }) => by === 'system');
  expect(system.map(({ text }) => text).join('\n')).toMatch(/you are opencode-\w{8}[^]*a\.txt/);
  expect(system).toHaveLength(1);
  await opened.stop();
});
