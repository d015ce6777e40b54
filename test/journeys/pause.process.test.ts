/** coord pause: for a while the guards let everybody pass, in front of everybody. */
import { expect, test } from 'vitest';
import { refused, scene, went } from '../support/scene.ts';

test('commits and commands pass, are in the log with the reason, and their holders are told; until its end', () => {
  const { repo, ann, bob, person } = scene();
  went(bob.coord('reserve', 'src/b'));
  expect(person('status').code).toBe(0);
  expect(repo.coord('eve', 'pause', '--for', '1h').json['error'].code).toBe('needs_reason');
  expect(repo.coord('eve', 'pause', '--reason', 'moving house').code).toBe(64);
  expect(repo.coord('eve', 'pause', '--for', '1h', '--reason', 'moving house').json['result']).toBe(
    'paused',
  );
  ann.edit('src/b');
  went(ann.git('commit', '-q', '-m', 'through the pause'));
  repo.write('src/b', 'of bob\n');
  went(ann.git('checkout', '--', 'src/b'));
  repo.coord('eve', 'reserve', 'elsewhere');
  const told = repo
    .coord(null, 'log')
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'overridden');
  expect(told).toMatchObject([
    {
      agent: { name: 'ann' },
      paths: ['src/b'],
      reason: expect.stringMatching(/^paused by eve \(\w{8}\): moving house$/),
    },
    { command: 'git checkout -- src/b' },
  ]);
  expect(JSON.stringify(bob.coord('inbox').json)).toContain('moving house');
  expect(repo.coord('eve', 'pause', '--end').json['result']).toBe('ended');
  ann.edit('src/b');
  refused(ann.git('commit', '-q', '-m', 'after it'), 'src/b is held by bob');
});
