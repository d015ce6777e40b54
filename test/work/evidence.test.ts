/** Evidence in the notes of exactly what was tested, and the gate that reads it. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually, repository, type Options, type Ran, type TestRepository } from '../support/repository.ts';
import { checkout, session, type Session } from '../support/sessions.ts';

/** A repository that wants `sh test.sh` to have passed, and counts how often it runs. */
function gated(options: Options = {}): TestRepository {
  const repo = repository(options);
  repo.write('.coord.json', '{"gate": {"require": ["sh test.sh"]}}');
  repo.write('.gitignore', 'runs\n');
  repo.write('test.sh', 'echo run >> runs; echo output of the test; test ! -e broken\n');
  repo.write('src/a', 'one\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'base');
  return repo;
}

const runs = (repo: TestRepository): number => (existsSync(join(repo.top, 'runs')) ? readFileSync(join(repo.top, 'runs'), 'utf8').trim().split('\n').length : 0);
const verify = (repo: TestRepository, agent: string, ...args: string[]): Ran => repo.coord(agent, 'verify', ...args, '--', 'sh', 'test.sh');
const tree = (repo: TestRepository, name = 'HEAD'): string => repo.git('rev-parse', `${name}^{tree}`).trim();
const missing = (ran: Ran): readonly string[] => ran.json['missing'].map(({ what }: { what: string }) => what);

describe('verify', () => {
  test.for(['sha1', 'sha256'])('records command, exit, tree, base, agent and bead on the commit and its tree, for git log to show (%s)', (format) => {
    const repo = gated({ init: [`--object-format=${format}`] });
    repo.coord('ann', 'claim', 'bd-1');
    const ran = verify(repo, 'ann');
    expect([ran.code, ran.json['recorded']]).toEqual([0, true]);
    expect(ran.json['evidence']).toMatchObject({ command: ['sh', 'test.sh'], exit: 0, tree: tree(repo), base: repo.git('rev-parse', 'HEAD').trim(), agent: { name: 'ann' }, bead: 'bd-1' });
    expect(repo.git('log', '-1', '--notes=coord')).toMatch(/Notes \(coord\):\n\s+passed: sh test\.sh, .* by ann for bd-1\n\s+Evidence: \{/);
    expect(repo.git('notes', '--ref=coord', 'show', tree(repo))).toContain('passed: sh test.sh');
    expect(readFileSync(join(repo.top, '.git', ran.json['evidence'].log), 'utf8')).toBe('output of the test\n');
    expect(repo.git('fsck', '--strict')).not.toContain('error');
    expect(repo.git('status', '--porcelain')).toBe('');
  });

  test('what has passed on this very content is not run again, unless forced; other content, another command and a failure are', () => {
    const repo = gated();
    expect([verify(repo, 'ann').json['result'], verify(repo, 'bob').json['result'], runs(repo)]).toEqual(['ran', 'already', 1]);
    verify(repo, 'ann', '--force');
    repo.coord('ann', 'verify', '--', 'sh', './test.sh');
    repo.write('src/new', 'not staged, not committed\n');
    verify(repo, 'ann');
    expect(runs(repo)).toBe(4);
    repo.write('broken');
    expect([verify(repo, 'ann').code, verify(repo, 'ann').code, runs(repo)]).toEqual([1, 1, 6]);
    rmSync(join(repo.top, 'broken'));
    expect([verify(repo, 'ann').json['result'], runs(repo)]).toEqual(['already', 6]);
  });

  test('the same words in another folder are another command; the gate counts what ran at the top', () => {
    const repo = gated();
    for (const [folder, text] of [['a', 'exit 0\n'], ['b', 'exit 1\n']] as const) repo.write(`${folder}/test.sh`, text);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'two');
    expect(repo.coord('ann', '-C', 'a', 'verify', '--', 'sh', 'test.sh').json['evidence'].folder).toBe('a');
    expect(repo.coord('ann', '-C', 'b', 'verify', '--', 'sh', 'test.sh').code).toBe(1);
    expect(missing(repo.coord('ann', 'gate'))).toContain('evidence');
    expect([repo.coord('ann', '-C', 'a', 'verify', '--force', '--at', 'HEAD', '--', 'sh', 'test.sh').code, repo.coord('ann', '-C', 'b', 'verify', '--at', 'HEAD', '--', 'sh', 'test.sh').code]).toEqual([0, 1]);
  });

  test('files that change while it runs make it evidence for nothing', () => {
    const repo = gated();
    const ran = repo.coord('ann', 'verify', '--', 'sh', '-c', 'echo more >> src/a');
    expect([ran.code, ran.json['recorded']]).toEqual([75, false]);
    expect(() => repo.git('notes', '--ref=coord', 'list')).not.toThrow();
    expect(repo.git('for-each-ref', 'refs/notes')).toBe('');
  });

  test('--at runs it on a commit in a folder of its own, whatever the work tree holds', () => {
    const repo = gated();
    repo.write('broken');
    repo.write('runs');
    const ran = repo.coord('ann', 'verify', '--at', 'HEAD', '--', 'sh', 'test.sh');
    expect([ran.code, ran.json['evidence'].tree, readFileSync(join(repo.top, 'runs'), 'utf8')]).toEqual([0, tree(repo), '']);
    repo.write('deps/lib', 'linked\n');
    expect(repo.coord('ann', 'verify', '--at', 'HEAD', '--link', 'deps', '--', 'grep', 'linked', 'deps/lib').code).toBe(0);
    for (const command of ['echo more >> src/a', 'echo more > src/new', 'rm src/a']) {
      const changed = repo.coord('ann', 'verify', '--at', 'HEAD', '--', 'sh', '-c', command);
      expect([changed.code, changed.json['recorded']], command).toEqual([75, false]);
    }
    for (const link of ['src', '../x', '/etc', '.']) expect(repo.coord('ann', 'verify', '--at', 'HEAD', '--link', link, '--', 'true').code, link).toBe(64);
    expect(repo.coord('ann', 'verify', '--at', 'nowhere', '--', 'true').code).toBe(64);
  });

  test.for<readonly [string, readonly string[], number]>([
    ['cannot be started', ['no-such-program'], 127], ['is killed', ['sh', '-c', 'kill -9 $$'], 137], ['fails', ['sh', '-c', 'exit 42'], 42],
  ])('a command that %s passes its code on, and the lock is free again', ([, command, code]) => {
    const repo = gated();
    expect(repo.coord('ann', 'verify', '--', ...command).code).toBe(code);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    expect(repo.coord('ann', 'gate').code).toBe(1);
  });

  test('a command that leaves a process behind is over when it is over', () => {
    const repo = gated();
    const ran = repo.coord('ann', 'verify', '--', 'sh', '-c', 'sleep 1000 & echo $! > .git/left');
    process.kill(Number(readFileSync(join(repo.top, '.git/left'), 'utf8')));
    expect([ran.code, ran.json['recorded']]).toEqual([0, true]);
  });

  test('whoever stands in line for the lock on the same content shares the run', { timeout: 60_000 }, async () => {
    const repo = gated();
    repo.write('test.sh', 'echo run >> runs; until [ -e .git/go ]; do sleep 0.05; done\n');
    const first = repo.start('ann', ['verify', '--', 'sh', 'test.sh']);
    await eventually('it runs', () => runs(repo) === 1);
    const others = ['bob', 'eve'].map((agent) => repo.start(agent, ['verify', '--', 'sh', 'test.sh']));
    await eventually('they wait', () => repo.coord(null, 'status').json['waits'].length === 2);
    writeFileSync(join(repo.top, '.git/go'), '');
    expect((await first.ended).json['result']).toBe('ran');
    expect((await Promise.all(others.map(({ ended }) => ended))).map(({ code, json }) => [code, json['result']])).toEqual([[0, 'already'], [0, 'already']]);
    expect(runs(repo)).toBe(1);
  });

  test('20 who write notes at once lose none, on one content and on many', { timeout: 120_000 }, async () => {
    const repo = gated();
    const ran = await Promise.all(Array.from({ length: 20 }, (_, i) => repo.start(`agent-${i}`, ['verify', '--lock', `lock-${i}`, '--', 'echo', `${i}`]).ended));
    expect(ran.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 0));
    const note = repo.git('notes', '--ref=coord', 'show', 'HEAD');
    for (let i = 0; i < 20; i += 1) expect(note).toContain(`passed: echo ${i}, `);
  });

  test('of one content the latest are kept, and what others write there stays', () => {
    const repo = gated();
    repo.git('notes', '--ref=coord', 'add', '-m', 'a word of a person', 'HEAD');
    for (let i = 0; i < 36; i += 1) expect(repo.coord('ann', 'verify', '--', 'echo', `${i}`).code).toBe(0);
    const note = repo.git('notes', '--ref=coord', 'show', 'HEAD');
    expect(note.match(/^Evidence: /gm)).toHaveLength(32);
    expect([note.startsWith('a word of a person\n'), note.includes('echo 3, '), note.includes('echo 35, ')]).toEqual([true, false, true]);
  });

  test('a notes ref that holds no notes is named, and left as it is', () => {
    const repo = gated();
    const blob = repo.git('rev-parse', 'HEAD:src/a').trim();
    repo.git('update-ref', 'refs/notes/coord', blob);
    const ran = verify(repo, 'ann');
    expect([ran.code, ran.json['error'].code, repo.git('rev-parse', 'refs/notes/coord').trim()]).toEqual([69, 'notes_malformed', blob]);
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
  });

  test('notes that git has spread over folders are read and written there', () => {
    const repo = gated();
    const names = Array.from({ length: 300 }, (_, i) => repo.git('commit-tree', '-m', `${i}`, tree(repo)).trim());
    for (const name of names) repo.git('notes', '--ref=coord', 'add', '-m', 'noted', name);
    expect(repo.git('ls-tree', 'refs/notes/coord').split('\n')[0]).toContain(' tree ');
    expect([verify(repo, 'ann').json['result'], verify(repo, 'ann').json['result']]).toEqual(['ran', 'already']);
    expect(repo.git('notes', '--ref=coord', 'list').trim().split('\n')).toHaveLength(302);
    expect(repo.git('notes', '--ref=coord', 'show', names[7] ?? '')).toBe('noted\n');
  });

  test('killed at any time it leaves whole evidence or none', { timeout: 120_000 }, async () => {
    const repo = gated();
    for (const at of [60, 90, 120, 150, 180, 220]) {
      const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/coord.cjs'), '--agent', 'ann', 'verify', '--force', '--', 'true'], { cwd: repo.top, env: repo.env, stdio: 'ignore' });
      const killer = setTimeout(() => child.kill('SIGKILL'), at);
      await new Promise((done) => child.on('close', done));
      clearTimeout(killer);
      const notes = repo.git('for-each-ref', '--format=%(refname)', 'refs/notes').trim();
      if (notes !== '') for (const line of repo.git('notes', '--ref=coord', 'list').trim().split('\n')) expect(() => repo.git('notes', '--ref=coord', 'show', line.split(' ')[1] ?? '')).not.toThrow();
      repo.coord('ann', 'unlock', 'test');
    }
    expect(verify(repo, 'ann').code).toBe(0);
    expect(repo.git('fsck', '--strict')).not.toMatch(/^(error|missing)/m);
  });
});

