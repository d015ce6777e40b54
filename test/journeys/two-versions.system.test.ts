/**
 * The packed release 0.1.0 and this coord in one repository, through every verb and hook of both,
 * by the table of ordinary calls: in a log of the first format each works in what the other writes,
 * and on one that was raised 0.1.0 says so.
 */
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import { findVerb } from '../../src/cli/arguments.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { ByVersion, type Programs } from '../support/by-version.ts';
import {
  everyHarness,
  type Newer,
  saidBy,
  workOnRaised,
  wrongHooksOnNewer,
  wrongOnNewer,
} from '../support/newer-log.ts';
import { type OrdinaryCall, ordinaryCalls } from '../support/ordinary-calls.ts';
import { gitHooks, serverHooks } from '../support/ordinary-hooks.ts';
import { formatOf, released, runReleased } from '../support/released.ts';
import { repository } from '../support/repository.ts';

let program = '';
let olderVerbs: readonly Verb[] = [];
beforeAll(async () => {
  program = released('0.1.0');
  const main = (await import(join(dirname(program), 'cli', 'main.js'))) as {
    readonly allVerbs: readonly Verb[];
  };
  olderVerbs = main.allVerbs;
});

/** Which of the two programs I have; everybody else has the other. */
const pairs = ['0.1.0', 'this coord'] as const;
type Mine = (typeof pairs)[number];

function programs(mine: Mine): Programs {
  return mine === '0.1.0' ? { mine: program } : { theirs: program };
}

/** What touches this repository, by verbs that mine has. */
function callsOf(mine: Mine): readonly OrdinaryCall[] {
  const verbs = mine === '0.1.0' ? olderVerbs : allVerbs;
  return ordinaryCalls.filter(
    ({ args, isApart }) => isApart !== true && findVerb(args, verbs) !== null,
  );
}

/** The hooks of git that it knows. */
function hooksOf(mine: Mine): readonly string[] {
  const { error } = runReleased(program, repository(), 'bob', 'hook', 'git', 'none-such').json;
  return Object.keys(gitHooks).filter(
    (event) => mine === 'this coord' || String(error.hint).split(/[ ,]+/).includes(event),
  );
}

/**
 * 0.1.0 says which harnesses it knows where it is asked for one that there is not; of reads it is not
 * told.
 */
function harnessesOf(mine: Mine): typeof everyHarness {
  if (mine === 'this coord') return everyHarness;
  const asked = ['hook', 'none-such', 'session-start'];
  const { error } = runReleased(program, repository(), 'bob', ...asked).json;
  const names = String(error.hint).split(/[ ,]+/);
  return everyHarness
    .filter(([name]) => names.includes(name))
    .map(([name, moments]) => [name, moments.filter((moment) => moment !== 'before-read')]);
}

/** Calls that fail here, or raise the log. */
function wrongBeside(here: ByVersion, calls: readonly OrdinaryCall[]): readonly string[] {
  return calls.flatMap((call) => {
    here.prepare(call);
    const ran = here.call(...call.args);
    return ran.code === 0 && formatOf(here.repo) === 1 ? [] : [saidBy(call.args.join(' '), ran)];
  });
}

describe('coord 0.1.0 beside this one', () => {
  test.for(pairs)('every verb of %s does its work in the log that the other writes', (mine) => {
    const here = new ByVersion(programs(mine));
    const calls = callsOf(mine);
    const moves = calls.findIndex(({ args }) => args[0] === 'remote');
    expect(wrongBeside(here, calls.slice(0, moves))).toEqual([]);
    // Of a log that has moved and come back 0.1.0 says that operations are missing; and this coord
    // has a hook more.
    expect(here.repo.coord(null, 'install').code).toBe(0);
    const doctors = [
      here.repo.coord(null, 'doctor'),
      runReleased(program, here.repo, 'bob', 'doctor'),
    ];
    for (const ran of doctors) expect(ran.code, saidBy('doctor', ran)).toBe(0);
    expect(wrongBeside(here, calls.slice(moves))).toEqual([]);
  });

  test.for(pairs)('so does every hook of %s', (mine) => {
    const here = new ByVersion(programs(mine));
    here.prepare({
      before: [
        ['ann', 'reserve', 'src/a'],
        ['me', 'session', 'start', 'me'],
        ['me', 'reserve', 'src/b'],
      ],
    });
    const answers = [
      ...hooksOf(mine).map((event) => [event, here.gitHook(event)] as const),
      ...Object.keys(serverHooks).map((event) => [event, here.serverHook(event)] as const),
      ...harnessesOf(mine).flatMap(([harness, moments]) =>
        moments.map(
          (moment) => [`${harness} ${moment}`, here.harnessHook(harness, moment)] as const,
        ),
      ),
    ];
    expect(
      answers
        .filter(
          ([, { code, stdout, stderr }]) => code !== 0 || stderr !== '' || /deny/.test(stdout),
        )
        .map(([name, ran]) => saidBy(name, ran)),
    ).toEqual([]);
    // Its hooks have really reserved what was edited.
    const log = here.repo.git('log', '--format=%B', 'refs/coord/log');
    for (const [harness] of harnessesOf(mine)) expect(log).toContain(`["${harness}.txt"]`);
    expect(formatOf(here.repo)).toBe(1);
  });
});

describe('coord 0.1.0 on a log that was raised', () => {
  const newer: Newer = {
    message: 'the log was written by a newer coord (version 2 of its format)',
    hint: 'npm install --global git-coord@latest',
  };
  const raised = (): ByVersion => workOnRaised(programs('0.1.0'), 2, '0.2.0');

  test('every verb says so in one error, and writes nothing', () => {
    const here = raised();
    const tip = here.repo.git('rev-parse', 'refs/coord/log');
    // Brings back what was kept without a look at whose it replaces.
    const calls = callsOf('0.1.0').filter(({ args }) => !args.includes('--in-place'));
    expect(wrongOnNewer(here, calls, newer)).toEqual([]);
    expect(here.repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });

  test('every hook says so too', () => {
    const here = raised();
    const tip = here.repo.git('rev-parse', 'refs/coord/log');
    expect(wrongHooksOnNewer(here, hooksOf('0.1.0'), harnessesOf('0.1.0'), newer)).toEqual([]);
    expect(here.repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });
});

test('a log on a server that 0.1.0 guards takes what this coord writes, but is not raised, and doctor --fix says why', () => {
  const { repo } = new ByVersion({ theirs: program });
  for (const args of [
    ['remote', 'set', 'origin'],
    ['reserve', 'src/a'],
    ['claim', 'bd-1'],
  ])
    expect(repo.coord('ann', ...args).code).toBe(0);
  const { code, json } = repo.coord(null, 'doctor', '--fix');
  expect(code).toBe(0);
  expect(
    json['checks'].filter(({ check }: { readonly check: string }) => check === 'format'),
  ).toEqual([
    expect.objectContaining({
      standing: 'note',
      says: expect.stringMatching(
        /could not be raised to format 2: .*was written by a newer coord/,
      ),
    }),
  ]);
});
