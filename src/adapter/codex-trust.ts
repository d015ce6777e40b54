/**
 * Does Codex run these hooks? It reads those of a project only where its user trusts the project,
 * and runs none that its user has not approved as it stands: by a hash of each, in its config.toml.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import { regularText } from '../git/regular-file.ts';
import type { Places } from './harness.ts';
import { eventNames } from './hook-event.ts';
import { parseToml, type TomlTable } from './toml.ts';

export function codexHome(home: string, env: NodeJS.ProcessEnv): string {
  return env['CODEX_HOME'] || join(home, '.codex');
}

type Json = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

const isOurs = new RegExp(`\\bcodex (${eventNames.join('|')})\\b`);

/** Keys in order, so that what means the same has one text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, canonical(inner)]));
}

interface ListedHook {
  /** As Codex names it in its own file, behind the name of the file that it is in. */
  readonly key: string;
  readonly hash: string;
}

function hooksIn(text: string): readonly ListedHook[] {
  const { hooks = {} } = JSON.parse(text) as { readonly hooks?: Json };
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const event_name = event.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
    return listOf(groups).flatMap(({ matcher, hooks: handlers }, group) =>
      listOf(handlers).flatMap((handler, i) => {
        if (!isOurs.test(String(handler['command']))) return [];
        const identity = { event_name, matcher, hooks: [{ async: false, ...handler }] };
        const hash = builtin.crypto
          .createHash('sha256')
          .update(JSON.stringify(canonical(identity)));
        return [{ key: `${event_name}:${group}:${i}`, hash: `sha256:${hash.digest('hex')}` }];
      }),
    );
  });
}

function tableIn(table: TomlTable, ...names: readonly string[]): TomlTable {
  let found: TomlTable = table;
  for (const name of names) {
    const inner = found[name];
    if (typeof inner !== 'object' || Array.isArray(inner)) return {};
    found = inner as TomlTable;
  }
  return found;
}

/** Its own name, and the one that its links lead to. */
function namesOf(path: string): readonly string[] {
  try {
    return [...new Set([path, realpathSync(path)])];
  } catch {
    return [path];
  }
}

const approve = 'start codex here and approve them under /hooks';

export function whyNotInForce(places: Places, file: string): string | null {
  const { top, mainTop, home, env, isUser } = places;
  const own = join(codexHome(home, env), 'config.toml');
  const config = regularText(own, limits.projectFileBytes) ?? '';
  try {
    const said = parseToml(config);
    if (tableIn(said, 'features')['hooks'] === false) return `'${own}' switches all hooks off`;
    const trusts = [top, mainTop]
      .flatMap(namesOf)
      .map((name) => tableIn(said, 'projects', name)['trust_level'])
      .find((level) => level !== undefined);
    if (!isUser && trusts !== 'trusted')
      return `Codex reads them only in a project that its user trusts: ${approve}`;
    return whyNotRun(said, file);
  } catch (error) {
    if (error instanceof SyntaxError)
      return `whether they are approved cannot be told from '${own}': codex lists them under /hooks`;
    throw error;
  }
}

function whyNotRun(config: TomlTable, file: string): string | null {
  const states = listedHooks(file).map(({ key, hash }) => {
    const state = namesOf(file)
      .map((name) => tableIn(config, 'hooks', 'state', `${name}:${key}`))
      .find((known) => Object.keys(known).length > 0);
    if (state?.['trusted_hash'] === undefined) return 'new';
    if (state['enabled'] === false) return 'off';
    return state['trusted_hash'] === hash ? 'approved' : 'changed';
  });
  if (states.includes('off'))
    return 'some of them are switched off in Codex: codex lists them under /hooks';
  if (states.includes('new'))
    return `Codex runs no hook that its user has not approved: ${approve}`;
  return states.includes('changed')
    ? `they have changed since they were approved: ${approve}`
    : null;
}

function listedHooks(file: string): readonly ListedHook[] {
  return hooksIn(regularText(file, limits.projectFileBytes) ?? '{}');
}
