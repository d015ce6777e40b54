/** The gate: nothing counts as finished work without its bead, its claim and its evidence. */
import { describe, expect, test } from 'vitest';
import { commits, missing, story } from '../support/gated.ts';
import type { TestRepository } from '../support/repository.ts';
import { type Session, session } from '../support/sessions.ts';

describe('the gate [A4]', () => {
  test('passes with the bead, its claim and a passing run on this very content since then; done needs it', () => {
    const { repo, ann } = story();
    expect(ann.coord('claim', 'bd-1').code).toBe(0);
    commits(ann);
    const refused = ann.coord('done', 'bd-1');
    expect(refused.code).toBe(1);
    expect(missing(refused)).toEqual(['evidence']);
    expect(refused.json['next']).toEqual(
      expect.stringMatching(/^coord verify --at \w{12} -- sh test\.sh$/),
    );
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('gate').json).toMatchObject({
      result: 'passed',
      bead: 'bd-1',
      required: ['sh test.sh'],
      missing: [],
    });
    expect(ann.coord('gate', '--strict').code).toBe(0);
    expect(ann.coord('done', 'bd-1').code).toBe(0);
    expect(repo.coord(null, 'gate').code).toBe(0);
  });

  test.for<readonly [string, readonly string[], (ann: Session, repo: TestRepository) => void]>([
    [
      'nothing was verified',
      ['evidence'],
      (ann) => {
        ann.coord('claim', 'bd-1');
        commits(ann);
      },
    ],
    [
      'it was verified before the claim',
      ['evidence'],
      (ann) => {
        ann.coord('verify', '--', 'sh', 'test.sh');
        ann.coord('claim', 'bd-1');
        ann.git('commit', '-q', '--allow-empty', '-m', 'nothing');
      },
    ],
    [
      'it was verified on other content',
      ['evidence'],
      (ann) => {
        ann.coord('claim', 'bd-1');
        ann.coord('verify', '--', 'sh', 'test.sh');
        commits(ann);
      },
    ],
    [
      'it was run and failed',
      ['evidence'],
      (ann, repo) => {
        ann.coord('claim', 'bd-1');
        repo.write('broken');
        ann.git('add', 'broken');
        commits(ann);
        ann.coord('verify', '--', 'sh', 'test.sh');
      },
    ],
    [
      'the last run of two failed',
      ['evidence'],
      (ann, repo) => {
        repo.write('test.sh', 'echo run >> runs; test ! -e .git/flag\n');
        ann.git('add', 'test.sh');
        ann.coord('claim', 'bd-1');
        commits(ann);
        ann.coord('verify', '--', 'sh', 'test.sh');
        repo.write('.git/flag');
        ann.coord('verify', '--force', '--', 'sh', 'test.sh');
      },
    ],
    [
      'its evidence was copied from other content',
      ['evidence'],
      (ann, repo) => {
        ann.coord('claim', 'bd-1');
        commits(ann);
        ann.coord('verify', '--', 'sh', 'test.sh');
        const tested = repo.git('rev-parse', 'HEAD').trim();
        commits(ann);
        repo.git('notes', '--ref=coord', 'copy', tested, 'HEAD');
      },
    ],
    [
      'another command was run',
      ['evidence'],
      (ann) => {
        ann.coord('claim', 'bd-1');
        commits(ann);
        ann.coord('verify', '--', 'true');
      },
    ],
    [
      'the message names no bead',
      ['bead', 'evidence'],
      (ann) => {
        commits(ann);
      },
    ],
    [
      'nobody has claimed the bead',
      ['claim', 'evidence'],
      (ann) => {
        commits(ann, 'work', '--trailer', 'Bead: bd-7');
      },
    ],
    [
      'it was committed before the claim',
      ['base'],
      (ann) => {
        commits(ann, 'work', '--trailer', 'Bead: bd-1');
        ann.coord('claim', 'bd-1');
        ann.coord('verify', '--', 'sh', 'test.sh');
      },
    ],
    [
      'it was committed by somebody else',
      ['held'],
      (ann, repo) => {
        session(repo, 'bob').coord('claim', 'bd-1');
        commits(ann, 'work', '--trailer', 'Bead: bd-1');
        ann.coord('verify', '--', 'sh', 'test.sh');
      },
    ],
  ])('is not passed where %s', ([, wanted, play]) => {
    const { repo, ann } = story();
    play(ann, repo);
    const ran = ann.coord('gate');
    const found = new Set(missing(ran));
    // Commits tell whole seconds: in the same one it may have been held.
    if (wanted[0] === 'base') found.delete('held');
    expect(ran.code).toBe(1);
    expect([...found]).toEqual(wanted);
  });

  test('its verdict is on record, and marks the bead until it passes', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    for (let i = 0; i < 3; i += 1) ann.coord('gate');
    expect(repo.coord(null, 'log').stdout.match(/"event":"gated"/g)).toHaveLength(1);
    expect(repo.git('show', 'refs/coord/log:beads')).toContain(
      '"followUp":["evidence of sh test.sh: it was never run on this content"]',
    );
    expect(repo.coord(null, 'log').stdout).toContain('"event":"gated"');
    ann.coord('verify', '--', 'sh', 'test.sh');
    ann.coord('gate');
    expect(repo.git('show', 'refs/coord/log:beads')).toContain('"followUp":[]');
  });

  test('--strict wants the work tree to be the commit, and its commands to pass once more', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    repo.write('test.sh', 'test ! -e .git/flag\n');
    ann.git('add', 'test.sh');
    commits(ann);
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('gate', '--strict').code).toBe(0);
    repo.write('.git/flag');
    expect(missing(ann.coord('gate', '--strict'))).toEqual(['rerun']);
    repo.write('other', 'not committed\n');
    expect(missing(ann.coord('gate', '--strict'))).toEqual(['evidence', 'clean']);
  });
});
