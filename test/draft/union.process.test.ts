/** Two sessions that add at one place of a file: all is kept, and each commits its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addedIn, type SharedFile, sharedFile } from '../support/shared-file.ts';

describe('a file in which all is kept that is added at one place', () => {
  function changes(): SharedFile {
    const one = sharedFile();
    writeFileSync(join(one.repo.top, 'CHANGELOG.md'), '# Changes\n\n- old\n');
    one.repo.git('add', '.');
    one.repo.git('commit', '-qm', 'changes');
    return one;
  }
  const byAttribute = ({ repo }: SharedFile): void => {
    writeFileSync(join(repo.top, '.git/info/attributes'), 'CHANGELOG.md merge=union\n');
  };
  const bySetting = ({ repo }: SharedFile): void => {
    repo.git('config', '--add', 'coord.union', 'docs/**');
    repo.git('config', '--add', 'coord.union', '**/CHANGELOG.md');
  };

  test('elsewhere what touches is refused', () => {
    const { ann, ben } = changes();
    expect(ann.edit('CHANGELOG.md', '- old\n', '- old\n- ann\n')).toBe('');
    expect(ben.edit('CHANGELOG.md', '- ann\n', '- ann\n- ben\n')).toContain('deny');
  });

  test.for([
    ['by attribute', byAttribute],
    ['by setting', bySetting],
  ] as const)('%s: each commits its own, in the order of the file', ([, chosen]) => {
    const one = changes();
    const { repo, ann, ben } = one;
    chosen(one);
    expect(ann.edit('CHANGELOG.md', '- old\n', '- old\n- ann\n')).toBe('');
    expect(ben.edit('CHANGELOG.md', '- ann\n', '- ann\n- ben\n')).toBe('');
    expect(ann.edit('CHANGELOG.md', '- ben\n', '- ben\n- ann too\n')).toBe('');
    expect(ben.edit('CHANGELOG.md', '- old\n', '- OLD\n')).toContain('deny');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ben']);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ann', '- ann too']);
    expect(repo.git('show', 'HEAD:CHANGELOG.md')).toBe(
      '# Changes\n\n- old\n- ann\n- ben\n- ann too\n',
    );
    expect(repo.git('status', '--short')).toBe('');
  });

  test('two tools that were allowed at once, whichever writes first', () => {
    const one = changes();
    const { repo, ann, ben } = one;
    byAttribute(one);
    expect(ann.wants('CHANGELOG.md', '- old\n', '- old\n- ann\n')).not.toContain('deny');
    expect(ben.wants('CHANGELOG.md', '- old\n', '- old\n- ben\n')).not.toContain('deny');
    ben.lands('CHANGELOG.md', '- old\n', '- old\n- ben\n');
    ann.lands('CHANGELOG.md', '- old\n', '- old\n- ann\n');
    expect(ben.bash('git commit -qam ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ben']);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ann']);
    expect(repo.git('show', 'HEAD:CHANGELOG.md')).toBe('# Changes\n\n- old\n- ann\n- ben\n');
  });

  test('what was staged before either commits, and before the other went on', () => {
    const one = changes();
    const { repo, ann, ben } = one;
    byAttribute(one);
    expect(ann.edit('CHANGELOG.md', '- old\n', '- old\n- ann\n')).toBe('');
    expect(ben.edit('CHANGELOG.md', '- ann\n', '- ann\n- ben\n')).toBe('');
    expect(ann.bash('git add CHANGELOG.md')).toMatchObject({ code: 0 });
    expect(ben.edit('CHANGELOG.md', '- ben\n', '- ben\n- ben too\n')).toBe('');
    expect(ben.bash('git add CHANGELOG.md')).toMatchObject({ code: 0 });
    expect(ann.bash('git commit -qm ann')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ann']);
    expect(ben.bash('git commit -qm ben')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual(['- ben', '- ben too']);
    expect(repo.git('status', '--short')).toBe('');
  });
});
