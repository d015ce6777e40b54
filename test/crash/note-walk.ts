/**
 * A walk of kills: some process leaves a note for the log, a writer of any kind carries the notes
 * and is killed at a named point or at any moment, and the log gets a new root after every few
 * operations. At the end one last writer, and every note stands in the log once.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { executable } from '../support/gate.ts';
import {
  type Environment,
  repository,
  run,
  runAsync,
  start,
  type TestRepository,
} from '../support/repository.ts';
import { type Session, session } from '../support/sessions.ts';
import { seeded } from '../support/world.ts';
import { type Edit, plant } from '../walk/planted.ts';
import { commonest, type Left, makers, type Place, toldIn } from './note-makers.ts';

const killer = resolve(import.meta.dirname, '../../fixtures/kill-at.mjs');

/** Where a process is killed, of how many such calls at most, and how often. */
const calls: readonly (readonly [call: string, of: number, share: number])[] = [
  ['setting aside', 2, 3],
  ['reading', 2, 3],
  ['update-ref', 4, 3],
  ['moving on', 2, 6],
  ['dropping', 3, 2],
  ['adding', 1, 2],
  ['rev-list', 3, 1],
  ['pack-objects', 1, 1],
];

interface Point {
  readonly name: string;
  readonly of: number;
}

const pointsByShare: readonly Point[] = calls.flatMap(([call, of, share]) =>
  ['before', 'after'].flatMap((when) => Array(share).fill({ name: `${when} ${call}`, of })),
);

/** The names of all. */
export const points: ReadonlySet<string> = new Set(pointsByShare.map(({ name }) => name));

function limit(name: string, from: string, to: number): Edit {
  return { file: 'dist/core/limits.js', from: `${name}: ${from}`, to: `${name}: ${to}` };
}

/** Every few writers make a new root. */
const shortLived: readonly Edit[] = [limit('logEntries', '1_024', 4)];

export interface Course {
  readonly seed: number;
  readonly steps: number;
  /** Bugs. */
  readonly edits?: readonly Edit[];
  /**
   * Kills at named points alone. No git outlives its coord then, so that a killed one's notes need
   * not be left alone for long.
   */
  readonly isQuick?: true;
}

export const plantedBugs: readonly {
  readonly rule: string;
  readonly edits: readonly Edit[];
  readonly finds: 'lost' | 'doubled';
}[] = [
  {
    rule: 'a new root drops no note that was not carried',
    edits: [
      {
        file: 'dist/log/maintain.js',
        from: 'startedMs - 2 * limits.agentIdleMs',
        to: 'Number.POSITIVE_INFINITY',
      },
    ],
    finds: 'lost',
  },
  {
    rule: 'what a killed writer has taken and not carried waits for the next one again',
    edits: [{ file: 'dist/loop/attempts.js', from: 'left.putBack();', to: 'left.drop();' }],
    finds: 'lost',
  },
  {
    rule: 'what a killed writer has carried is not told again',
    edits: [{ file: 'dist/loop/attempts.js', from: 'left.drop();', to: 'left.putBack();' }],
    finds: 'doubled',
  },
];

export interface Found {
  readonly kills: number;
  readonly compactions: number;
  readonly left: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** How often a process was killed at each named point. */
  readonly struck: ReadonlyMap<string, number>;
}

const quickMs = 200;

export class NoteWalk {
  readonly #course: Course;
  readonly #chance: () => number;
  readonly #repo: TestRepository = repository();
  readonly #program: string;
  readonly #end: () => void;
  readonly #session: Session;
  readonly #node: string;
  readonly #told: string;
  readonly #left: Left[] = [];
  /** Of those at any moment; those at a point are told by whoever is killed. */
  #kills = 0;
  #step = 0;

