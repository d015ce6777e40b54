/** A storm of `coord commit`: all who commit at once succeed. */
import { expect, test } from 'vitest';
import { start } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, session } from '../support/sessions.ts';

test(
  'coord commit SYS-1: ten agents commit at once, four times each, in one checkout: all land, nothing is lost or mixed',
  { timeout: 120_000 },
  async () => {
    const repo = checkout();
    const agents = Array.from({ length: 10 }, (_, i) => session(repo, `agent-${i}`));
    for (const [i] of agents.entries()) repo.write(`src/of-${i}`, '');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'files');
    await Promise.all(
      agents.map(async (agent, i) => {
        for (let round = 0; round < 4; round += 1) {
          agent.edit(`src/of-${i}`, `round ${round}`);
          const done = await start(repo.top, agent.env, [
            '--json',
            'commit',
            '-m',
            `${agent.name} ${round}`,
          ]).ended;
          expect(done.json['result'], done.stdout + done.stderr).toBe('committed');
        }
      }),
    );
    expect(repo.git('rev-list', '--count', 'HEAD').trim()).toBe('43');
    for (const [i] of agents.entries())
      expect(fileAt(repo, `src/of-${i}`)).toBe('round 0\nround 1\nround 2\nround 3\n');
    for (const commit of repo.git('rev-list', '-40', 'HEAD').trim().split('\n'))
      expect(pathsIn(repo, commit)).toMatch(/^src\/of-\d$/);
    repo.git('status', '--porcelain');
    expect(repo.git('diff', '--cached', '--name-only')).toBe('');
  },
);
