/** action.yml as GitHub runs it: its steps in bash, in a fresh clone, with the inputs of a workflow. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { repository, type TestRepository, temporaryFolder } from '../support/repository.ts';
import { madeRelease, npm, root } from './packed.ts';

interface Step {
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;

/** A clone as a workflow's checkout makes it, and what the action came to there. */
function run(
  repo: TestRepository,
  inputs: Readonly<Record<string, string>>,
): { code: number; said: string; output: string } {
  const home = join(dirname(repo.top), `runner-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home);
  repo.git('clone', '-q', join(repo.top, '../server.git'), join(home, 'work'));
  const output = join(home, 'output');
  writeFileSync(output, '');
  const value = (text: string): string =>
    text.replace(
      /\$\{\{ inputs\.(\w+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    );
  let said = '';
  for (const step of action.runs.steps) {
    expect(step.shell).toBe('bash');
    const env = Object.fromEntries(
      Object.entries(step.env).map(([name, text]) => [name, value(text)]),
    );
    const child = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: join(home, 'work'),
      env: {
        ...repo.env,
        ...npm,
        ...env,
        npm_config_prefix: join(home, 'npm'),
        PATH: `${join(home, 'npm/bin')}:${repo.env['PATH'] ?? ''}`,
        GITHUB_OUTPUT: output,
      },
      encoding: 'utf8',
    });
    said += child.stdout + child.stderr;
    if (child.status !== 0)
      return { code: child.status ?? -1, said, output: readFileSync(output, 'utf8') };
  }
  return { code: 0, said, output: readFileSync(output, 'utf8') };
}

/** bd-1 is claimed, and its commit is on the server with its log. */
function team(): TestRepository {
  const repo = repository();
  repo.git('init', '-q', '--bare', '-b', 'main', '../server.git');
  repo.git('remote', 'add', 'origin', join(repo.top, '../server.git'));
  repo.write('.coord.json', '{"gate": {"require": ["true"]}}\n');
  repo.git('add', '-A');
  repo.git('commit', '-q', '-m', 'begin');
  repo.coord('ann', 'claim', 'bd-1', '--again');
  repo.write('a', '1\n');
  repo.git('add', 'a');
  repo.git('commit', '-q', '-m', 'work (bd-1)');
  repo.git('push', '-q', 'origin', 'main');
  return repo;
}

const publish = (repo: TestRepository): string =>
  repo.git(
    'push',
    '-q',
    'origin',
    'main',
    '+refs/coord/log:refs/coord/log',
    '+refs/notes/*:refs/notes/*',
  );

describe('the action', () => {
  test('is a composite one whose inputs all have defaults', () => {
    expect(action.runs.using).toBe('composite');
    expect(Object.values(action.inputs).filter((one) => one.default === undefined)).toEqual([]);
  });

  test('fails where evidence is missing, names it, and passes once it is there', () => {
    const { tarball } = madeRelease('someone/coord');
    const repo = team();
    publish(repo);
    const refused = run(repo, { package: tarball });
    expect(refused.said).toMatch(/true.*(not|no) /s);
    expect(refused).toMatchObject({ code: 1, output: 'result=refused\n' });
    expect(repo.coord('ann', 'verify', '--', 'true').code).toBe(0);
    publish(repo);
    expect(run(repo, { package: tarball })).toMatchObject({ code: 0, output: 'result=passed\n' });
  }, 120_000);

  test('reads a log that is at another ref, and says error where there is none', () => {
    const { tarball } = madeRelease('someone/coord');
    const repo = team();
    expect(repo.coord('ann', 'verify', '--', 'true').code).toBe(0);
    repo.git('push', '-q', 'origin', '+refs/coord/log:refs/heads/coord/log', 'refs/notes/coord');
    const log = 'refs/heads/coord/log';
    expect(run(repo, { package: tarball, log }).output).toBe('result=passed\n');
    const wrong = run(repo, { package: tarball, log: 'refs/heads/other/log' });
    expect(wrong.code).not.toBe(0);
    expect(wrong.output).toBe('result=error\n');
  }, 120_000);

  test('names what is missing where the job has no Node that will do', () => {
    const old = join(temporaryFolder(), 'node');
    writeFileSync(old, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { shell, run: script, env } = action.runs.steps[0] as Step;
    const ran = spawnSync(shell, ['-eo', 'pipefail', '-c', script], {
      env: { ...env, PATH: `${dirname(old)}:/usr/bin:/bin` },
      encoding: 'utf8',
    });
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly engines: { readonly node: string };
    };
    expect(`>=${env['LEAST']}`).toBe(engines.node);
    expect(ran).toMatchObject({ status: 1, stdout: expect.stringContaining('setup-node') });
  });
});
