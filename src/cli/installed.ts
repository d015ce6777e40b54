/** Where this very coord is installed: the plain output and the bundles are in different folders. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

function topAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : topAbove(dirname(folder));
}

/** Of the package; a bundle has one of the two names, the plain output the other. */
export function installed(): string {
  return topAbove(typeof __dirname === 'string' ? __dirname : import.meta.dirname);
}

export function version(): string {
  const { version: said } = JSON.parse(readFileSync(join(installed(), 'package.json'), 'utf8')) as {
    version: string;
  };
  return said;
}
