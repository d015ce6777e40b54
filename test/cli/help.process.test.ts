/** Every verb says what it does. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('every verb answers --help with examples and exit 0 [SYN-C2, ARC-C4, L1]', () => {
  const repo = repository();
  const verbs = [
    'reserve',
    'check',
    'renew',
    'release',
    'claim',
    'unclaim',
    'lock',
    'unlock',
    'run',
    'transfer',
    'break',
    'status',
    'who',
    'log',
    'stats',
    'sweep',
    'doctor',
    'demo',
    'simulate',
    'replay',
    'completion',
    'whoami',
  ];
  for (const verb of [...verbs, 'session start', 'session end', 'session list', 'session adopt']) {
    const help = repo.text(null, ...verb.split(' '), '--help');
    expect({ verb, code: help.code }, help.stderr).toEqual({ verb, code: 0 });
    expect(help.stdout, verb).toContain('Examples:');
  }
});
