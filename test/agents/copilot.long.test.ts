/** What only Copilot CLI has. Needs: agent programs, loopback alone. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coordProgram } from '../support/repository.ts';
import { patch } from './codex-program.ts';
import { held, reserveAs, trailer } from './others.ts';
import { programNamed } from './programs.ts';
import { content, type Scene, scene, turn } from './scene.ts';

const copilot = programNamed('copilot');
const { hands } = copilot;

/** Models with such a name are given apply_patch, and no other tool that edits. */
const gpt = { COPILOT_MODEL: 'gpt-5.5' };
const patches = (input: string) => ({ tool: 'apply_patch', input });

describe('a model that edits by patches', () => {
  it('is refused a patch that touches what somebody holds, with who and what next', async () => {
    const here = await scene([copilot]);
    reserveAs(here, 'bob', 'b.txt');
    const both = patch('a.txt', 'two', 'three').replace(
      '*** End Patch',
      '*** Delete File: b.txt\n*** End Patch',
    );
    const { results } = await here.run(copilot, [turn(patches(both))], { env: gpt });
    expect(results.at(-1)).toMatch(
      /^Denied by preToolUse hook: coord: [^]*b\.txt[^]*bob[^]*Next: /,
    );
    expect(content(here, 'b.txt')).toContain('two');
    expect(content(here, 'a.txt')).toContain('two');
  });

  it('reserves all that a patch adds, changes, deletes and moves', async () => {
    const here = await scene([copilot]);
    const text = [
      '*** Begin Patch',
      `*** Update File: ${here.file('a.txt')}`,
      '*** Move to: moved.txt',
      '@@',
      '-two',
      '+three',
      '*** Add File: new.txt',
      '+new',
      '*** Delete File: b.txt',
      '*** End Patch',
      '',
    ].join('\n');
    let before: Readonly<Record<string, string>> = {};
    const look = async () => {
      before = held(here);
      return turn(hands.shell('true'));
    };
    const { results } = await here.run(copilot, [turn(patches(text)), look], { env: gpt });
    expect(content(here, 'moved.txt'), results.join('\n')).toContain('three');
    expect(Object.keys(before).sort()).toEqual(['a.txt', 'b.txt', 'moved.txt', 'new.txt']);
  });
});

describe('where the project has hooks for Claude Code as well', () => {
  it('is one agent, and told everything once', async () => {
    const here = await scene([copilot]);
    expect(
      here.repo.text(null, 'install', '--harness', 'claude', '--harness', 'copilot').code,
    ).toBe(0);
    let before: Readonly<Record<string, string>> = {};
    const { results, items } = await here.run(copilot, [
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      turn(hands.shell('echo more >> b.txt')),
      async () => {
        before = held(here);
        return turn(hands.shell('true'));
      },
    ]);
    expect(content(here, 'a.txt'), results.join('\n')).toContain('three');
    expect(Object.keys(before)).toHaveLength(2);
    expect(new Set(Object.values(before)).size).toBe(1);
    expect(before['a.txt']).toMatch(/^copilot-\w{8}$/);
    const told = items.map(({ text }) => text).join('\n');
    expect(told.match(/you are copilot-/g)).toHaveLength(1);
    expect(told).not.toContain('claude-');
  });

  it('is guarded by those alone where it has none of its own', async () => {
    const here = await scene([copilot], { withoutCoord: true });
    here.repo.text(null, 'install', '--harness', 'claude');
    reserveAs(here, 'bob', 'b.txt');
    const steps = [
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      turn(hands.edit(here.file('b.txt'), 'two', 'three')),
      turn(hands.shell('git add a.txt && git commit -m change')),
    ];
    const { results } = await here.run(copilot, steps);
    expect(content(here, 'a.txt'), results.join('\n')).toContain('three');
    expect(content(here, 'b.txt')).not.toContain('three');
    expect(results[1]).toMatch(/^Denied by preToolUse hook: coord: [^]*bob/);
    expect(trailer(here)).toMatch(/^copilot-\w{8}$/);
    const byPatch = await here.run(copilot, [turn(patches(patch('b.txt', 'two', 'three')))], {
      env: gpt,
      script: 'patch',
    });
    expect(byPatch.results.at(-1)).toMatch(/^Denied by preToolUse hook: coord: [^]*bob/);
  });
});

