/** Trusts the hooks of a project in Codex, as its user does in a dialog: by the hash of each. */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface ListedHook {
  readonly key: string;
  readonly currentHash: string;
}

/** What Codex itself says that there is. */
async function listed(binary: string, home: string, cwd: string): Promise<readonly ListedHook[]> {
  const env = { HOME: home, CODEX_HOME: join(home, '.codex'), PATH: process.env['PATH'] };
  const server = spawn(binary, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const asked = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', version: '1' } } },
    { method: 'initialized' },
    { id: 2, method: 'hooks/list', params: { cwds: [cwd] } },
  ];
  for (const one of asked) server.stdin.write(`${JSON.stringify(one)}\n`);
  for await (const line of createInterface({ input: server.stdout })) {
    const answer = JSON.parse(line);
    if (answer.id !== 2) continue;
    server.kill();
    return answer.result.data.flatMap(({ hooks }: { hooks: readonly ListedHook[] }) => hooks);
  }
  throw new Error('codex did not list its hooks');
}

export async function trustCodexHooks(binary: string, home: string, cwd: string): Promise<void> {
  const config = join(home, '.codex/config.toml');
  appendFileSync(config, `[projects."${cwd}"]\ntrust_level = "trusted"\n`);
  for (const { key, currentHash } of await listed(binary, home, cwd))
    appendFileSync(config, `[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`);
}
