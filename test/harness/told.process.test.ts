/**
 * What a session is told: little at its start, however many are here; each message once, where it
 * is heard, also where two installs speak to the session.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claude } from '../../src/adapter/claude.ts';
import { pluginHooks } from '../../src/adapter/plugin-hooks.ts';
import { type RealWorld, realWorld } from '../../src/agent/world.ts';
import { limits } from '../../src/core/limits.ts';
import { tellHolders } from '../../src/guard/overwritten.ts';
import { ask } from '../../src/loop/hand-over.ts';
import { reserve } from '../../src/loop/take.ts';
import { driver } from '../support/harness.ts';
import { coordProgram, type TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

const ann = { session: '0a1b2c3d-1111-4222-8333-444455556666' };
const folder = 'packages/service-gateway/src/handlers';

function worldOf(repo: TestRepository, agent: string): RealWorld {
  return realWorld({ cwd: repo.top, env: repo.env, agent });
}

function plugged(harness: Parameters<typeof driver>[1] = 'claude', ...args: string[]) {
  const repo = checkout();
  repo.git('config', 'coord.editMode', 'exclusive');
  const installed = repo.text(null, 'install', '--harness', harness, ...args);
  expect(installed.code, installed.stderr).toBe(0);
  const drive = driver(repo, harness);
  const said = (json: Record<string, any>): string => String(drive.shape.contextOf(json) ?? '');
  return { repo, drive, said };
}

/** Ten agents who hold four long paths each. */
async function team(repo: TestRepository): Promise<void> {
  for (let i = 0; i < 10; i += 1)
    for (let k = 0; k < 4; k += 1) {
      const path = `${folder}/parser-of-${i}-${k}.ts`;
      const outcome = await reserve(worldOf(repo, `codex-0000000${i}`), [path], {
        reason: 'the retry loop loses the last error of the gateway',
      });
      expect(outcome.kind).toBe('done');
    }
}

describe('at its start a session', () => {
  test('that is alone is told who it is, and where nobody has yet how one works here', () => {
    const { repo, drive, said } = plugged();
    const alone = said(drive.start(ann).json);
    expect(alone).toMatch(/^coord: you are claude-55556666 \([0-9a-z]{8}\), alone here\.$/);
    writeFileSync(join(repo.top, 'CLAUDE.md'), '# Ours\n');
    const without = said(drive.start(ann, 'resume').json);
    expect(without).toMatch(/\nYour first edit of a file reserves it; /);
    expect(without.length).toBeLessThanOrEqual(250);
    writeFileSync(join(repo.top, 'CLAUDE.md'), '@AGENTS.md\n');
    writeFileSync(join(repo.top, 'AGENTS.md'), '<!-- coord: begin -->\n<!-- coord: end -->\n');
    expect(said(drive.start(ann, 'compact').json)).toBe(alone);
  });

  test('among ten who hold forty, with messages for it, is told what concerns it, in 800 characters', async () => {
    const { repo, drive, said } = plugged();
    drive.start(ann);
    for (const file of ['a', 'b', 'c', 'd', 'e'])
      drive.beforeEdit(ann, join(repo.top, `src/${file}`));
    await team(repo);
    const first = said(drive.start({ session: 'ffffffff-1111' }).json);
    expect(first).toContain('with 11 others here.');
    const { leases } = repo.coord(null, 'status').json as {
      leases: readonly { id: string; patterns: readonly string[] }[];
    };
    const mine = leases.filter(({ patterns }) => patterns[0]?.startsWith('src/'));
    for (const [i, { id }] of mine.entries())
      await ask(worldOf(repo, `codex-0000000${i}`), id, 'it is in my way '.repeat(9), false);
    const text = said(drive.start(ann, 'resume').json);
    for (const said of [first, text]) {
      expect(Buffer.byteLength(said)).toBeLessThanOrEqual(800);
      expect(Buffer.byteLength(said)).toBeGreaterThan(600);
      expect(said).toMatch(/\n\.\.\. and \d+ more: coord status$/);
    }
    expect(text).toMatch(
      /\nYou hold src\/. \(expires in 15m\), .* and 2 more\.\n5 messages for you: coord inbox\n/,
    );
    // They come with the next news, and not again.
    const news = said(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).json);
    expect(news.match(/^coord: codex-0000000\d .* asks you for/gm)).toHaveLength(5);
    expect(Buffer.byteLength(news)).toBeLessThanOrEqual(limits.newsBytes);
    expect(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).stdout).toBe('');
  });

  test('with one message is told it there and then, once; an open request is said again after compaction', async () => {
    const { repo, drive, said } = plugged();
    drive.start(ann);
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    const [lease] = repo.coord(null, 'status').json['leases'];
    await ask(worldOf(repo, 'bob'), lease.id, 'the release', false);
    const text = said(drive.start(ann, 'resume').json);
    expect(text.match(/asks you for src\/a: the release/g)).toHaveLength(1);
    expect(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).stdout).toBe('');
    expect(said(drive.start(ann, 'compact').json).match(/asks you for src\/a/g)).toHaveLength(1);
  });
});

