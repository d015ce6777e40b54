/**
 * What is special about opencode: many sessions in one process, of which a plugin tells. Needs:
 * agent programs, loopback alone.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import type { Step } from './model-server.ts';
import { reserveAs } from './others.ts';
import { type Program, patch, programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';
import { killGroup } from './session.ts';

const opencode = programNamed('opencode');
const { hands } = opencode;

/** Who has what, by the names of agents. */
function held({ repo }: Scene): Readonly<Record<string, string>> {
  const { leases } = repo.coord(null, 'status').json as {
    readonly leases: readonly { agent: { name: string }; patterns: readonly string[] }[];
  };
  return Object.fromEntries(
    leases.flatMap(({ agent, patterns }) => patterns.map((path) => [path, agent.name])),
  );
}

function agents({ repo }: Scene): readonly string[] {
  const status = repo.coord(null, 'status').json as { readonly agents: { name: string }[] };
  return status.agents.map(({ name }) => name);
}

/** A server of opencode, spoken to as its own clients do. */
async function served(here: Scene): Promise<{
  post(path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
  remove(path: string): Promise<void>;
  /** The server ends as at Ctrl-C. */
  stop(): Promise<void>;
}> {
  const server: Program = {
    ...opencode,
    launch: (place) => ({ ...opencode.launch(place, ''), args: ['serve', '--port', '0'] }),
  };
  const session = here.start(server, []);
  const url = await new Promise<string>((done) => {
    let said = '';
    session.child.stdout?.on('data', (bytes: Buffer) => {
      said += bytes.toString('utf8');
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found !== undefined) done(found);
    });
  });
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  onTestFinished(() => killGroup(session.child, 'SIGKILL'));
  return {
    post: async (path, body = {}) => JSON.parse((await call('POST', path, body)) || '{}'),
    remove: async (path) => void (await call('DELETE', path)),
    stop: async () => {
      killGroup(session.child, 'SIGINT');
      await session.ended;
    },
  };
}

type Served = Awaited<ReturnType<typeof served>>;

async function begin({ post }: Served): Promise<string> {
  return String((await post('/session', {}))['id']);
}

function prompt({ post }: Served, id: string, text: string): ReturnType<Served['post']> {
  return post(`/session/${id}/message`, { parts: [{ type: 'text', text }] });
}

it('says the reason alone to the model', async () => {
  const here = await scene([opencode]);
  reserveAs(here, 'bob', 'a.txt');
  const { results } = await here.run(opencode, [turn(hands.write(here.file('a.txt'), 'mine\n'))]);
  expect(results).toHaveLength(1);
  const [first, holder, , next] = (results[0] ?? '').split('\n');
  expect(first).toBe('coord: this edit of a.txt is refused: somebody else has it.');
  expect(holder).toMatch(/^a\.txt, held by bob /);
  expect(next).toMatch(/^Next: .*coord reserve --wait 2m -- a\.txt$/);
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

function withModel({ server }: Scene, model: string): NodeJS.ProcessEnv {
  const config = {
    model: `scripted/${model}`,
    provider: {
      scripted: {
        options: { baseURL: `${server.url}/v1` },
        models: { [model]: { name: model, tool_call: true } },
      },
    },
  };
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

it('a subagent is a child with leases, an index and commits of its own, and ends', async () => {
  const here = await scene([opencode]);
  const { results } = await here.run(
    opencode,
    [
      turn(hands.write(here.file('a.txt'), 'of the parent\n')),
      turn(hands.task('SCRIPT:child go on')),
      async () => {
        expect(Object.keys(held(here))).toEqual(['a.txt']);
        return turn(hands.write(here.file('b.txt'), 'of the parent too\n'));
      },
    ],
    {
      children: {
        child: [
          // Its first tool is the shell.
          turn(hands.shell('echo new > new.txt; git add new.txt && git commit -qm child')),
          turn(hands.write(here.file('b.txt'), 'of the child\n')),
          async () => {
            expect(held(here)['b.txt']).toMatch(/^opencode-\w{8}\/\w{8}$/);
            return turn(hands.write(here.file('a.txt'), 'of the child as well\n'));
          },
        ],
      },
    },
  );
  expect(results.join('\n')).not.toContain('refused');
  expect(here.repo.git('log', '-1', '--format=%s %(trailers)')).toMatch(
    /^child Coord-Agent: opencode-\w{8}\/\w{8} /,
  );
  expect(content(here, 'a.txt')).toBe('of the child as well\n');
  expect(agents(here)).toEqual([]);
});

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
    turn(hands.write(here.file('a.txt'), 'mine\n')),
    async () => {
      commit('first');
      return turn(hands.write(here.file('b.txt'), 'mine\n'));
    },
    async () => {
      tell('a.txt');
      return turn(hands.shell('echo new > new.txt'));
    },
  ]);
  await prompt(opened, id, 'SCRIPT:opencode');
  tell('b.txt');
  here.server.set('more', [turn(hands.shell('true'))]);
  await prompt(opened, id, 'SCRIPT:more');
  here.server.check();
  const { items } = here.server.heard('more');
  const results = items.filter(({ by }) => by === 'tool').map(({ text }) => text);
  expect(results[1]).toContain('HEAD moved by 1 commit');
  expect(results[2]).toContain('of a.txt');
  expect(items.findLast(({ by }) => by === 'user')?.text).toContain('of b.txt');
  await opened.stop();
});

it('two sessions of one server are two agents; one that is deleted holds nothing', async () => {
  const here = await scene([opencode]);
  const opened = await served(here);
  const [one, two] = [await begin(opened), await begin(opened)];
  const edits = (): readonly Step[] => [turn(hands.write(here.file('a.txt'), 'mine\n'))];
  for (const name of ['one', 'two', 'again']) here.server.set(name, edits());
  await prompt(opened, one, 'SCRIPT:one');
  await prompt(opened, two, 'SCRIPT:two');
  const said = (name: string): string => here.server.heard(name).items.at(-1)?.text ?? '';
  expect(said('one')).not.toContain('refused');
  expect(said('two')).toMatch(/refused[^]*opencode-/);
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
  expect(system.map(({ text }) => text).join('\n')).toMatch(/opencode-\w{8}[^]*You hold: a\.txt/);
  expect(system).toHaveLength(1);
  await opened.stop();
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
        turn(hands.write(here.file('a.txt'), 'mine\n')),
        turn(hands.shell('git status --short')),
        turn(hands.shell('ls')),
        turn(hands.shell('git add a.txt')),
        turn(hands.shell('git commit -m change')),
        turn(hands.shell('date')),
      ],
      { allowed: ['git status *', 'git add *', 'git commit *', 'ls'] },
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
