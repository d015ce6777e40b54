/** The hooks of the plugin for Claude Code, which finds coord by the PATH. */

import type { EventName } from './hook-event.ts';
import { claudeMatchers, claudeMoments, groups, hookSeconds } from './setups.ts';

/** What `plugin/hooks/hooks.json` holds. */
export function pluginHooks(): { readonly hooks: Readonly<Record<string, readonly unknown[]>> } {
  const hooks: Record<string, unknown[]> = {};
  for (const { list, value } of groups(
    pluginCommand,
    claudeMoments,
    claudeMatchers,
    () => hookSeconds,
  ))
    (hooks[list[1] ?? ''] ??= []).push(value);
  return { hooks };
}

/** In a plugin, which knows no place of its own: by the `coord` that is on the PATH. */
function pluginCommand(moment: EventName): string {
  const gone = JSON.stringify({
    systemMessage: 'coord is not on the PATH: nothing is guarded until it is installed',
  });
  return `if c=$(command -v coord); then exec "$(dirname "$(readlink -f "$c")")/../hooks/agent-hook" claude ${moment}; else echo '${gone}'; fi`;
}
