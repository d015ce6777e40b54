/**
 * A sample of the walk with a model: sessions, a person, a linked work tree and a colleague do what
 * git can do, by chance, and a model that knows whose every line is judges each step. COORD_SEED
 * replays a walk and COORD_WALK_STEPS cuts it; the long one is in walk.long.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { readIndex } from './index-reader.ts';
import { asText, lineOf } from './tally.ts';
import { Walk } from './walk.ts';
import { World } from './world.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20261119);
const steps = Number(process.env['COORD_WALK_STEPS'] ?? 80);

describe('the walk with a model', () => {
  test(`COORD_SEED=${seed}: ${steps} steps lose no line of anybody`, async () => {
    const { found } = await new Walk({ seed, steps }).run();
    const lost = found.filter(({ kind }) => kind.startsWith('lost'));
    expect(lost.map(lineOf), lost[0] === undefined ? '' : asText(lost[0])).toEqual([]);
  });

  test.for([
    'own indexes',
    'one index',
  ] as const)('planted bug: without coord, with %s, it finds what goes wrong', async (guard) => {
    const { found } = await new Walk({ seed, steps: 300, guard, stops: /^(lost|commit)/ }).run();
    expect(found.map(({ kind }) => kind).filter((kind) => /^(lost|commit)/.test(kind))).not.toEqual(
      [],
    );
  });

  test('the index is read as git reads it, in each of its versions', () => {
    const world = new World('one index', 2);
    const [person] = world.actors;
    if (person === undefined) throw new Error('there is nobody');
    world.plainly(world.top, 'update-index', '--skip-worktree', 'src/b');
    for (const version of ['2', '3', '4']) {
      world.plainly(world.top, 'update-index', '--index-version', version);
      const said = world
        .plainly(world.top, 'ls-files', '-s')
        .stdout.split('\n')
        .filter((line) => line !== '');
      const wanted = said.map((line) => line.replace(/^(\d+) ([0-9a-f]+) 0\t(.*)$/, '$3 $1 $2'));
      const read = readIndex(person.index);
      expect([...(read?.entries ?? [])].map(([path, entry]) => `${path} ${entry}`)).toEqual(wanted);
      expect([...(read?.flagged ?? [])]).toEqual(['src/b']);
    }
    world.end();
  });

  test('objects that were packed are read as loose ones are', () => {
    const world = new World('one index', 2);
    const { head } = world.look().places.get('main') ?? { head: null };
    const loose = [...world.objects.listing(head)];
    world.plainly(world.top, 'gc', '-q');
    const again = new World('one index', 2);
    expect(loose.length).toBeGreaterThan(9);
    expect([...world.objects.linesOf(head)]).toHaveLength(
      new Set([...again.objects.linesOf(again.look().places.get('main')?.head ?? null)]).size,
    );
    world.end();
    again.end();
  });
});