  constructor(course: Course) {
    const { seed, edits = [], isQuick } = course;
    this.#course = course;
    this.#chance = seeded(seed);
    const quick = isQuick === true ? [limit('abandonedMs', '2_000', quickMs)] : [];
    const copy = plant([...shortLived, ...quick, ...edits]);
    this.#program = copy.program;
    this.#end = () => copy.end();
    bundle(copy.program);
    const repo = this.#repo;
    this.#told = join(repo.top, '../struck');
    appendFileSync(this.#told, '');
    // The hooks give no option of node's to coord.
    this.#node = join(repo.top, '../node');
    executable(this.#node, `#!/bin/sh\nexec '${process.execPath}' '--import=${killer}' "$@"\n`);
    repo.git('config', 'user.email', 'pat@example.com');
    this.#coord('pat', 'install');
    this.#coord('ann', 'reserve', 'held/**', '--ttl', '24h');
    this.#coord('bob', 'whoami');
    this.#session = session(repo, 'sam', repo.top, this.#program);
  }

  #coord(agent: string, ...args: readonly string[]): void {
    const { top, env } = this.#repo;
    const { code, stdout } = run(
      top,
      env,
      ['--agent', agent, '--json', ...args],
      [],
      this.#program,
    );
    if (code !== 0) throw new Error(`coord ${args.join(' ')}: exit ${code}, ${stdout}`);
  }

  #oneOf<T>(items: readonly T[]): T {
    return items[Math.floor(this.#chance() * items.length)] as T;
  }

  /** In the environment of whoever is to be killed at a point. */
  #killAt(): Environment {
    const { name, of } = this.#oneOf(pointsByShare);
    return {
      KILL_AT: `${name} ${1 + Math.floor(this.#chance() ** 2 * of)}`,
      KILL_TOLD: this.#told,
      NODE_OPTIONS: `--import=${killer}`,
      COORD_NODE: this.#node,
    };
  }

  async run(): Promise<Found> {
    const { steps, isQuick } = this.#course;
    for (; this.#step < steps; this.#step += 1) {
      const works = [() => this.#leave(), () => this.#write()];
      // Beside a writer a note may be added to what is just set aside.
      if (this.#chance() < 0.3) await Promise.all(works.map((work) => work()));
      else for (const work of works) await work();
    }
    // By then whoever was killed is known to be gone.
    await new Promise((next) => setTimeout(next, isQuick === true ? 2 * quickMs : 2_500));
    this.#coord('last', 'reserve', 'free/last');
    const { top, env } = this.#repo;
    const { stdout } = await runAsync([process.execPath, this.#program, 'log', '--json'], top, env);
    this.#end();
    return this.#judge(stdout);
  }

  /** One more note; its maker too may be killed. */
  async #leave(): Promise<void> {
    let at = this.#chance();
    const [, make] = makers.find(([share]) => (at -= share) < 0) ?? commonest;
    const place: Place = {
      repo: this.#repo,
      program: this.#program,
      session: this.#session,
      kill: this.#chance() < 0.2 ? this.#killAt() : {},
    };
    const mark = `n${this.#step}e`;
    // Of whom some are on record.
    this.#left.push(...(await make(place, this.#oneOf(['bob', 'cid', 'dan']), mark)));
  }

  async #write(): Promise<void> {
    const { isQuick } = this.#course;
    const kind = this.#chance();
    const atPoint = isQuick === true ? 0.85 : 0.65;
    const { top, env } = this.#repo;
    const who = this.#oneOf(['wes', 'xan', 'yul']);
    const { child, ended } = start(
      top,
      { ...env, ...(kind < atPoint ? this.#killAt() : {}) },
      ['--agent', who, '--json', ...this.#oneOf(this.#writers())],
      [],
      this.#program,
    );
    const isTimed = isQuick !== true && kind >= atPoint && kind < 0.9;
    const afterMs = 40 + this.#chance() * 160;
    const timer = isTimed ? setTimeout(() => child.kill('SIGKILL'), afterMs) : undefined;
    await ended;
    clearTimeout(timer);
    if (isTimed && child.signalCode === 'SIGKILL') this.#kills += 1;
  }

  #writers(): readonly (readonly string[])[] {
    const n = this.#step;
    return [
      ['reserve', `free/w${n}`],
      ['reserve', `free/w${n}`],
      ['claim', `bd-${n}`, '--ttl', '5s'],
      ['release', '--all'],
      ['renew', '--ttl', `${300 + n}s`],
      ['session', 'start', `s${n}`],
      ['sweep'],
      ['doctor', '--fix'],
    ];
  }

  #judge(log: string): Found {
    const told = toldIn(log);
    const times = ({ event, mark }: Left): number => told.get(`${event} ${mark}`) ?? 0;
    const shown = ({ event, mark }: Left): string => `${event} ${mark}`;
    const struck = new Map<string, number>();
    for (const point of readFileSync(this.#told, 'utf8').split('\n').filter(Boolean))
      struck.set(point, (struck.get(point) ?? 0) + 1);
    return {
      kills: this.#kills + [...struck.values()].reduce((sum, count) => sum + count, 0),
      compactions: log.split('"event":"compacted"').length - 1,
      left: this.#left.filter(({ isSure }) => isSure).length,
      lost: this.#left.filter((left) => left.isSure && times(left) === 0).map(shown),
      doubled: this.#left.filter((left) => times(left) > 1).map(shown),
      struck,
    };
  }
}

/** The copy starts as fast as what is delivered: it is built from its plain output in the same way. */
function bundle(program: string): void {
  const dist = dirname(program);
  const top = resolve(import.meta.dirname, '../..');
  const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as {
    readonly scripts: { readonly bundle: string };
  };
  const [line = ''] = scripts.bundle.split(' && ');
  const own = line
    .replaceAll(/src\/(\S+)\.ts/g, `${dist}/$1.js`)
    .replace('--outdir=dist', `--outdir=${dist}`);
  execFileSync('sh', ['-c', `${top}/node_modules/.bin/${own} --allow-overwrite`], { cwd: top });
}
