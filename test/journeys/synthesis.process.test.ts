/** The rows of the architecture and synthesis reviews, each through the installed program. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reserveInThePast } from '../support/aged.ts';
import { leasesAt } from '../support/log-check.ts';
import { at, repository } from '../support/repository.ts';

describe('the synthesis and architecture reviews', () => {
  test('SYN-C2 ARC-C4 L1: every verb answers --help with examples and exit 0', () => {
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
      'completion',
      'whoami',
    ];
    for (const verb of [
      ...verbs,
      'session start',
      'session end',
      'session list',
      'session adopt',
    ]) {
      const help = repo.text(null, ...verb.split(' '), '--help');
      expect({ verb, code: help.code }, help.stderr).toEqual({ verb, code: 0 });
      expect(help.stdout, verb).toContain('Examples:');
    }
  });

  test('SAFETY-1: hostile names and reasons are never executed and never printed raw', () => {
    const repo = repository();
    const name = 'a\'"$(touch pwned)`id`\u001b[31m\u202e.ts';
    repo.write(name);
    expect(repo.coord('ann', 'reserve', name).code).toBe(0);
    const refused = repo.text('bob', 'reserve', name);
    expect(refused.code).toBe(1);
    const shown =
      refused.stderr +
      repo.text(null, 'status').stdout +
      repo.text(null, 'log').stdout +
      repo.coord(null, 'status').stdout;
    expect(shown).not.toMatch(/[\u001b\u202e\u0080-\u009f]/);
    expect(existsSync(join(repo.top, 'pwned'))).toBe(false);
    expect(
      repo.git('for-each-ref', 'refs/coord', '--format=%(refname) %(contents:subject)'),
    ).not.toMatch(/[\u001b\u202e]/);
    const reason = repo.coord('ann', 'reserve', 'x', '--reason', 'line\nbreak');
    expect(reason.code).toBe(64);
    expect(reason.json['error'].code).toBe('bad_reason');
  });

  test('SAFETY-2 ARC-3.2 ARC-C2 SYN-M1: a TTL is mandatory and bounded, and no process id frees anything', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    expect(lease.ttl).toBe(900);
    for (const ttl of ['0s', '4s', '25h', '-1m', 'soon', '15']) {
      expect(repo.coord('ann', 'reserve', 'b', `--ttl=${ttl}`).code, ttl).toBe(64);
    }
    // The process that took it has long ended; the lease stands.
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('held');
  });

  test('SAFETY-3: a pattern past the limits is refused in reserve, check and release alike', () => {
    const repo = repository();
    for (const verb of ['reserve', 'check', 'release', 'transfer']) {
      const more = verb === 'transfer' ? ['--to', 'bob'] : [];
      const ran = repo.coord('ann', verb, '{a,b}'.repeat(10), ...more);
      expect(ran.code, verb).toBe(64);
      expect(ran.json['error']?.code, verb).toBe('pattern_too_complex');
    }
    expect(repo.coord('ann', 'reserve', `docs/${'long-name-'.repeat(20)}.md`).code).toBe(0);
  });

  test('ARCH-3 ARC-M3: acquired, released, conflict, expired and transferred are each in the log exactly once, with id and pattern', async () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    repo.coord('bob', 'reserve', 'a');
    repo.coord('bob', 'reserve', 'other');
    repo.coord('ann', 'transfer', lease.id, '--to', 'bob');
    repo.coord('bob', 'release', lease.id);
    await reserveInThePast(repo, 'ann', ['brief'], 3_000, '0s');
    const taken = repo.coord('bob', 'reserve', 'brief', '--wait', '20s', '-c', 'coord.grace=0s');
    expect(taken.json['result']).toBe('granted');
    const events = repo
      .coord(null, 'log')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>);
    const of = (name: string, pattern: string): Record<string, any>[] =>
      events.filter((event) => event['event'] === name && event['patterns']?.includes(pattern));
    expect(of('acquired', 'a').map((event) => event['lease'])).toEqual([lease.id]);
    expect(of('conflict', 'a').map((event) => event['blockers'][0].id)).toEqual([lease.id]);
    expect(of('transferred', 'a').map((event) => event['lease'])).toEqual([lease.id]);
    expect(of('released', 'a').map((event) => event['lease'])).toEqual([lease.id]);
    expect(of('expired', 'brief')).toHaveLength(1);
    expect(events.findIndex((event) => event['event'] === 'expired')).toBeLessThan(
      events.findLastIndex(
        (event) => event['event'] === 'acquired' && event['patterns'].includes('brief'),
      ),
    );
    const cursor = events.at(-2)?.['seq'] as number;
    expect(repo.coord(null, 'log', '--since', String(cursor)).stdout).not.toContain(
      `"seq":${cursor},`,
    );
  });

  test('SYN-H1 F-CORR-C3: reserving again renews one lease, an upgrade looks at other sharers, a downgrade is allowed', () => {
    const repo = repository();
    const first = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0];
    const again = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0];
    expect({ id: again.id, token: again.token }).toEqual({ id: first.id, token: first.token });
    expect(repo.coord('bob', 'reserve', 'a', '--shared').code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'a').json['refusal'].kind).toBe('held');
    repo.coord('bob', 'release', 'a');
    const upgraded = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    expect({ id: upgraded.id, mode: upgraded.mode }).toEqual({ id: first.id, mode: 'exclusive' });
    expect(upgraded.token).toBeGreaterThan(first.token);
    expect(repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0].mode).toBe('shared');
    expect(repo.coord('bob', 'reserve', 'a', '--shared').code).toBe(0);
    expect(repo.coord(null, 'status').json['leases']).toHaveLength(2);
  });

  test('SYN-H2 F-CORR-H1: local files and view refs can all go without a decision changing', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'src/**', '--reason', 'x');
    repo
      .git('for-each-ref', '--format=delete %(refname)', 'refs/coord')
      .split('\n')
      .filter((line) => line.startsWith('delete') && !line.endsWith('/log'))
      .forEach((line) => repo.git('update-ref', '-d', line.slice(7)));
    expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('ann');
    expect(repo.coord(null, 'sweep').code).toBe(0);
    expect(repo.git('for-each-ref', 'refs/coord/reservations')).toContain(
      'refs/coord/reservations/',
    );
  });

  test('SYN-H4 SYN-M4 F-CORR-H3: a transfer is all or nothing, and nothing matched is not success', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    const b = repo.coord('bob', 'reserve', 'b').json['leases'][0];
    const mixed = repo.coord('ann', 'transfer', 'a', b.id, '--to', 'bob');
    expect({ code: mixed.code, kind: mixed.json['refusal'].kind }).toEqual({
      code: 1,
      kind: 'not_owner',
    });
    expect(repo.coord('ann', 'transfer', 'a', 'nothing', '--to', 'bob').json['refusal'].kind).toBe(
      'nothing_matched',
    );
    expect(repo.coord('ann', 'transfer', 'a', '--to', 'nobody').json['refusal'].kind).toBe(
      'no_such_agent',
    );
    expect(repo.coord('ann', 'check', 'a').json['result']).toBe('mine');
    expect(repo.coord('ann', 'release', 'nothing').json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord('cid', 'renew').json['refusal'].kind).toBe('nothing_matched');
    const given = repo.coord('ann', 'transfer', 'a', '--to', 'bob');
    expect(given.json['leases'][0].agent.name).toBe('bob');
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('mine');
  });

  test('ARCH-2 ARC-M2: one form of id everywhere', () => {
    const repo = repository();
    const granted = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    const who = repo.coord('ann', 'whoami').json['agent'];
    expect(granted.id).toEqual(expect.stringMatching(/^[0-9a-z]{8}$/));
    expect(granted.agent.id).toEqual(who.id);
    expect(
      repo.git('for-each-ref', '--format=%(refname)', 'refs/coord').trim().split('\n').sort(),
    ).toEqual([
      `refs/coord/agents/${who.id}`,
      'refs/coord/log',
      `refs/coord/reservations/${granted.id}`,
    ]);
  });

  test('ARCH-4 ARC-M4 A3: one file has one key from a subdirectory, ./, an absolute path, a symlinked parent and a linked work tree', () => {
    const repo = repository();
    repo.write('src/deep/a.ts');
    symlinkSync('src', join(repo.top, 'link'));
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'files');
    repo.git('worktree', 'add', '-q', '../linked');
    repo.coord('ann', 'reserve', 'src/deep/a.ts');
    const linked = at(join(repo.top, '..', 'linked'), repo.env);
    const seen = [
      at(join(repo.top, 'src'), repo.env).coord('bob', 'check', 'deep/a.ts'),
      at(join(repo.top, 'src/deep'), repo.env).coord('bob', 'check', '../deep/./a.ts'),
      repo.coord('bob', 'check', './src//deep/a.ts'),
      repo.coord('bob', 'check', join(repo.top, 'src/deep/a.ts')),
      repo.coord('bob', 'check', 'link/deep/a.ts'),
      linked.coord('bob', 'check', 'src/deep/a.ts'),
      linked.coord('bob', 'check', join(linked.top, 'src/deep')),
      repo.coord('bob', 'check', 'src'),
    ];
    expect(seen.map(({ json }) => json['result'])).toEqual(Array.from({ length: 8 }, () => 'held'));
    expect(repo.coord('bob', 'check', '../elsewhere').json['error'].code).toBe('path_outside');
    expect(repo.coord('bob', 'check', '/etc/passwd').json['error'].code).toBe('path_outside');
  });

  test('ARC-1.3 ARC-M5 F-SAFE-4: a log of a newer version is named and not written to', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    const tree = repo.git('ls-tree', 'refs/coord/log');
    repo.write('meta', '{"id":"log","version":9}\n');
    const blob = repo.git('hash-object', '-w', 'meta').trim();
    repo.write('tree', tree.replace(/blob [0-9a-f]+\tmeta/, `blob ${blob}\tmeta`));
    const made = repo
      .git('-c', 'core.quotePath=false', 'log', '-1', '--format=%B', 'refs/coord/log')
      .replace(/^Seq: 1$/m, 'Seq: 2');
    const newTree = execMktree(repo, tree.replace(/blob [0-9a-f]+\tmeta/, `blob ${blob}\tmeta`));
    const commit = repo.git('commit-tree', newTree, '-p', 'refs/coord/log', '-m', made).trim();
    repo.git('update-ref', 'refs/coord/log', commit);
    const refused = repo.coord('bob', 'reserve', 'b');
    expect(refused.code).toBe(69);
    expect(refused.json['error'].code).toBe('log_newer');
    expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(commit);
  });

  test('F-SAFE-6: nobody releases, renews or transfers what is not theirs; break names the lease and needs a reason', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a', '-c', 'coord.breakafter=0s').json['leases'][0];
    for (const args of [
      ['release', lease.id],
      ['release', 'a'],
      ['renew', lease.id],
      ['transfer', lease.id, '--to', 'ann'],
    ]) {
      const ran = repo.coord('bob', ...args);
      expect(ran.code, args[0]).toBe(1);
      expect(ran.json['refusal'].kind, args[0]).toBe('not_owner');
    }
    expect(repo.coord('bob', 'break', lease.id).json['error'].code).toBe('needs_reason');
    expect(repo.coord('bob', 'break', 'a', '--reason', 'x').code).toBe(64);
    expect(
      repo.coord('bob', 'break', lease.id, '--reason', 'its machine is gone').json['refusal'].kind,
    ).toBe('too_early');
    expect(
      repo.coord(
        'bob',
        '-c',
        'coord.breakafter=0s',
        'break',
        lease.id,
        '--reason',
        'its machine is gone',
      ).code,
    ).toBe(0);
    expect(repo.coord('bob', 'check', 'a').json['result']).toBe('free');
    const [broken] = repo
      .coord(null, 'log')
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>)
      .filter((event) => event['event'] === 'broken');
    expect(broken).toMatchObject({
      lease: lease.id,
      reason: 'its machine is gone',
      agent: { name: 'ann' },
      by: { name: 'bob' },
    });
  });

  test('Inv I2 I4 I8: what is released stays released, and the same release again is refused', () => {
    const repo = repository();
    const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
    expect(repo.coord('ann', 'release', lease.id).code).toBe(0);
    expect(repo.coord('ann', 'release', lease.id).json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord('ann', 'renew', lease.id).json['refusal'].kind).toBe('nothing_matched');
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });

  test('QUALITY-1 QUALITY-5 SYN-M2: --older-than changes what is swept, --dry-run sweeps nothing, and a sweep says expired', async () => {
    const repo = repository();
    const grace = ['-c', 'coord.grace=0s'];
    await reserveInThePast(repo, 'ann', ['a'], 200_000, '0s');
    const [lease] = leasesAt(repo);
    expect(repo.coord(null, 'status', ...grace).json['leases']).toEqual([]);
    expect(repo.coord('bob', 'sweep', '--older-than', '1h', ...grace).json['count']).toBe(0);
    expect(repo.coord('bob', 'sweep', '--dry-run', ...grace).json).toMatchObject({
      result: 'would-sweep',
      count: 1,
    });
    expect(
      repo.coord('bob', 'sweep', ...grace).json['leases'].map((swept: { id: string }) => swept.id),
    ).toEqual([lease?.id]);
    expect(repo.coord('bob', 'sweep', ...grace).json['result']).toBe('nothing');
    expect(repo.coord(null, 'log').stdout.match(/"event":"expired"/g)).toHaveLength(1);
  });
});

function execMktree(repo: ReturnType<typeof repository>, listing: string): string {
  mkdirSync(join(repo.top, 'tmp'));
  repo.write('tmp/listing', listing);
  return repo.git('-c', 'alias.mk=!git mktree <tmp/listing', 'mk').trim();
}
