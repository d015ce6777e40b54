/** One matcher serves coord and its guard, and a no stays a no. */
import { describe, expect, test } from 'vitest';
import { matches } from '../../src/index.ts';
import { checkout, session } from '../support/sessions.ts';
import { sources } from '../support/sources.ts';

describe('coord and its guard', () => {
  test('reserve, check, release by pattern and the guard agree, because one matcher serves them [ARC-2.4, ARC-C3]', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const pattern = 'src/{a,[bc]}';
    ann.coord('reserve', pattern);
    for (const path of ['src/a', 'src/b', 'src/c', 'src/d', 'src/e']) {
      const held = matches(pattern, path);
      expect(bob.coord('check', path).json['result'] === 'held', path).toBe(held);
      bob.edit(path);
      expect(bob.git('commit', '-q', '-m', path).code !== 0, path).toBe(held);
      bob.git('reset', '-q');
    }
    expect(ann.coord('release', pattern).code).toBe(0);
    expect(sources().join('\n')).not.toMatch(/from 'picomatch'|minimatch|fnmatch/g);
  });

  test('where coord ran and said no, the installed hook never says yes [ARC-2.6, ARC-C5]', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.coord('reserve', 'src/a');
    bob.edit('src/a');
    const head = repo.git('rev-parse', 'HEAD');
    for (const more of [[], ['--no-verify'], ['-a'], ['--amend', '--no-edit'], ['--allow-empty']])
      expect(bob.git('commit', '-q', '-m', 'x', ...more).code, more.join(' ')).not.toBe(0);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
  });
});
