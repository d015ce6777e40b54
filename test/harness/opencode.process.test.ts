/** The plugin of opencode and Kilo, called as they call it. */
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { coordProgram, repository, type TestRepository } from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

const hooks = resolve(import.meta.dirname, '../../hooks');

type Hook = (input: object, output: object) => Promise<void>;
type Hooks = Readonly<Record<string, Hook>> & {
  readonly event: (said: { readonly event: object }) => Promise<void>;
  readonly dispose: () => Promise<void>;
};

async function loaded(
  repo: TestRepository,
  more: { readonly folder?: string; readonly parents?: Readonly<Record<string, string>> } = {},
): Promise<Hooks> {
  const { plugin } = (await import(join(hooks, 'opencode.js'))) as {
    plugin: (where: object) => (context: object) => Promise<Hooks>;
  };
  const url = `file://${repo.top}/${more.folder ?? '.opencode'}/plugins/coord.js`;
  const get = async ({ path }: { path: { id: string } }): Promise<object> => ({
    data: { parentID: more.parents?.[path.id] },
  });
  return plugin({ hooks, url })({ directory: repo.top, client: { session: { get } } });
}

function installed(...harnesses: readonly string[]): TestRepository {
  const repo = repository();
  repo.write('a.txt', 'one\n');
  const words = harnesses.flatMap((name) => ['--harness', name]);
  const ran = ranIn(repo.top, repo.env, process.execPath, [coordProgram, 'install', ...words]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  repo.git('add', '.');
  repo.git('commit', '-qm', 'files');
  return repo;
}

async function welcomed(plugin: Hooks, sessionID: string): Promise<readonly string[]> {
  const system = ['as the program has it'];
  await plugin['experimental.chat.system.transform']?.({ sessionID }, { system });
  return system;
}

function edit(plugin: Hooks, sessionID: string, filePath: string): Promise<void> | undefined {
  const call = { tool: 'edit', sessionID, callID: `call-${sessionID}` };
  return plugin['tool.execute.before']?.(call, { args: { filePath } });
}

function agents(repo: TestRepository): readonly string[] {
  const { agents } = repo.coord(null, 'status').json as { readonly agents: { name: string }[] };
  return agents.map(({ name }) => name).sort();
}

test('the model is told who it is in the one text that it has anyway, each time the same', async () => {
  const repo = installed('opencode');
  const plugin = await loaded(repo);
  const first = await welcomed(plugin, 'ses_0123456789abcdef');
  expect(first).toEqual([
    expect.stringMatching(/^as the program has it\n\ncoord: you are opencode-89abcdef/),
  ]);
  expect(await welcomed(plugin, 'ses_0123456789abcdef')).toEqual(first);
  await plugin.dispose();
  expect(agents(repo)).toEqual([]);
});

test('while coord looks, all else goes on', async () => {
  const repo = installed('opencode');
  const plugin = await loaded(repo);
  const asked = welcomed(plugin, 'ses_0123456789abcdef').then(() => 'asked');
  const other = new Promise((done) => setImmediate(() => done('other')));
  expect(await Promise.race([asked, other])).toBe('other');
  await asked;
  await plugin.dispose();
});

test('a subagent of an earlier process is a child too; it has an index with its first shell, and ends when it is idle', async () => {
  const repo = installed('opencode');
  const parents = { ses_child000child000: 'ses_0123456789abcdef' };
  const plugin = await loaded(repo, { parents });
  await welcomed(plugin, 'ses_0123456789abcdef');
  const output = { env: {} as Record<string, string> };
  await plugin['shell.env']?.({ cwd: repo.top, sessionID: 'ses_child000child000' }, output);
  expect(output.env['COORD_AGENT']).toBe('opencode-89abcdef/child000');
  expect(output.env['COORD_STAGE']).toContain('/coord/stages/');
  expect(output.env['PATH']).toMatch(new RegExp(`^${join(hooks, 'bin')}:`));
  expect(agents(repo)).toEqual(['opencode-89abcdef', 'opencode-89abcdef/child000']);
  const idle = { type: 'session.idle', properties: { sessionID: 'ses_child000child000' } };
  await plugin.event({ event: idle });
  expect(agents(repo)).toEqual(['opencode-89abcdef']);
  await plugin.dispose();
});

test('in Kilo, which is made of opencode, agents have its name', async () => {
  const repo = installed('kilo');
  const plugin = await loaded(repo, { folder: '.kilo' });
  await edit(plugin, 'ses_0123456789abcdef', 'a.txt');
  await expect(edit(plugin, 'ses_fedcba9876543210', 'a.txt')).rejects.toThrow(
    'held by kilo-89abcdef',
  );
  await plugin.dispose();
});
