/** What makes a run of git's tests good or not. */
import { describe, expect, test } from 'vitest';
import { parseAllowed } from './compare.ts';
import { findWords, kindOf } from './findings.ts';
import { inertOf, type Mode, modes } from './modes.ts';
import { report, type Verdict } from './report.ts';
import type { Result } from './run.ts';
import { parseTap, sections } from './tap.ts';

const script = 't7501-commit-basic-functionality';
const facts = { chosen: modes, minutes: 1, cpuMinutes: 1, jobs: 2, git: '1:2.39.5' };
const passed = 'ok 1 - one\nok 2 - two (and a half)\n1..2\n';
const failed = 'ok 1 - one\nnot ok 2 - two (and a half)\n#\tgit commit\n1..2\n';

function result(mode: Mode, said: string, more: Partial<Result> = {}): Result {
  const subtests = parseTap(said);
  return { mode, script, seconds: 1, subtests, cut: null, findings: [], notes: [], ...more };
}

function judged(results: readonly Result[], allowed = ''): Verdict {
  const all = [result('plain', passed), result('again', passed), ...results];
  return report({ results: all, allowances: parseAllowed(allowed), ...facts });
}

describe("a run of git's tests", () => {
  test('is good where nothing differs', () => {
    expect(judged([result('idle', passed), result('session', passed)]).isGood).toBe(true);
  });

  test('is not good where a subtest differs, fails to come, or is skipped', () => {
    for (const said of [failed, 'ok 1 - one\n1..1\n', passed.replace('ok 2 -', 'ok 2 # skip')]) {
      const { isGood, text } = judged([result('beside', said)]);
      expect(isGood, said).toBe(false);
      expect(text).toContain('2 two (and a half)');
    }
  });

  test('is good where that is allowed, by number, range or title, in that mode alone', () => {
    for (const what of ['2', '1-2', '4-5,2', 'two (and a half)', 'two*']) {
      const line = `t7501 | ${what} | beside | refs: refs/coord is listed`;
      expect(judged([result('beside', failed)], line).isGood, what).toBe(true);
      expect(judged([result('idle', failed)], line).isGood, what).toBe(false);
    }
    const others = ['t7501 | 1,3-9 |', 't7501 | wo |', 't7502 | 2 |'];
    for (const other of others) {
      const verdict = judged([result('beside', failed)], `${other} all | refs: it is listed`);
      expect(verdict.isGood, other).toBe(false);
      const isUnused = verdict.text.includes('lines of test/git-suite/allowed');
      expect(isUnused).toBe(other.startsWith('t7501'));
    }
  });

  test("is not good where that is allowed and does not differ without coord's decisions", () => {
    const line = 't7501 | 2 | all | refs: refs/coord is listed';
    for (const mode of ['beside', 'session'] as const) {
      const here = result(mode, failed);
      expect(judged([here, result(inertOf(mode), passed)], line).isGood).toBe(false);
      expect(judged([here, result(inertOf(mode), failed)], line).isGood).toBe(true);
    }
  });

  test('does not compare what differs between two runs of plain git, and names it', () => {
    const results = [result('plain', passed), result('again', failed), result('idle', failed)];
    const { isGood, text } = report({ results, allowances: [], ...facts });
    expect(isGood).toBe(true);
    expect(text).toContain('not compared: 1\n  again t7501');
  });

  test('is not good where coord spoke in a subtest that passed, or a script was cut short', () => {
    const findings = [{ subtest: 2, words: 'coord hook ended with 70: error' }];
    expect(judged([result('idle', passed, { findings })]).isGood).toBe(false);
    expect(judged([result('idle', passed, { cut: 'ended after 9 s' })]).isGood).toBe(false);
  });

  test('is good where the test has destroyed the log and coord says so, but nothing differs', () => {
    const findings = [{ subtest: 2, words: 'coord: object is missing' }];
    const line = (subtest: number): string => `t7501 | ${subtest} | all | damage: no objects`;
    expect(judged([result('idle', passed, { findings })], line(2)).isGood).toBe(true);
    expect(judged([result('idle', passed, { findings })], line(1)).isGood).toBe(false);
    expect(judged([result('idle', failed, { findings })], line(2)).isGood).toBe(false);
  });

  test('does not count twice what coord said in a subtest that differs', () => {
    const findings = [{ subtest: 2, words: 'coord: refused' }];
    const { text } = judged([result('idle', failed, { findings })]);
    expect(text).toContain('1 subtests differ, coord spoke 0 times in others');
  });
});

describe('what the tests say', () => {
  test('is read with its skipped and its broken ones', () => {
    const broken = 'not ok 2 - b # TODO known breakage';
    expect(parseTap(`ok 1 # skip a (missing X)\n${broken}\nok 3 - c # d\nokay\n`)).toEqual([
      { number: 1, title: 'a (missing X)', outcome: 'skipped' },
      { number: 2, title: 'b', outcome: 'known breakage' },
      { number: 3, title: 'c # d', outcome: 'passed' },
    ]);
  });

  test("has coord's words, from the log and from its trace, by subtest", () => {
    const log = [
      'Initialized',
      "expecting success of 7501.3 'title': ",
      '\tgit commit',
      'coord: pre-commit could not be checked (exit 70), so it is blocked',
      'ok 3 - title',
      'coord: refused: no',
      '  a is gone',
      '  b is gone',
      "checking known breakage of 7501.4 'other': ",
      '    at commit (/x/dist/hot.cjs:1:2)',
    ].join('\n');
    const line = (exit: number, result: string): string => {
      return JSON.stringify({ what: 'command', verb: 'hook', result, exit });
    };
    const no = line(1, 'refused');
    const trace = ['subtest 3', line(0, 'passed'), 'subtest 5', no, no].join('\n');
    expect(findWords(sections(log), trace)).toEqual([
      { subtest: 3, words: 'coord: pre-commit could not be checked (exit 70), so it is blocked' },
      { subtest: 3, words: 'coord: refused: no' },
      { subtest: 3, words: 'a is gone' },
      { subtest: 4, words: 'at commit (/x/dist/hot.cjs:1:2)' },
      { subtest: 5, words: 'coord hook ended with 1: refused' },
    ]);
  });

  test('is one kind whatever the names and numbers in it', () => {
    const place = '/dev/shm/x/trash directory.t7501-commit';
    const words = kindOf(`ann (q93wl6hv) lost 2 of ${place}/a at 1f3a5b7 "one"`);
    expect(words).toBe('<agent> lost <n> of <trash>/a at <commit>');
    expect(kindOf(`submodule 'a': submodule 'b': '${place}/x'`)).toBe('submodule: <path>');
  });
});

describe('the file of what is allowed', () => {
  test('takes no other reason, no other mode and no line without a part', () => {
    const wrong = [
      't7501 | 2 | all | flaky: now and then',
      't7501 | 2 | plain | refs: listed',
      't7501 | 2 | refs: x',
      't75 | 2 | all | refs: x',
      't7501 |  | all | refs: listed',
      't7501 | 2 | all | trailer: signed',
      't7501 | 2 | idle,besides | refs: listed',
    ];
    for (const line of wrong) {
      expect(() => parseAllowed(`# first\n${line}`), line).toThrow(/line 2 /);
    }
    const right = ['t7501 | 2 | session | trailer: signed', 't7501 | a, b | idle,beside | refs: x'];
    const chosen = parseAllowed(right.join('\n')).map(({ modes: of }) => of);
    expect(chosen).toEqual([['session'], ['idle', 'beside']]);
  });
});
