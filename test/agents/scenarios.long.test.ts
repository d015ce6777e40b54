/**
 * What each agent program does beside others, with coord installed in its project. Needs: agent
 * programs, loopback alone.
 */
import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reserveAs } from './others.ts';
import { programs } from './programs.ts';
import { content, scene, turn } from './scene.ts';

describe.each(programs)('$name', (program) => {
  const { hands } = program;

  /** With why it is not so for this program, where that is known. */
  function scenario(title: string, run: (not: string | undefined) => Promise<void>): void {
    const not = program.cannot?.[title];
    it(not === undefined ? title : `${title}: not so, ${not}`, () => run(not));
  }

  it('is told at its start who it is and who else is here', async () => {
    const here = await scene([program]);
    here.repo.coord('bob', 'reserve', 'b.txt');
    const { items } = await here.run(program, [turn(hands.shell('true'))]);
    const told = items.map(({ text }) => text).join('\n');
    expect(told).toMatch(new RegExp(`${program.name}-[a-z0-9]{8}`));
    expect(told).toContain('bob');
  });

  scenario('reserves a file by its first edit of it, and frees it when it ends', async (not) => {
    const here = await scene([program]);
    const { results } = await here.run(program, [
      turn(hands.read(here.file('a.txt'))),
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      async () => {
        expect(here.repo.coord(null, 'check', 'a.txt').json['result']).toBe('shared');
        return turn(hands.shell('true'));
      },
    ]);
    expect(content(here, 'a.txt'), results.join('\n')).toContain('three');
    expect(here.repo.coord(null, 'check', 'a.txt').json['result']).toBe(not ? 'shared' : 'free');
  });

  it('is refused the edit of a file that somebody holds, and told by whom', async () => {
    const here = await scene([program]);
    reserveAs(here, 'bob', 'a.txt');
    const { results } = await here.run(program, [
      turn(hands.read(here.file('a.txt'))),
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
    ]);
    expect(content(here, 'a.txt')).not.toContain('three');
    expect(results.at(-1)).toMatch(/a\.txt[^]*bob[^]*Next: /);
  });

  scenario(
    'is shown what its whole text would take back of a commit since it read the file, and may write then',
    async (not) => {
      const here = await scene([program]);
      const mine = 'one of a.txt\ntwo\nof the program\n';
      const { results } = await here.run(program, [
        turn(hands.read(here.file('a.txt'))),
        async () => {
          here.repo.write('a.txt', 'one of a.txt\ntwo\nof bob\n');
          // As a file that is moved to its place: by its time no program sees it.
          utimesSync(here.file('a.txt'), 1_700_000_000, 1_700_000_000);
          here.repo.git('commit', '-qam', 'of bob');
          return turn(hands.write(here.file('a.txt'), mine));
        },
        async () => {
          expect(content(here, 'a.txt')).toBe('one of a.txt\ntwo\nof bob\n');
          return turn(hands.read(here.file('a.txt')));
        },
        turn(hands.write(here.file('a.txt'), `${mine}of bob\n`)),
      ]);
      expect(results.join('\n').replaceAll('\\n', '\n')).toMatch(/a\.txt[^]*\n-of bob\n[^]*Next: /);
      expect(content(here, 'a.txt')).toBe(
        not === undefined ? `${mine}of bob\n` : 'one of a.txt\ntwo\nof bob\n',
      );
    },
  );

  it('is refused a shell command that would wipe what somebody has not committed', async () => {
    const here = await scene([program]);
    reserveAs(here, 'bob', 'a.txt');
    here.repo.write('a.txt', 'unsaved work of bob\n');
    const { results } = await here.run(program, [turn(hands.shell('git checkout -- a.txt'))]);
    expect(content(here, 'a.txt')).toBe('unsaved work of bob\n');
    expect(results.at(-1)).toContain('bob');
  });

  scenario('commits as itself, from an index of its own', async (not) => {
    const here = await scene([program]);
    here.repo.write('b.txt', 'staged by the user\n');
    here.repo.git('add', 'b.txt');
    const { results } = await here.run(program, [
      turn(hands.read(here.file('a.txt'))),
      turn(hands.edit(here.file('a.txt'), 'two', 'three')),
      turn(hands.shell('git add a.txt && git commit -m change')),
    ]);
    const head = here.repo.git('show', '--format=%s %(trailers)', '--name-only');
    expect(head, results.join('\n')).toMatch(`change Coord-Agent: ${program.name}-`);
    expect(head).toContain('\na.txt');
    expect(head.includes('\nb.txt')).toBe(not !== undefined);
    expect(here.repo.git('diff', '--cached', '--name-only').trim()).toBe(not ? '' : 'b.txt');
  });

  it('is refused a commit of what somebody holds', async () => {
    const here = await scene([program]);
    reserveAs(here, 'bob', 'a.txt');
    const before = here.repo.git('rev-parse', 'HEAD');
    const { results } = await here.run(program, [
      turn(hands.shell(`node -e "fs.appendFileSync('a.txt', 'more')"`)),
      turn(hands.shell('git add a.txt && git commit -m change')),
    ]);
    expect(here.repo.git('rev-parse', 'HEAD')).toBe(before);
    expect(results.at(-1)).toContain('bob');
  });

  it('runs what its rules allow, and no more, as it does without coord', async () => {
    const ran = async (withoutCoord?: true): Promise<unknown> => {
      const here = await scene([program], withoutCoord === undefined ? {} : { withoutCoord });
      await here.run(
        program,
        [
          turn(hands.write(here.file('new.txt'), 'of its own\n')),
          turn(hands.shell('git add new.txt')),
          turn(hands.shell('git commit -m allowed')),
          turn(hands.shell('touch touched')),
        ],
        { allowed: ['git add', 'git commit'] },
      );
      return {
        made: here.repo.git('show', '--format=%s', '--name-only').trim(),
        touched: here.repo.git('ls-files', '--others', 'touched').trim(),
      };
    };
    const alone = await ran(true);
    expect(alone).toMatchObject({ made: 'allowed\n\nnew.txt' });
    expect(await ran()).toEqual(alone);
  });
});
