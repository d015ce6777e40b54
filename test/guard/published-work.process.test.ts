/** Work that is published moves freely: it comes in over a held path, and its holder is told. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scene, went } from '../support/scene.ts';
import { fileAt, ranIn } from '../support/sessions.ts';

describe('published work', () => {
  /** A bare remote, and a teammate's clone that has pushed a change of src/b. */
  function withRemote(): ReturnType<typeof scene> & { teammate(line: string): void } {
    const here = scene();
    const { repo, shell } = here;
    went(
      shell(
        'git init -q --bare ../origin.git && git remote add origin ../origin.git' +
          ' && git push -q -u origin main && git clone -q ../origin.git ../teammate',
      ),
    );
    return {
      ...here,
      teammate: (line) =>
        void went(ranIn(join(repo.top, '../teammate'), repo.env, 'sh', ['-c', line])),
    };
  }

  test.for([
    '--no-rebase --no-edit',
    '--rebase',
    '--no-rebase --no-edit --no-ff',
  ])('git pull %s brings a change of a held path [U1]', (how) => {
    const { repo, ann, bob, person, shell, teammate } = withRemote();
    went(bob.coord('reserve', 'src/b'));
    for (const who of ['ann', 'person'] as const) {
      teammate(
        `git pull -q; echo of a teammate for ${who} >>src/b; git commit -qam teammate; git push -q`,
      );
      const line = `echo ${who} >>src/a; git add src/a; git commit -qm own; git pull -q ${how}`;
      went(who === 'ann' ? ann.run('sh', '-c', line) : shell(line));
      expect(fileAt(repo, 'src/b')).toContain(`of a teammate for ${who}`);
      went(person('push', '-q'));
    }
  });
});

test('an ordinary fetch offers the server nothing of the log [G7]', () => {
  const { repo, ann, shell } = scene();
  for (let i = 0; i < 40; i += 1) repo.git('commit', '-q', '--allow-empty', '-m', `own ${i}`);
  went(
    shell(
      'git init -q --bare ../origin.git && git push -q ../origin.git main' +
        ' && git clone -q ../origin.git ../teammate && git remote add origin ../origin.git && git fetch -q',
    ),
  );
  const haves = (name: string): number => {
    went(
      ranIn(join(repo.top, '../teammate'), repo.env, 'sh', [
        '-c',
        `git commit -q --allow-empty -m ${name} && git push -q`,
      ]),
    );
    const trace = join(repo.top, `../trace-${name}`);
    went(ranIn(repo.top, { ...repo.env, GIT_TRACE_PACKET: trace }, 'git', ['fetch', '-q']));
    return [...readFileSync(trace, 'utf8').matchAll(/fetch> have /g)].length;
  };
  const before = haves('before');
  for (let i = 0; i < 15; i += 1) {
    went(ann.coord('reserve', 'src/a', '--reason', `${i}`));
    went(ann.coord('release', '--all'));
  }
  went(shell('git fetch -q'));
  expect(haves('after')).toBe(before);
});