describe('a message', () => {
  test('that is the same several times is said once, of the last', async () => {
    const { repo, drive, said } = plugged();
    drive.start(ann);
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    const [{ agent }] = repo.coord(null, 'status').json['leases'];
    for (let i = 0; i < 3; i += 1)
      await tellHolders(worldOf(repo, 'bob'), [{ path: 'src/a', agent }]);
    const news = said(drive.moment('UserPromptSubmit', ann, { prompt: 'go on' }).json);
    expect(news).toMatch(
      /^coord: a command of bob \([0-9a-z]{8}\) has changed src\/a, which you hold \(3 times, last \d+s ago\)$/,
    );
  });

  test('is not taken for told where the harness does not pass it on', async () => {
    const { repo, drive, said } = plugged('cursor');
    drive.start(ann);
    drive.beforeEdit(ann, join(repo.top, 'src/a'));
    const [lease] = repo.coord(null, 'status').json['leases'];
    await ask(worldOf(repo, 'bob'), lease.id, 'the release', false);
    expect(drive.beforeEdit(ann, join(repo.top, 'src/b')).stdout).toBe('');
    expect(said(drive.start(ann, 'resume').json)).toContain('asks you for src/a: the release');
  });
});

test('where the plugin and the settings speak to one session at once, each thing is told once and both refuse', async () => {
  const { repo, drive } = plugged();
  const bin = join(repo.top, '../bin');
  mkdirSync(bin);
  symlinkSync(coordProgram, join(bin, 'coord'));
  const file = join(repo.top, '.claude/settings.json');
  const configurations: readonly Record<string, any>[] = [
    pluginHooks(claude).hooks,
    JSON.parse(readFileSync(file, 'utf8')).hooks,
  ];
  const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` };
  const saidBy = (command: string, payload: Record<string, unknown>): Promise<string> =>
    new Promise((resolve) => {
      const child = spawn('sh', ['-c', command], { cwd: repo.top, env });
      let said = '';
      child.stdout.on('data', (data) => {
        said += String(data);
      });
      child.on('close', () => resolve(said));
      child.stdin.end(JSON.stringify(payload));
    });
  const both = async (event: string, more: Record<string, unknown>): Promise<readonly string[]> => {
    const payload = { session_id: ann.session, cwd: repo.top, hook_event_name: event, ...more };
    const said = await Promise.all(
      configurations.map((hooks) => saidBy(hooks[event][0].hooks[0].command, payload)),
    );
    return said.filter((text) => text !== '');
  };
  expect(await both('SessionStart', { source: 'startup' })).toHaveLength(1);
  drive.beforeEdit(ann, join(repo.top, 'src/a'));
  const [lease] = repo.coord(null, 'status').json['leases'];
  await ask(worldOf(repo, 'bob'), lease.id, 'the release', false);
  const news = await both('UserPromptSubmit', { prompt: 'go on' });
  expect(news.join().match(/asks you for/g)).toHaveLength(1);
  repo.coord('bob', 'reserve', 'src/b');
  const denied = await both('PreToolUse', {
    tool_name: 'Edit',
    tool_input: { file_path: join(repo.top, 'src/b') },
  });
  expect(denied.map((said) => said.includes('"permissionDecision":"deny"'))).toEqual([true, true]);
  expect(await both('SessionStart', { source: 'compact' })).toHaveLength(1);
});

test('a refused commit names each path and its holder once before the one next command', () => {
  const repo = checkout();
  const [bob, cid] = [session(repo, 'bob'), session(repo, 'cid')];
  const held = ['parser', 'writer'].map((name) =>
    `${folder}/${name}`.padEnd(57, '-').concat('.ts'),
  );
  for (const path of held) repo.write(path, 'x\n');
  expect(cid.coord('reserve', ...held).code).toBe(0);
  const refusalOf = (...paths: readonly string[]): readonly string[] => {
    for (const path of paths) bob.edit(path);
    const { code, stderr } = bob.git('commit', '-m', 'a faster loop');
    expect(code).toBe(1);
    bob.git('reset', '-q');
    return stderr.trimEnd().split('\n');
  };
  const [one = ''] = held;
  const said = refusalOf(one);
  expect(said).toEqual([
    expect.stringMatching(
      `^coord: refused: ${one} is held by cid .* \\(.*\\), expires in 15m, as `,
    ),
    `  next: coord reserve --wait 2m --literal -- ${one} && git commit -m 'a faster loop'`,
    expect.stringMatching(/^ {2}why: coord explain [0-9a-z]{8}$/),
  ]);
  expect(said.join('\n').length).toBeLessThanOrEqual(400);
  const more = refusalOf(...held, 'src/a');
  expect(more[0]).toContain(`${held.join(', ')} are held by cid`);
  expect(more.filter((line) => line.startsWith('  next: '))).toHaveLength(1);
  expect(more).toHaveLength(3);
});
