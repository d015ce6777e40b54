/** Lines of somebody who has ended, and whoever goes on with the same bead. */
import { describe, expect, test } from 'vitest';
import { addedIn, json, nameOf, sharedFile } from '../support/shared-file.ts';

describe('an unfinished part', () => {
  test('is offered to whoever claims the bead, and the printed commands take it', () => {
    const { repo, ann, ben } = sharedFile();
    const name = nameOf(ann);
    expect(ann.bash('coord claim bd-1')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    ann.ask('session-end', { reason: 'other' });
    const { stdout } = ben.shell('coord claim bd-1');
    expect(stdout).toContain(`${name} (`);
    expect(stdout).toContain('has left uncommitted lines in shared\n');
    const [, show = '', take = ''] =
      /^ {2}(.*) shows them; to go on with them: (.*)$/m.exec(stdout) ?? [];
    expect(ben.shell(show).stdout).toContain('+line 3 of ann\n');
    expect(ben.bash(take)).toMatchObject({ code: 0 });
    expect(ben.bash('git commit -qam "goes on"')).toMatchObject({ code: 0, stderr: '' });
    expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
  });

  test('is not offered while its agent holds the file, nor to another bead, nor once it is committed', () => {
    const { ann, ben } = sharedFile();
    const left = (bead: string): unknown => {
      const answer = json(
        ben.shell(`coord claim ${bead} --json; coord unclaim ${bead} >/dev/null`),
      );
      return answer['left'];
    };
    expect(ann.bash('coord claim bd-1')).toMatchObject({ code: 0 });
    expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
    expect(ann.bash('coord unclaim bd-1')).toMatchObject({ code: 0 });
    expect(left('bd-1')).toBeUndefined();
    expect(ann.bash('coord release --all')).toMatchObject({ code: 0 });
    expect(left('bd-2')).toBeUndefined();
    expect(left('bd-1')).toMatchObject([{ agent: { name: nameOf(ann) }, paths: ['shared'] }]);
    expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
    expect(left('bd-1')).toBeUndefined();
  });
});
