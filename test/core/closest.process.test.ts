/** Words and settings that do not exist, and what was probably meant. */
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

function hint(repo: TestRepository, ...args: readonly string[]): unknown {
  return repo.coord(null, ...args).json['error']?.hint;
}

describe('words and settings that do not exist [U19]', () => {
  test.for<readonly [string, string]>([
    ['unreserve', 'release'],
    ['setup', 'init'],
    ['settings', 'config'],
    ['watch', 'log --follow'],
    ['reserv', 'reserve'],
  ])('coord %s: did you mean %s', ([typed, meant]) => {
    expect(hint(repository(), typed)).toBe(`did you mean: coord ${meant}`);
  });

  test('the opposite is never offered', () => {
    expect(hint(repository(), 'unstatus')).toBe('coord --help lists them');
  });

  test('a setting that is misspelt is named with what was meant, on the command line and in the configuration', () => {
    const repo = repository();
    expect(hint(repo, '-c', 'coord.gracee=1m', 'status')).toBe('did you mean: coord.grace');
    repo.git('config', 'coord.tttl', '5m');
    const findings = repo.coord(null, 'doctor').json['checks'] as readonly {
      readonly says: string;
      readonly next?: string;
    }[];
    expect(findings.filter(({ says }) => says.includes('coord.tttl'))).toMatchObject([
      { next: expect.stringContaining('coord.ttl') },
    ]);
  });
});
