/** A PATH with git and what shims use, and with neither node nor coord on it. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './repository.ts';

const programs = 'git sh env cat head tail sed grep date rm mkdir ln ls mv cp find xargs readlink';

export function barePath(): string {
  const folder = join(temporaryFolder(), 'programs');
  mkdirSync(folder);
  for (const name of programs.split(' ')) {
    const place = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin']
      .map((known) => join(known, name))
      .find(existsSync);
    if (place === undefined) throw new Error(`there is no ${name}`);
    symlinkSync(place, join(folder, name));
  }
  return folder;
}
