/** Whether Gemini CLI would run the hooks is told before anybody relies on them. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Environment, repository, said } from '../support/repository.ts';

type Files = Readonly<Record<string, unknown>>;

/** What doctor says of Gemini with these files in the user's folder and this environment. */
function doctorSays(
  files: (top: string) => Files,
  env: Environment = {},
): { readonly installed: string; readonly doctor: string } {
  const repo = repository();
  const home = dirname(repo.top);
  const write = (file: string, value: unknown): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  };
  for (const [file, value] of Object.entries(files(repo.top)))
    write(join(home, '.gemini', file), value);
  const run = (...args: readonly string[]): string =>
    said(repo.top, { ...repo.env, ...env }, [...args]).stdout;
  const installed = run('install', '--harness', 'gemini');
  const doctor = run('doctor')
    .split('\n')
    .filter((line) => /\bgemini\b/.test(line))
    .join('\n');
  return { installed, doctor };
}

const notTrusted = /not in force.*in a folder that its user trusts/;
const tried = /tried as .*settings\.json/;

describe('the hooks of Gemini CLI', () => {
  test('are not in force in a folder that nobody has said to trust: install and doctor say so', () => {
    const { installed, doctor } = doctorSays(() => ({}));
    expect(installed).toMatch(/not in force yet for Gemini CLI: .*GEMINI_CLI_TRUST_WORKSPACE=true/);
    expect(doctor).toMatch(notTrusted);
  });

  test('are in force where the folder or one around it is trusted, under whatever name', () => {
    const asFolder = doctorSays((top) => ({ 'trustedFolders.json': { [top]: 'TRUST_FOLDER' } }));
    expect(asFolder.doctor).toMatch(tried);
    expect(asFolder.installed).not.toContain('not in force');
    const byParent = doctorSays((top) => ({
      'trustedFolders.json': { [join(dirname(top), 'sibling')]: 'TRUST_PARENT' },
    }));
    expect(byParent.doctor).toMatch(tried);
    const byLink = doctorSays((top) => {
      const link = join(dirname(top), 'link');
      symlinkSync(top, link);
      return { 'trustedFolders.json': { [link]: 'TRUST_FOLDER' } };
    });
    expect(byLink.doctor).toMatch(tried);
  });

  test('are not where the nearest rule says no, or the folder only begins alike', () => {
    const nearest = doctorSays((top) => ({
      'trustedFolders.json': { [dirname(top)]: 'TRUST_FOLDER', [top]: 'DO_NOT_TRUST' },
    }));
    expect(nearest.doctor).toMatch(notTrusted);
    const alike = doctorSays((top) => ({
      'trustedFolders.json': { [top.slice(0, -1)]: 'TRUST_FOLDER' },
    }));
    expect(alike.doctor).toMatch(notTrusted);
  });

  test('are in force where the environment trusts, or the user has nobody asked', () => {
    expect(doctorSays(() => ({}), { GEMINI_CLI_TRUST_WORKSPACE: 'true' }).doctor).toMatch(tried);
    const unasked = { security: { folderTrust: { enabled: false } } };
    expect(doctorSays(() => ({ 'settings.json': unasked })).doctor).toMatch(tried);
  });

  test('are not where its settings switch them off', () => {
    const env = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };
    const off = doctorSays(() => ({ 'settings.json': { hooksConfig: { enabled: false } } }), env);
    expect(off.doctor).toMatch(/not in force.*hooksConfig\.enabled/);
    const some = { hooksConfig: { disabled: ['coord-before-edit'] } };
    expect(doctorSays(() => ({ 'settings.json': some }), env).doctor).toMatch(
      /not in force.*hooksConfig\.disabled/,
    );
  });
});