describe('commands that its user has allowed', () => {
  const allowed = ['git status', 'git add', 'git commit', 'ls'];
  const commands = [
    'git status --short',
    'git add a.txt',
    'git commit -qm change',
    'ls',
    'git push',
    'git status && touch made.txt',
  ];

  it('run as without coord, and no others do', async () => {
    const withCoord = await scene([copilot]);
    const without = await scene([copilot], { withoutCoord: true });
    const ran: boolean[][] = [];
    for (const here of [withCoord, without]) {
      here.repo.write('a.txt', 'changed\n');
      const steps = commands.map((command) => turn(hands.shell(command)));
      const { results } = await here.run(copilot, steps, { allowed });
      ran.push(results.map((text) => !/permission/i.test(text)));
      expect(here.repo.git('log', '-1', '--format=%s').trim()).toBe('change');
      expect(here.repo.git('status', '--short')).not.toContain('made.txt');
    }
    expect(ran[0]).toEqual([true, true, true, true, false, false]);
    expect(ran[1]).toEqual(ran[0]);
    expect(trailer(withCoord)).toMatch(/^copilot-/);
  });

  it('run for a subagent too, as itself', async () => {
    const here = await scene([copilot]);
    here.repo.write('a.txt', 'changed\n');
    await here.run(copilot, [turn(hands.task('SCRIPT:child'))], {
      allowed,
      children: {
        child: [
          turn(hands.edit(here.file('a.txt'), 'changed', 'changed again')),
          ...commands.slice(0, 3).map((command) => turn(hands.shell(command))),
        ],
      },
    });
    expect(trailer(here)).toMatch(/^copilot-\w{8}\/\w{8}$/);
  });
});

it('commits by a script from an index of its own, as a subagent too', async () => {
  const here = await scene([copilot]);
  here.repo.write('b.txt', 'staged by the user\n');
  here.repo.git('add', 'b.txt');
  here.repo.write('save.sh', 'git add "$1" && git commit -m by-script\n');
  const saves = (path: string) => [
    turn(hands.edit(here.file(path), 'two', 'three')),
    turn(hands.shell(`sh save.sh ${path}`)),
  ];
  const { results } = await here.run(
    copilot,
    [...saves('a.txt'), turn(hands.task('SCRIPT:child'))],
    { children: { child: saves('src/c.txt') } },
  );
  const log = here.repo.git('log', '-2', '--format=%(trailers)', '--name-only');
  expect(
    log.split(/\n+/).map((line) => line.replace(/ \(.*/, '')),
    results.join('\n'),
  ).toEqual([
    expect.stringMatching(/^Coord-Agent: copilot-\w{8}\/\w{8}$/),
    'src/c.txt',
    expect.stringMatching(/^Coord-Agent: copilot-\w{8}$/),
    'a.txt',
    '',
  ]);
  expect(here.repo.git('diff', '--cached', '--name-only').trim()).toBe('b.txt');
});

it('is known in a script, whose command no hook could see through', async () => {
  const here = await scene([copilot]);
  here.repo.write('who.mjs', `import(${JSON.stringify(coordProgram)})`);
  const asked = turn(hands.shell('node who.mjs whoami'));
  const { results, items } = await here.run(copilot, [asked, turn(hands.task('SCRIPT:child'))], {
    children: { child: [asked] },
  });
  const [name = '?'] = items.flatMap(({ text }) => /you are (copilot-\w{8})/.exec(text)?.[1] ?? []);
  expect(results[0]).toContain(name);
  // The id that the shell of a subagent has is told by no hook: it is known by its program.
  expect(here.server.heard('child').items.at(-1)?.text).toContain(name);
});

describe('trust', () => {
  const found = (here: Scene): string => {
    const { checks } = here.repo.coord(null, 'doctor').json;
    return checks.find(({ check }: { check: string }) => check === 'copilot').says;
  };
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };

  it('is needed by the hooks of a project: install and doctor say so, and by what they are in force', async () => {
    const here = await scene([copilot], { untrusted: true });
    const home = here.repo.env['HOME'] ?? '';
    expect(here.repo.text(null, 'install', '--harness', 'copilot').stdout).toContain(
      'not in force yet for Copilot CLI: Copilot CLI runs them only where',
    );
    expect(found(here)).toMatch(/^not in force: .*--trust-folder$/);
    reserveAs(here, 'bob', 'a.txt');
    const ran = async (script: string): Promise<string> => {
      const { results } = await here.run(
        copilot,
        [turn(hands.edit(here.file('a.txt'), 'two', script))],
        { script, env: { HOME: home } },
      );
      return results.join('\n');
    };
    expect(await ran('untrusted')).toContain('updated');
    put(
      join(home, '.copilot/config.json'),
      `// Managed.\n{ "trustedFolders": ["/x]y", ${JSON.stringify(here.file('.'))}] }\n`,
    );
    expect(found(here)).toMatch(/^tried as /);
    expect(await ran('trusted')).toMatch(/^Denied by preToolUse hook/);
    put(here.file('.github/copilot/settings.json'), '{ "disableAllHooks": true }\n');
    expect(found(here)).toMatch(/^not in force: .*disableAllHooks/);
    expect(await ran('disabled')).toMatch(/No match found|updated/);
  });
});
