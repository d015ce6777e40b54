/** The hooks of a program as its plugin or extension holds them, apart from any project. */
import type { Harness } from './harness.ts';

/** What `hooks/hooks.json` of the plugin says. */
export function pluginHooks(harness: Harness): {
  readonly hooks: Readonly<Record<string, readonly unknown[]>>;
} {
  const hooks: Record<string, unknown[]> = {};
  const wanted = harness.wanted(null);
  for (const { list, value } of 'entries' in wanted ? wanted.entries : [])
    (hooks[list[1] ?? ''] ??= []).push(value);
  return { hooks };
}