describe('the gate', () => {
  /** Ann has claimed and committed; what happens before, in between and after is a row's. */
  function story(): { readonly repo: TestRepository; readonly ann: Session } {
    const repo = gated();
    repo.coord(null, 'install');
    return { repo, ann: session(repo, 'ann') };
  }
  const commits = (ann: Session, message = 'work', ...more: readonly string[]): void => {
    ann.edit('src/a');
    const made = ann.git('commit', '-q', '-m', message, ...more);
    if (made.code !== 0) throw new Error(made.stderr);
  };

  test('passes with the bead, its claim and a passing run on this very content since then; done needs it', () => {
    const { repo, ann } = story();
    expect(ann.coord('claim', 'bd-1').code).toBe(0);
    commits(ann);
    const refused = ann.coord('done', 'bd-1');
    expect([refused.code, missing(refused), refused.json['next']]).toEqual([1, ['evidence'], expect.stringMatching(/^coord verify --at \w{12} -- sh test\.sh$/)]);
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('gate').json).toMatchObject({ result: 'passed', bead: 'bd-1', required: ['sh test.sh'], missing: [] });
    expect(ann.coord('gate', '--strict').code).toBe(0);
    expect(ann.coord('done', 'bd-1').code).toBe(0);
    expect(repo.coord(null, 'gate').code).toBe(0);
  });

  test.for<readonly [string, readonly string[], (ann: Session, repo: TestRepository) => void]>([
    ['nothing was verified', ['evidence'], (ann) => { ann.coord('claim', 'bd-1'); commits(ann); }],
    ['it was verified before the claim', ['evidence'], (ann) => { ann.coord('verify', '--', 'sh', 'test.sh'); ann.coord('claim', 'bd-1'); ann.git('commit', '-q', '--allow-empty', '-m', 'nothing'); }],
    ['it was verified on other content', ['evidence'], (ann) => { ann.coord('claim', 'bd-1'); ann.coord('verify', '--', 'sh', 'test.sh'); commits(ann); }],
    ['it was run and failed', ['evidence'], (ann, repo) => { ann.coord('claim', 'bd-1'); repo.write('broken'); ann.git('add', 'broken'); commits(ann); ann.coord('verify', '--', 'sh', 'test.sh'); }],
    ['the last run of two failed', ['evidence'], (ann, repo) => { repo.write('test.sh', 'echo run >> runs; test ! -e .git/flag\n'); ann.git('add', 'test.sh'); ann.coord('claim', 'bd-1'); commits(ann); ann.coord('verify', '--', 'sh', 'test.sh'); repo.write('.git/flag'); ann.coord('verify', '--force', '--', 'sh', 'test.sh'); }],
    ['its evidence was copied from other content', ['evidence'], (ann, repo) => { ann.coord('claim', 'bd-1'); commits(ann); ann.coord('verify', '--', 'sh', 'test.sh'); const tested = repo.git('rev-parse', 'HEAD').trim(); commits(ann); repo.git('notes', '--ref=coord', 'copy', tested, 'HEAD'); }],
    ['another command was run', ['evidence'], (ann) => { ann.coord('claim', 'bd-1'); commits(ann); ann.coord('verify', '--', 'true'); }],
    ['the message names no bead', ['bead', 'evidence'], (ann) => { commits(ann); }],
    ['nobody has claimed the bead', ['claim', 'evidence'], (ann) => { commits(ann, 'work', '--trailer', 'Bead: bd-7'); }],
    ['it was committed before the claim', ['base'], (ann) => { commits(ann, 'work', '--trailer', 'Bead: bd-1'); ann.coord('claim', 'bd-1'); ann.coord('verify', '--', 'sh', 'test.sh'); }],
    ['it was committed by somebody else', ['held'], (ann, repo) => { session(repo, 'bob').coord('claim', 'bd-1'); commits(ann, 'work', '--trailer', 'Bead: bd-1'); ann.coord('verify', '--', 'sh', 'test.sh'); }],
  ])('is not passed where %s', ([, wanted, play]) => {
    const { repo, ann } = story();
    play(ann, repo);
    const ran = ann.coord('gate');
    const found = new Set(missing(ran));
    // Commits tell whole seconds: in the same one it may have been held.
    if (wanted[0] === 'base') found.delete('held');
    expect([ran.code, ...found]).toEqual([1, ...wanted]);
  });

  test('work that was handed over is finished by whoever has it now; a child\'s commit is its parent\'s too', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    ann.coord('verify', '--', 'sh', 'test.sh');
    const bob = session(repo, 'bob');
    expect(ann.coord('session', 'end', '--handoff', '--to', 'bob').code).toBe(0);
    expect(bob.coord('done', 'bd-1').json).toMatchObject({ result: 'done' });
    expect(repo.coord(null, 'gate').code).toBe(0);
  });

  test('a commit may be the work on two beads; a bead in the words of its message is one without what stands around it', () => {
    const { ann } = story();
    for (const bead of ['bd-1', 'bd-2']) ann.coord('claim', bead);
    commits(ann, 'work', '--trailer', 'Bead: bd-1', '--trailer', 'Bead: bd-2');
    ann.coord('verify', '--', 'sh', 'test.sh');
    for (const bead of ['bd-1', 'bd-2']) expect(ann.coord('done', bead).json).toMatchObject({ result: 'done' });
    for (const bead of ['bd-3', 'bd-4']) ann.coord('claim', bead);
    commits(ann, 'Finish bd-3: it works (see bd-1)');
    ann.coord('verify', '--', 'sh', 'test.sh');
    expect(ann.coord('gate').json).toMatchObject({ result: 'passed', bead: 'bd-3' });
    expect(ann.coord('done', 'bd-3', '--commit', 'HEAD').json['commit']).toMatch(/^[0-9a-f]{40}$/);
  });

  test('a command that a shell has to read is required word by word', () => {
    const { repo, ann } = story();
    repo.write('.coord.json', '{"gate": {"require": [["sh", "-c", "true && true"]]}}');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'other rules');
    ann.coord('claim', 'bd-1');
    commits(ann);
    const refused = ann.coord('gate');
    expect([missing(refused), refused.json['next']]).toEqual([['evidence'], expect.stringMatching(/^coord verify --at \w+ -- sh -c 'true && true'$/)]);
    expect(ann.coord('verify', '--', 'sh', '-c', 'true && true').code).toBe(0);
    expect(ann.coord('gate').code).toBe(0);
  });

  test('its verdict is on record, and marks the bead until it passes', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    commits(ann);
    for (let i = 0; i < 3; i += 1) ann.coord('gate');
    expect(repo.coord(null, 'log').stdout.match(/"event":"gated"/g)).toHaveLength(1);
    expect(repo.git('show', 'refs/coord/log:beads')).toContain('"followUp":["evidence of sh test.sh: it was never run on this content"]');
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

  test('a commit cannot drop what its base requires, and what a file says is never run', () => {
    const { repo, ann } = story();
    ann.coord('claim', 'bd-1');
    repo.write('.coord.json', '{"gate": {"require": ["touch pwned"]}}');
    ann.git('add', '.coord.json');
    commits(ann);
    const ran = ann.coord('gate', '--strict');
    expect([ran.json['required'], existsSync(join(repo.top, 'pwned'))]).toEqual([['touch pwned', 'sh test.sh'], false]);
  });

  test.for(['{"gate": {"require": "npm test"}}', '{"gate": {"require": [1]}}', '{"gate": {"require": ["a && b"]}}', '{"gate": {"require": [[]]}}', '{"gate": ', '[]', 'null'])('a .coord.json that says %s is named or asks for nothing, never taken for a pass by mistake', (text) => {
    const repo = checkout();
    repo.write('.coord.json', text);
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'config');
    const ran = repo.coord('ann', 'gate');
    expect([ran.code, ran.json['error']?.code ?? 'refused']).toEqual(text === '[]' || text === 'null' ? [1, 'refused'] : [64, 'bad_gate']);
  });
});
