/** How Codex is started with a model of ours, and what its model calls. */
import { join } from 'node:path';
import { trustCodexHooks } from './codex-trust.ts';
import { key, type Program, put } from './program.ts';

/** As Codex's own tool takes it. */
export function patch(file: string, from: string, to: string): string {
  return [
    '*** Begin Patch',
    `*** Update File: ${file}`,
    '@@',
    `-${from}`,
    `+${to}`,
    '*** End Patch',
    '',
  ].join('\n');
}

const codexBinary = 'codex/node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex';

export const codex: Program = {
  name: 'codex',
  version: '0.169.0',
  package: '@openai/codex@0.169.0-linux-x64',
  prepare: ({ home, model }) => {
    put(
      join(home, '.codex/config.toml'),
      [
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'env_key = "SCRIPTED_KEY"',
        'wire_api = "responses"',
        'supports_websockets = false',
        '',
      ].join('\n'),
    );
  },
  trust: ({ programs, home, cwd }) => trustCodexHooks(join(programs, codexBinary), home, cwd),
  launch: ({ programs, cwd, home }, prompt, { allowed, resumes } = {}) => {
    // What is not allowed runs in the sandbox.
    const rules = allowed?.map(
      (one) => `prefix_rule(pattern=${JSON.stringify(one.split(' '))}, decision="allow")\n`,
    );
    if (rules !== undefined) put(join(home, '.codex/rules/default.rules'), rules.join(''));
    return {
      file: join(programs, codexBinary),
      args: [
        'exec',
        ...(allowed === undefined ? [] : ['-s', 'workspace-write']),
        ...(resumes ? ['resume', '--last'] : ['-C', cwd]),
        ...(allowed === undefined ? ['--dangerously-bypass-approvals-and-sandbox'] : []),
        prompt,
      ],
      env: { SCRIPTED_KEY: key, CODEX_HOME: join(home, '.codex') },
    };
  },
  hands: {
    read: (file) => ({ tool: 'exec_command', input: { cmd: `cat '${file}'` } }),
    edit: (file, from, to) => ({ tool: 'apply_patch', input: patch(file, from, to) }),
    write: (file, text) => ({
      tool: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: ${file}\n${text.replace(/^(?=.)/gm, '+')}*** End Patch\n`,
    }),
    shell: (command) => ({ tool: 'exec_command', input: { cmd: command } }),
    task: (prompt) => ({ tool: 'multi_agent_v1.spawn_agent', input: { message: prompt } }),
  },
};
