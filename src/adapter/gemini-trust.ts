/**
 * Would Gemini CLI run the hooks here, or Qwen Code, which is made of it? As their settings, the
 * folders that their user trusts and the environment tell.
 */
import { realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { parse } from 'jsonc-parser';
import { limits } from '../core/limits.ts';
import { regularText } from '../git/regular-file.ts';
import type { Places } from './harness.ts';

type Json = Readonly<Record<string, unknown>>;

function field(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Json)[name] : null),
    value,
  );
}

function read(file: string): unknown {
  return parse(regularText(file, limits.projectFileBytes) ?? '');
}

export function whyNotInForce({ top, home, env }: Places): string | null {
  const own = join(env['GEMINI_CLI_HOME'] ?? home, '.gemini');
  const system = env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] ?? '/etc/gemini-cli/settings.json';
  const [ofSystem, ofUser] = [system, join(own, 'settings.json')].map(read);
  const trustFile = env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] ?? join(own, 'trustedFolders.json');
  const isAsked =
    (field(ofSystem, 'security', 'folderTrust', 'enabled') ??
      field(ofUser, 'security', 'folderTrust', 'enabled')) !== false;
  if (!trusts(env, isAsked && !isTrusted(read(trustFile), top)))
    return 'Gemini CLI runs them only in a folder that its user trusts (with --skip-trust it does not read those of a project): run gemini here and trust the folder (later with /permissions), or set GEMINI_CLI_TRUST_WORKSPACE=true where nobody can be asked';
  const settings = [ofSystem, read(join(top, '.gemini/settings.json')), ofUser];
  const said = settings.map((one) => field(one, 'hooksConfig', 'enabled'));
  if (said.find((one) => one !== undefined && one !== null) === false)
    return 'hooksConfig.enabled switches all hooks of Gemini CLI off';
  const isOff = settings
    .flatMap((one) => field(one, 'hooksConfig', 'disabled') ?? [])
    .some((name) => typeof name === 'string' && name.startsWith('coord-'));
  return isOff
    ? 'some of them are switched off (hooksConfig.disabled): gemini lists them under /hooks'
    : null;
}

/** Trust of folders is off there unless its user switches it on. */
export function whyQwenDoesNot({ top, home, env, isUser }: Places): string | null {
  const own = join(home, '.qwen');
  const system = env['QWEN_CODE_SYSTEM_SETTINGS_PATH'] ?? '/etc/qwen-code/settings.json';
  const [ofSystem, ofUser] = [system, join(own, 'settings.json')].map(read);
  const said = (...path: readonly string[]): unknown =>
    field(ofSystem, ...path) ?? field(ofUser, ...path);
  if (said('disableAllHooks') === true)
    return 'disableAllHooks switches all hooks of Qwen Code off';
  const trustFile = env['QWEN_CODE_TRUSTED_FOLDERS_PATH'] ?? join(own, 'trustedFolders.json');
  return !isUser &&
    said('security', 'folderTrust', 'enabled') === true &&
    !isTrusted(read(trustFile), top)
    ? 'Qwen Code reads those of a project only in a folder that its user trusts: run qwen here and trust the folder (later with /permissions)'
    : null;
}

function trusts(env: NodeJS.ProcessEnv, isDistrusted: boolean): boolean {
  const said = env['GEMINI_CLI_TRUST_WORKSPACE'];
  if (env['GEMINI_RESTRICTED_MODE'] === 'true' || said === 'false') return false;
  return said === 'true' || !isDistrusted;
}

/** The rule with the longest path decides, as it does for the program. */
function isTrusted(rules: unknown, top: string): boolean {
  const here = real(top);
  const [decides] = Object.entries((rules ?? {}) as Json)
    .filter(([path, level]) => {
      const folder = real(level === 'TRUST_PARENT' ? dirname(path) : path);
      return here === folder || here.startsWith(folder === sep ? sep : `${folder}${sep}`);
    })
    .sort(([one], [other]) => other.length - one.length);
  return decides?.[1] === 'TRUST_FOLDER' || decides?.[1] === 'TRUST_PARENT';
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
