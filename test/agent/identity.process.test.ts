/** Which person a terminal is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { coordProgram, type TestRepository } from '../support/repository.ts';
import { elsewhere, nameIn, team } from './elsewhere.ts';

/** Another terminal that stays open, in which something was reserved. */
async function openTerminal(repo: TestRepository, path: string): Promise<() => Promise<unknown>> {
  const script = `"$0" "$1" reserve ${path} >/dev/null && echo done && read -r _`;
  const child = spawn('sh', ['-c', script, process.execPath, coordProgram], {
    cwd: repo.top,
    env: repo.env,
    detached: true,
  });
  await once(child.stdout, 'data');
  return () => {
    child.stdin.end('\n');
    return once(child, 'close');
  };
}

describe('a person', () => {
  test('is one in every terminal, whatever user.name says: what one terminal reserves another one commits and releases [U3]', async () => {
    const repo = team();
    expect((await elsewhere(repo, ['reserve', 'src/a'])).code).toBe(0);
    repo.git('config', 'user.name', 'Somebody Else');
    const [here, there] = [
      repo.coord(null, 'whoami').json['agent'].name,
      nameIn(await elsewhere(repo, ['whoami', '--json'])),
    ];
    expect(here).toEqual(there);
    expect(here.startsWith('ann.')).toBe(true);
    repo.write('src/a', 'b\n');
    repo.git('commit', '-q', '-a', '-m', 'from here');
    expect(repo.coord(null, 'release', 'src/a').code).toBe(0);
  });

  test('is another one with another email', () => {
    const repo = team();
    repo.coord(null, 'reserve', 'src/a');
    repo.git('config', 'user.email', 'bob@example.com');
    const refused = repo.coord(null, 'reserve', 'src/a');
    expect({ code: refused.code, kind: refused.json['refusal'].kind }).toEqual({
      code: 1,
      kind: 'held',
    });
  });

  test('a second open terminal has to say that it is the same person', async () => {
    const repo = team();
    const close = await openTerminal(repo, 'src/a');
    const refused = repo.coord(null, 'reserve', 'src/a');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      next: refused.json['next'],
    }).toEqual({ code: 1, kind: 'held', next: 'coord reserve --mine src/a' });
    expect(refused.json['blockers'][0].agent.name).toMatch(/^ann\./);
    expect(repo.coord(null, 'reserve', '--mine', 'src/a').code).toBe(0);
    await close();
  });

  test("a terminal that was closed is nobody's", async () => {
    const repo = team();
    const close = await openTerminal(repo, 'src/a');
    expect(repo.coord(null, 'reserve', 'src/a').code).toBe(1);
    await close();
    expect(repo.coord(null, 'reserve', 'src/a').code).toBe(0);
  });
});
