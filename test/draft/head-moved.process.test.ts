/** HEAD moved: an agent learns of it at its own next call. */
import { describe, expect, test } from 'vitest';
import { checkout, session } from '../support/sessions.ts';

describe('HEAD moved [SYS-4]', () => {
  test('an agent learns at its own next call how far, and which of its staged files changed there; once', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    ann.edit('src/b');
    bob.edit('src/b');
    bob.git('commit', '-q', '-m', 'one');
    bob.edit('src/c');
    bob.git('commit', '-q', '-m', 'two');
    expect(ann.coord('whoami').json['headMoved']).toEqual({ commits: 2, touched: ['src/b'] });
    expect(ann.coord('whoami').json['headMoved']).toBeUndefined();
    bob.edit('src/d');
    bob.git('commit', '-q', '-m', 'three');
    expect(ann.coord('check', 'src/a').json['headMoved']).toBeUndefined();
    expect(bob.coord('whoami').json['headMoved']).toBeUndefined();
  });
});
