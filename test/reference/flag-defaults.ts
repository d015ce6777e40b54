/** What holds where a flag is not said, from its definition: of a switch it is always off. */
import type { Flag } from '../../src/cli/verb.ts';
import { settingByKey } from '../../src/core/settings.ts';

export function defaultOf({ value, usual = 'none' }: Flag): string {
  if (value === undefined) return 'off';
  if (typeof usual === 'string') return usual;
  const setting = settingByKey.get(usual.setting.toLowerCase());
  if (setting === undefined) throw new Error(`there is no setting '${usual.setting}'`);
  return `${usual.setting} (${setting.usual})`;
}
