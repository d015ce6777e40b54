/**
 * Work lands in the step that puts it on record, or neither happens: the fence, on a server that
 * knows nothing of coord. Needs: nginx, fcgiwrap, sshd.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone } from '../support/clones.ts';
import { executable } from '../support/gate.ts';
import { events, logFaults } from '../support/log-check.ts';
import { eventually, start } from '../support/repository.ts';
import { serve } from '../support/servers.ts';
import { committed, main, team, transports } from './team.ts';

describe('coord push', () => {
  test.for(transports)(
    'moves branch and log together, and cites the tokens, by %s',
    { timeout: 60_000 },
    async (transport) => {
      const { one, two, there } = await team(transport);
      const { token, id } = one.coord('alice', 'reserve', 'src/').json['leases'][0];
      const commit = committed(one, 'src/a.ts');
      const pushed = one.coord('alice', 'push');
      expect({
        code: pushed.code,
        result: pushed.json['result'],
        tokens: pushed.json['tokens'],
      }).toEqual({ code: 0, result: 'landed', tokens: [token] });
      expect(main(there)).toBe(commit);
      expect(events(there, 'landed').at(-1)).toMatchObject({
        agent: { name: 'alice' },
        branch: 'refs/heads/main',
        commit,
        tokens: [token],
        leases: [id],
      });
      expect(one.git('rev-parse', 'origin/main').trim()).toBe(commit);
      expect(one.coord('alice', 'push').json['result']).toBe('unchanged');
      expect(two.coord('bob', 'log').stdout).toMatch(/"event":"landed"/);
      expect(logFaults(there)).toEqual([]);
    },
  );

  test('of work on what another holds is refused, whoever pushes it, and neither moves', async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    committed(two, 'src/a.ts');
    const [before, log] = [main(there), there.git('rev-parse', 'refs/coord/log')];
    const refused = two.coord('bob', 'push');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      name: refused.json['blockers'][0].agent.name,
    }).toEqual({ code: 1, kind: 'held', name: 'alice' });
    expect(main(there)).toEqual(before);
    expect(there.git('rev-parse', 'refs/coord/log')).toEqual(log);
  });

  test(
    "waits with --wait until it is free, and runs the user's hook once for each try",
    { timeout: 60_000 },
    async () => {
      const { one, two, there } = await team();
      one.coord('alice', 'reserve', 'src/');
      const commit = committed(two, 'src/a.ts');
      const late = two.coord('bob', 'push', '--wait', '10ms');
      expect({ code: late.code, kind: late.json['refusal'].kind, next: late.json['next'] }).toEqual(
        { code: 75, kind: 'timeout', next: 'coord push --wait 2m --agent bob' },
      );
      executable(
        join(two.top, '.git/hooks/pre-push'),
        '#!/bin/sh\necho ran >> "$(git rev-parse --git-dir)/ran"\n',
      );
      const waiting = start(two.top, two.env, ['--agent', 'bob', 'push', '--wait', '60s']);
      let told = '';
      waiting.child.stderr?.on('data', (text: string) => {
        told += text;
      });
      await eventually('it waits', () => told.includes('waiting for src/** of alice'));
      expect(one.coord('alice', 'release', '--all').code).toBe(0);
      expect((await waiting.ended).code).toBe(0);
      expect(main(there)).toEqual(commit);
      expect(readFileSync(join(two.top, '.git/ran'), 'utf8')).toBe('ran\nran\n');
    },
  );

  test('a merge that takes back what another holds is refused, though none of its commits touches it', async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    committed(one, 'src/a.ts');
    expect(one.coord('alice', 'push').code).toBe(0);
    committed(two, 'docs/d.md');
    two.git('fetch', '-q', 'origin');
    two.git('merge', '-q', '-s', 'ours', '-m', 'mine', 'origin/main');
    const before = main(there);
    expect(two.coord('bob', 'push').json['blockers']?.[0]?.agent.name).toBe('alice');
    expect(main(there)).toBe(before);
  });

  test('behind what is there it says what to run, and rebased it lands', async () => {
    const { one, two, there } = await team();
    committed(one, 'a.ts');
    expect(one.coord('alice', 'push').code).toBe(0);
    committed(two, 'b.ts');
    const refused = two.coord('bob', 'push');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      next: refused.json['next'],
    }).toEqual({ code: 1, kind: 'behind', next: 'git pull --rebase origin main' });
    two.git('pull', '-q', '--rebase', 'origin', 'main');
    expect(two.coord('bob', 'push').json['result']).toBe('landed');
    expect(main(there)).toBe(two.git('rev-parse', 'HEAD').trim());
  });

  test('names that are none of a branch, and no branch at all, are said', async () => {
    const { one } = await team();
    for (const name of ['--mirror', 'nowhere', 'a..b', 'x:refs/heads/y', '*', 'coord/log', 'coord'])
      expect({ name, code: one.coord('alice', 'push', '--', name).code }).toEqual({
        name,
        code: 64,
      });
    one.git('checkout', '-q', '--detach');
    expect(one.coord('alice', 'push').json['error'].hint).toBe('coord push <branch>');
    expect(one.coord('alice', 'push', 'main', '--as', '../x').code).toBe(64);
  });
});

test('without a remote log it says what to run instead', async () => {
  const repo = clone(await serve('http'));
  expect(repo.coord('alice', 'push').json['error']).toMatchObject({
    code: 'bad_remote',
    hint: 'git push; or coord remote set <name>',
  });
});

describe("the user's own pre-push hook", () => {
  test('is run as git would, and its no is a no', async () => {
    const { server, one, there } = await team();
    const hook = join(one.top, '.git/hooks/pre-push');
    const commit = committed(one, 'a.ts');
    const before = main(there);
    executable(
      hook,
      `#!/bin/sh\necho "$@" >'${one.top}/../said'\ncat >>'${one.top}/../said'\nexit 1\n`,
    );
    const refused = one.coord('alice', 'push');
    expect(refused.code).toBe(69);
    expect(refused.json['error'].code).toBe('cannot_run');
    expect(main(there)).toEqual(before);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(join(one.top, '../said'), 'utf8')).toBe(
      `origin ${server.url}\nrefs/heads/main ${commit} refs/heads/main ${before}\n`,
    );
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    expect(one.coord('alice', 'push').json['result']).toBe('landed');
  });

  test('is not run for the log: a slow one holds up nobody', async () => {
    const { one } = await team();
    executable(
      join(one.top, '.git/hooks/pre-push'),
      `#!/bin/sh\ntouch '${one.top}/../ran'\nexit 1\n`,
    );
    expect(one.coord('alice', 'reserve', 'src/').code).toBe(0);
    const { existsSync } = await import('node:fs');
    expect(existsSync(join(one.top, '../ran'))).toBe(false);
  });
});
