/**
 * What surrounds Codex: its sandbox with rules, MCP servers, and which hooks it runs. Needs: agent
 * programs, loopback alone.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import { reserveAs } from './others.ts';
import { programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';

const codex = programNamed('codex');
const { hands } = codex;

describe('in its sandbox', () => {
  const allowed = ['git status', 'git add', 'git commit', 'ls'];

  it('what its rules allow runs as it does without coord, from an index of its own', async () => {
    const [with_, without] = [await scene([codex]), await scene([codex], { withoutCoord: true })];
    for (const here of [with_, without]) {
      here.repo.write('b.txt', 'staged by the user\n');
      here.repo.git('add', 'b.txt');
      const { results } = await here.run(
        codex,
        [
          turn(hands.edit(here.file('a.txt'), 'two', 'three')),
          turn(hands.shell('git status --short')),
          turn(hands.shell('git add a.txt && git commit -m allowed')),
          turn(hands.shell('ls')),
        ],
        { allowed },
      );
      expect(here.repo.git('log', '-1', '--format=%s').trim(), results.join('\n')).toBe('allowed');
    }
    expect(with_.repo.git('show', '--format=%(trailers)', '--name-only')).toMatch(
      /^Coord-Agent: codex-[^]*\na\.txt\n$/,
    );
    expect(with_.repo.git('diff', '--cached', '--name-only').trim()).toBe('b.txt');
  });

  it('edits are guarded, its MCP tools work and commit, and what cannot be written says what to allow', async () => {
    const here = await scene([codex]);
    const { top } = here.repo;
    const home = join(top, '..', 'home-codex', '.codex');
    const server = `command = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([coordProgram, 'mcp'])}\n`;
    // It runs the hooks of the repository, so its user has to approve it, here for good.
    const approved = '[mcp_servers.coord.tools.commit]\napproval_mode = "approve"\n';
    appendFileSync(join(home, 'config.toml'), `[mcp_servers.coord]\n${server}${approved}`);
    reserveAs(here, 'bob', 'b.txt');
    here.repo.write('src/c.txt', 'staged by the user\n');
    here.repo.git('add', 'src/c.txt');
    const { results } = await here.run(
      codex,
      [
        turn(hands.edit(here.file('a.txt'), 'two', 'three')),
        turn(hands.edit(here.file('b.txt'), 'two', 'three')),
        turn(hands.shell('coord reserve src/c.txt')),
        turn({ tool: 'mcp__coord.reserve', input: { patterns: ['src/c.txt', 'a.txt'] } }),
        async () => {
          const { blockers } = here.repo.coord(null, 'check', 'src/c.txt').json;
          expect(blockers).toMatchObject([{ agent: { name: expect.stringMatching(/^codex-/) } }]);
          return turn(hands.shell('git add -A; git commit -m by-shell'));
        },
        turn({ tool: 'mcp__coord.commit', input: { message: 'by-tool', paths: ['a.txt'] } }),
      ],
      { allowed: ['ls'] },
    );
    expect(results[4]).toMatch(/Read-only file system/);
    expect(here.repo.git('show', '--format=%s %(trailers)', '--name-only')).toMatch(
      /^by-tool Coord-Agent: codex-[^]*\na\.txt\n$/,
    );
    expect(here.repo.git('diff', '--cached', '--name-only').trim()).toBe('src/c.txt');
    expect(content(here, 'a.txt')).toContain('three');
    expect(results[1]).toContain('bob');
    expect(results[2]).toMatch(/it is read-only\n.*writable_roots = \["\/.*\/repo\/\.git"\]/);
    expect(results[3]).toContain('"granted"');
    expect(here.repo.coord(null, 'check', 'src/c.txt').json['result']).toBe('free');
  });
});

describe('what doctor says of its hooks', () => {
  const homeOf = ({ repo }: Scene): string => join(repo.top, '..', 'home-codex', '.codex');
  const config = (here: Scene): string => join(homeOf(here), 'config.toml');

  async function says(here: Scene): Promise<string> {
    const asked = here.repo.start(null, ['doctor'], { CODEX_HOME: homeOf(here) });
    const { checks } = (await asked.ended).json;
    return checks.find(({ check }: { check: string }) => check === 'codex').says;
  }

  it('that a project which is not trusted has none in force', async () => {
    const here = await scene([codex], { untrusted: true });
    expect(await says(here)).toMatch(/^not in force: .*project that its user trusts.*\/hooks/);
    appendFileSync(config(here), `[projects."${here.file('')}"]\ntrust_level = "trusted"\n`);
    expect(await says(here)).toMatch(/^not in force: .*has not approved.*\/hooks/);
  });

  it('that they are in force as Codex itself has noted it, until they or their switches change', async () => {
    const here = await scene([codex]);
    expect(await says(here)).toMatch(/^tried as /);
    const approved = readFileSync(config(here), 'utf8');
    writeFileSync(config(here), `${approved}enabled = false\n`);
    expect(await says(here)).toMatch(/^not in force: .*switched off/);
    writeFileSync(config(here), `${approved}[features]\nhooks = false\n`);
    expect(await says(here)).toMatch(/^not in force: .*switches all hooks off/);
    writeFileSync(config(here), approved);
    const hooks = here.file('.codex/hooks.json');
    writeFileSync(hooks, readFileSync(hooks, 'utf8').replaceAll('"timeout": 60', '"timeout": 59'));
    expect(await says(here)).toMatch(/^not in force: .*changed since they were approved/);
  });
});
