/** Commands that a team runs one at a time. */
import { describe, expect, test } from 'vitest';
import { presetFor, presetsIn } from '../../src/core/presets.ts';
import { driver } from '../support/harness.ts';
import { repository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const said = 'test=npm test, pytest; install!=npm ci; db@checkout=make migrate';

describe('presets', () => {
  test.for([
    ['npm test', 'test'],
    ['npm test -- --watch', 'test'],
    ['pytest -q', 'test'],
    ['npm ci', 'install'],
    ['make migrate', 'db'],
    ['npm run test', null],
    ['npm', null],
    ['make', null],
  ] as const)('%s is run under the lock %s', ([command, lock]) => {
    expect(presetFor(command.split(' '), presetsIn(said))?.lock ?? null).toBe(lock);
  });

  test.for([
    'test',
    'test=',
    '=npm test',
    'te st=x',
    'test=x; y',
    '../x=y',
  ])('%j is none', (text) => {
    expect(() => presetsIn(text)).toThrow(expect.objectContaining({ code: 'bad_setting' }));
  });

  test('run takes the lock that is named for its command; with ! it does not stand in line; a checkout may have its own', () => {
    const repo = repository();
    repo.git('config', 'coord.presets', 'test=true; install!=echo; db@checkout=sh');
    expect(repo.coord('ann', 'run', '--', 'true').json['lock']).toBe('test');
    expect(repo.coord('ann', 'run', '--', 'sh', '-c', ':').json['lock']).toMatch(
      /^db\.[0-9a-f]{8}$/,
    );
    expect(repo.coord('bob', 'lock', 'install').code).toBe(0);
    expect(repo.coord('ann', 'run', '--', 'echo', 'x').json['refusal'].kind).toBe('held');
    expect(repo.coord('ann', 'run', '--', 'false').json['error'].code).toBe('usage');
  });

  test('an agent that runs such a command without its lock is told the line that does', () => {
    const repo = checkout();
    repo.git('config', 'coord.presets', said);
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const claude = driver(repo, 'claude');
    const caller = { session: 'aaaa1111-2222' };
    claude.start(caller);
    for (const command of [
      'npm test',
      'cd src && npm test',
      "sh -c 'npm test'",
      'CI=1 npm test --silent',
    ])
      expect(claude.shape.reasonOf(claude.beforeShell(caller, command).json), command).toMatch(
        /this is run under the lock test here.*\nNext: coord run -- npm test/s,
      );
    for (const command of ['coord run -- npm test', 'coord verify -- npm test', 'npm run lint'])
      expect(
        claude.shape.reasonOf(claude.beforeShell(caller, command).json),
        command,
      ).toBeUndefined();
  });
});
