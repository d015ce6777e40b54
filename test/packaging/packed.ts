/** The package as its users get it. */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../support/repository.ts';

export const root: string = resolve(import.meta.dirname, '../..');

/** All that a release is made of, in a folder of its own. */
export function copyOfSource(): string {
  const folder = join(temporaryFolder(), 'source');
  const left = new Set(['.git', 'node_modules', 'src', 'test', 'fixtures', '.figures', 'release']);
  for (const name of readdirSync(root).filter((one) => !left.has(one)))
    cpSync(join(root, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  return folder;
}

export function madeRelease(place: string): { readonly folder: string; readonly tarball: string } {
  return releaseIn(copyOfSource(), place);
}

export function releaseIn(source: string, place: string): ReturnType<typeof madeRelease> {
  execFileSync(process.execPath, [join(source, '.github/release.mjs'), place], { stdio: 'pipe' });
  const folder = join(source, 'release');
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  return { folder, tarball: join(folder, tarball) };
}

function npmSays(name: string): string {
  return execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
}

/** Where this machine's npm gets packages from, whatever home it is run in. */
export const npm: Readonly<Record<string, string>> = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_userconfig: npmSays('userconfig'),
  npm_config_cache: npmSays('cache'),
};
