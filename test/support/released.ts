/**
 * Packed coord: releases as they are kept in fixtures/releases, and what would be released now, to
 * run one beside the other.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ran, run, type TestRepository } from './repository.ts';
import { runFolder } from './templates.ts';

const top = resolve(import.meta.dirname, '../..');

function temporary(): string {
  return mkdtempSync(join(runFolder() ?? tmpdir(), 'release-'));
}

/** The program of that package, with the packages that are installed here. */
function unpacked(file: string): string {
  const folder = temporary();
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  symlinkSync(join(top, 'node_modules'), join(folder, 'package', 'node_modules'));
  return join(folder, 'package', 'dist', 'coord.cjs');
}

/** A command of that program. */
export function runReleased(
  program: string,
  repo: TestRepository,
  agent: string,
  ...args: readonly string[]
): Ran {
  return run(repo.top, repo.env, ['--agent', agent, '--json', ...args], [], program);
}

/** The format of the log. */
export function formatOf(repo: TestRepository): unknown {
  const [first = ''] = repo.git('show', 'refs/coord/log:meta').split('\n');
  return (JSON.parse(first) as Readonly<Record<string, unknown>>)['version'];
}

export function released(version: string): string {
  return unpacked(join(top, 'fixtures/releases', `git-coord-${version}.tar.gz`));
}

/** Of what is built now. */
export function packed(): string {
  const folder = temporary();
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: top,
    stdio: 'ignore',
  });
  return unpacked(join(folder, readdirSync(folder)[0] ?? ''));
}
