/** Kilo's CLI is made of opencode: it takes the same plugin, from a folder of its own. */
import { join } from 'node:path';
import type { Harness } from './harness.ts';
import { opencode, whyNotInForce } from './opencode.ts';

export const kilo: Harness = {
  ...opencode,
  name: 'kilo',
  title: 'Kilo CLI',
  marks: [{ name: 'kilo', variable: 'KILO' }],
  signs: ['.kilo', 'kilo.json', 'kilo.jsonc'],
  homeSigns: ['.config/kilo'],
  notInForce: ({ env, isUser }) => whyNotInForce('KILO', env, isUser),
  file: ({ top, home, env, isUser }) =>
    isUser
      ? join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'kilo', 'plugins', 'coord.js')
      : join(top, '.kilo', 'plugins', 'coord.js'),
};
