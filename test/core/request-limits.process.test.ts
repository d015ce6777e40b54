/** What may be asked for has bounds: the time of a lease, and the size of a pattern. */
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

describe('a request', () => {
  test('a TTL is mandatory and bounded, and no process id frees anything [SAFETY-2, ARC-3.2, ARC-C2, SYN-M1]', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    expect(lease.ttl).toBe(900);
    for (const ttl of ['0s', '4s', '25h', '-1m', 'soon', '15']) {
      expect(repo.coord('ann', 'reserve', 'b', `--ttl=${ttl}`).code, ttl).toBe(64);
    }
    // The process that took it has long ended; the lease stands.
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('held');
  });

  test('a pattern past the limits is refused in reserve, check and release alike [SAFETY-3]', () => {
    const repo = repository();
    for (const verb of ['reserve', 'check', 'release', 'transfer']) {
      const more = verb === 'transfer' ? ['--to', 'bob'] : [];
      const ran = repo.coord('ann', verb, '{a,b}'.repeat(10), ...more);
      expect(ran.code, verb).toBe(64);
      expect(ran.json['error']?.code, verb).toBe('pattern_too_complex');
    }
    expect(repo.coord('ann', 'reserve', `docs/${'long-name-'.repeat(20)}.md`).code).toBe(0);
  });
});
