/** Objects as zlib streams: git reads ours, we read git's, and damage is noticed. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openRepository } from '../../src/git/repository.ts';
import { readLoose, writeObject } from '../../src/git/objects.ts';
import { pack, unpack } from '../../src/git/packing.ts';
import { repository } from '../support/repository.ts';

test.for([0, 1, 255, 7_999, 8_000, 8_001, 70_000])('%i bytes come back, by us and by zlib', (length) => {
  const bytes = randomBytes(length);
  const packed = pack(bytes);
  expect(unpack(packed).equals(bytes)).toBe(true);
  expect(inflateSync(packed).equals(bytes)).toBe(true);
});

test.for([10, 8_001])('of %i bytes every one that is changed or missing is noticed', (length) => {
  const packed = pack(Buffer.from('x'.repeat(length)));
  for (let at = 0; at < packed.length; at += 1) {
    const damaged = Buffer.from(packed);
    damaged[at] = (damaged[at] ?? 0) ^ 0x55;
    expect(() => { if (unpack(damaged).toString() === 'x'.repeat(length)) throw new Error('as it was'); }, `byte ${at}`).toThrow();
    if (at > 0) expect(() => unpack(packed.subarray(0, at)), `cut at ${at}`).toThrow();
  }
});

test('git reads what we write and we read what git writes, small and large', () => {
  const repo = repository();
  const ours = openRepository(repo.top, repo.env);
  for (const text of ['', 'small\n', 'large\n'.repeat(5_000)]) {
    const oid = writeObject(ours, 'blob', Buffer.from(text));
    expect(repo.git('cat-file', 'blob', oid)).toBe(text);
    const theirs = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: repo.top, env: repo.env, input: `${text}theirs`, encoding: 'utf8' }).trim();
    expect(readLoose(ours, theirs)?.body.toString()).toBe(`${text}theirs`);
  }
  repo.git('fsck', '--strict');
});
