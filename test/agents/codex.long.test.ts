/** What only Codex has. Needs: agent programs, loopback alone. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programNamed } from './programs.ts';
import { type Scene, scene } from './scene.ts';

const codex = programNamed('codex');

describe('what doctor says of its hooks', () => {
  const homeOf = ({ repo }: Scene): string => join(repo.top, '..', 'home-codex', '.codex');
  const config = (here: Scene): string => join(homeOf(here), 'config.toml');

  async function says(here: Scene): Promise<string> {
    const asked = here.repo.start(null, ['doctor'], { CODEX_HOME: homeOf(here) });
    const { checks } = (await asked.ended).json;
    return checks.find(({ check }: { check: string }) => check === 'codex').says;
  }

  it('that a project which is not trusted has none in force', async () => {
    const here = await scene([codex], { untrusted: true });
    expect(await says(here)).toMatch(/^not in force: .*project that its user trusts.*\/hooks/);
    appendFileSync(config(here), `[projects."${here.file('')}"]\ntrust_level = "trusted"\n`);
    expect(await says(here)).toMatch(/^not in force: .*has not approved.*\/hooks/);
  });

  it('that they are in force as Codex itself has noted it, until they or their switches change', async () => {
    const here = await scene([codex]);
    expect(await says(here)).toMatch(/^tried as /);
    const approved = readFileSync(config(here), 'utf8');
    writeFileSync(config(here), `${approved}enabled = false\n`);
    expect(await says(here)).toMatch(/^not in force: .*switched off/);
    writeFileSync(config(here), `${approved}[features]\nhooks = false\n`);
    expect(await says(here)).toMatch(/^not in force: .*switches all hooks off/);
    writeFileSync(config(here), approved);
    const hooks = here.file('.codex/hooks.json');
    writeFileSync(hooks, readFileSync(hooks, 'utf8').replaceAll('"timeout": 60', '"timeout": 59'));
    expect(await says(here)).toMatch(/^not in force: .*changed since they were approved/);
  });
});
