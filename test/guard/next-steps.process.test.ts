/**
 * A refusal changes nothing, or prints the one command that restores every byte; and every command
 * that it prints, followed to the letter, ends the situation and loses nobody's work.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordIn } from '../support/gate.ts';
import type { Environment, Ran } from '../support/repository.ts';
import { nextOf, refused, type Scene, scene, went } from '../support/scene.ts';
import { ranIn } from '../support/sessions.ts';
import type { Row } from './refusal-row.ts';
import { refusalRows } from './refused-commands.ts';

/** Every byte of the work tree, what each index holds, and all refs but coord's. */
function bytes({ repo, ann }: Scene): string {
  const names = readdirSync(repo.top, { recursive: true })
    .map(String)
    .filter((name) => !/^\.git(\/|$)/.test(name) && lstatSync(join(repo.top, name)).isFile())
    .sort();
  const files = names.map((name) => `${name}\n${readFileSync(join(repo.top, name), 'latin1')}`);
  const index = (file: string): string =>
    ranIn(repo.top, { ...repo.env, GIT_INDEX_FILE: file }, 'git', ['ls-files', '-s']).stdout;
  const refs = repo
    .git('for-each-ref', '--format=%(refname) %(objectname)')
    .split('\n')
    .filter((line) => !line.startsWith('refs/coord/'));
  const head = readFileSync(join(repo.top, '.git/HEAD'), 'utf8');
  return [
    ...files,
    index(join(repo.top, '.git/index')),
    index(ann.env['COORD_STAGE'] ?? ''),
    ...refs,
    head,
  ].join('\n');
}

/** With coord on the PATH, as it is installed. */
function environmentOf({ repo, ann }: Scene, who: Row['who']): Environment {
  const bin = mkdtempSync(join(repo.top, '..', 'bin-'));
  coordIn(bin);
  const at = (path: string | undefined): string => `${path ?? ''}:${bin}`;
  if (who === 'person') return { ...repo.env, PATH: at(repo.env['PATH']) };
  if (who === 'ann') return { ...ann.env, PATH: at(ann.env['PATH']) };
  return { ...ann.env, PATH: at(repo.env['PATH']), GIT_INDEX_FILE: ann.env['COORD_STAGE'] ?? '' };
}

/** Lines that bob has written and nobody may lose. */
function ofBob({ repo }: Scene): string {
  const text = ranIn(repo.top, repo.env, 'sh', [
    '-c',
    'cat src/* fresh 2>/dev/null; git log -p --all',
  ]).stdout;
  return ['unsaved of bob', 'bob changes src/c'].filter((line) => text.includes(line)).join('|');
}

/** With the ids behind it. */
const sentence = (title: string): string =>
  title.replace(
    /^(.*?)( \[[^\]]+\])?$/,
    'of $1 changes nothing, and what it prints ends the situation$2',
  );

describe('a refusal', () => {
  test.for(refusalRows.map((row) => [sentence(row.title), row] as const))('%s', ([
    ,
    { who, prepare, isLate, isConflict, ends },
  ]) => {
    const here = scene();
    const line = prepare(here);
    const [setUp, asked] = /^(.* && )?(git [^&]*)$/.exec(line)?.slice(1) ?? [];
    const env = environmentOf(here, who);
    const sh = (text: string): Ran => ranIn(here.repo.top, env, 'sh', ['-c', text]);
    if (setUp !== undefined) went(sh(setUp.replace(/ && $/, '')));
    // A command of its own brings a private index to HEAD, whatever comes of it.
    here.ann.git('status');
    const [before, work] = [bytes(here), ofBob(here)];
    const ran = refused(sh(asked ?? ''), '');
    const steps = nextOf(ran);
    expect(steps.length, ran.stderr).toBeGreaterThan(0);
    expect(steps.join('\n')).not.toMatch(/<\w+>/);
    if (isLate === true) went(sh(steps[0] ?? 'false'));
    expect(bytes(here)).toBe(before);
    // The others end the situation; a holder that is waited for has let go.
    const rest = isLate === true ? steps.slice(1) : steps;
    for (const step of rest.length === 0 ? [] : [rest[0] ?? '']) {
      if (step.includes('--wait')) went(here.bob.coord('release', '--all'));
      const ran = sh(step);
      if (isConflict !== true) went(ran);
      else went(sh(/next: (coord rescue diff \S+)/.exec(ran.stderr)?.[1] ?? 'false'));
    }
    if (isConflict === true) went(here.ann.git('commit', '-q', '--allow-empty', '-m', 'goes on'));
    ends?.(here);
    expect(ofBob(here)).toBe(work);
  });
});
