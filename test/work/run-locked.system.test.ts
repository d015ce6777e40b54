/** A command that runs under a lock. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, repository } from '../support/repository.ts';

describe('a run under a lock', () => {
  test('run holds the lock while its command lives, passes the exit code on and frees the lock [A5]', async () => {
    const repo = repository();
    const gate = join(repo.top, 'gate');
    const holder = repo.start('ann', [
      'run',
      '--lock',
      'test',
      '--',
      process.execPath,
      '-e',
      `const t=setInterval(()=>{if(fs.existsSync(${JSON.stringify(gate)}))process.exit(7)},20)`,
    ]);
    await eventually(
      'the lock is held',
      () => repo.coord(null, 'status').json['leases'].length === 1,
    );
    const refused = repo.coord('bob', 'run', '--lock', 'test', '--no-wait', '--', 'true');
    expect({ code: refused.code, name: refused.json['blockers'][0].agent.name }).toEqual({
      code: 1,
      name: 'ann',
    });
    const queued = repo.start('bob', [
      'run',
      '--lock',
      'test',
      '--',
      process.execPath,
      '-e',
      'process.exit(3)',
    ]);
    await eventually('bob waits', () => repo.coord(null, 'status').json['waits'].length === 1);
    repo.write('gate');
    expect((await holder.ended).code).toBe(7);
    expect((await queued.ended).code).toBe(3);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(repo.coord(null, 'stats').json['runs']).toEqual({ count: 2, passed: 0 });
  });

  test('run passes signals on, and stops its command with SIGTERM when the lock is taken away, unless --keep [A5]', async () => {
    const repo = repository();
    const ready = join(repo.top, 'ready');
    const forever = [
      process.execPath,
      '-e',
      `process.on('SIGTERM',()=>process.exit(42));fs.writeFileSync(${JSON.stringify(ready)},'');setInterval(()=>{},1000)`,
    ];
    const signalled = repo.start('ann', ['run', '--lock', 'a', '--', ...forever]);
    await eventually('the command runs', () => existsSync(ready));
    signalled.child.kill('SIGTERM');
    expect((await signalled.ended).code).toBe(42);
    rmSync(ready);
    const broken = repo.start('ann', [
      '-c',
      'coord.breakafter=0s',
      'run',
      '--lock',
      'b',
      '--',
      ...forever,
    ]);
    await eventually('the next command runs', () => existsSync(ready));
    repo.coord(
      'bob',
      '-c',
      'coord.breakafter=0s',
      'break',
      repo.coord(null, 'status').json['leases'][0].id,
      '--reason',
      'test',
    );
    const ended = await broken.ended;
    expect({ code: ended.code, lost: ended.json['lost'] }).toEqual({ code: 42, lost: true });
  });
});
