import { readFileSync } from 'node:fs';

export function version(): string {
  const { version: said } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return said;
}
