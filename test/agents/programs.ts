/** The agent programs that are tested as programs. */
import { join } from 'node:path';
import { codex } from './codex-program.ts';
import { kilo, opencode, qwen } from './open-programs.ts';
import { json, key, type Program } from './program.ts';

export type { LaunchOptions, Place, Program } from './program.ts';

const claude: Program = {
  name: 'claude',
  version: '2.1.327',
  package: '@anthropic-ai/claude-code-linux-x64@2.1.327',
  prepare: ({ home, cwd }) => {
    json(join(home, '.claude.json'), {
      hasCompletedOnboarding: true,
      projects: { [cwd]: { hasTrustDialogAccepted: true } },
    });
  },
  trust: () => undefined,
  launch: ({ programs, model }, prompt, { allowed, resumes } = {}) => ({
    file: join(programs, 'claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude'),
    args: [
      '-p',
      prompt,
      ...(resumes ? ['--continue'] : []),
      '--model',
      'claude-sonnet-4-5',
      '--allowedTools',
      ...(allowed?.map((command) => `Bash(${command}:*)`) ?? ['Bash', 'PowerShell']),
      'Read',
      'Edit',
      'Write',
      'Task',
      'Agent',
    ],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  hands: {
    read: (file) => ({ tool: 'Read', input: { file_path: file } }),
    edit: (file, from, to) => ({
      tool: 'Edit',
      input: { file_path: file, old_string: from, new_string: to },
    }),
    write: (file, text) => ({ tool: 'Write', input: { file_path: file, content: text } }),
    shell: (command) => ({ tool: 'Bash', input: { command, description: 'as the script says' } }),
    task: (prompt) => ({
      tool: 'Agent',
      input: { description: 'a task', prompt, subagent_type: 'general-purpose' },
    }),
  },
};

const gemini: Program = {
  name: 'gemini',
  version: '0.61.0',
  package: '@google/gemini-cli@0.61.0',
  prepare: ({ home }) => {
    json(join(home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    });
  },
  trust: ({ home, cwd }) =>
    json(join(home, '.gemini/trustedFolders.json'), { [cwd]: 'TRUST_FOLDER' }),
  launch: ({ programs, model }, prompt, { allowed, resumes } = {}) => ({
    file: process.execPath,
    args: [
      join(programs, 'gemini/node_modules/@google/gemini-cli/bundle/gemini.js'),
      ...(resumes ? ['--resume', 'latest'] : []),
      '-m',
      'gemini-2.5-pro',
      ...(allowed === undefined
        ? ['--yolo']
        : [
            '--approval-mode',
            'auto_edit',
            ...allowed.flatMap((one) => ['--allowed-tools', `run_shell_command(${one})`]),
          ]),
      '-p',
      prompt,
    ],
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_NO_RELAUNCH: 'true' },
  }),
  hands: {
    read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    edit: (file, from, to) => ({
      tool: 'replace',
      input: { file_path: file, instruction: 'as scripted', old_string: from, new_string: to },
    }),
    write: (file, text) => ({ tool: 'write_file', input: { file_path: file, content: text } }),
    shell: (command) => ({ tool: 'run_shell_command', input: { command } }),
    task: (prompt) => ({ tool: 'invoke_agent', input: { agent_name: 'generalist', prompt } }),
  },
};

const copilot: Program = {
  name: 'copilot',
  version: '1.0.102',
  package: '@github/copilot-linux-x64@1.0.102',
  cannot: {
    'is shown what its whole text would take back of a commit since it read the file, and may write then':
      'its create takes no file that is there',
  },
  prepare: () => undefined,
  trust: ({ home, cwd }) => json(join(home, '.copilot/config.json'), { trustedFolders: [cwd] }),
  launch: ({ programs, model }, prompt, { allowed, resumes } = {}) => ({
    file: join(programs, 'copilot/node_modules/@github/copilot-linux-x64/copilot'),
    args: [
      ...(resumes ? ['--continue'] : []),
      ...(allowed === undefined
        ? ['--allow-all-tools']
        : [
            '--allow-tool',
            'write',
            ...allowed.flatMap((one) => ['--allow-tool', `shell(${one}:*)`]),
          ]),
      '--no-auto-update',
      '-p',
      prompt,
    ],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
    },
  }),
  hands: {
    read: (file) => ({ tool: 'view', input: { path: file } }),
    edit: (file, from, to) => ({ tool: 'edit', input: { path: file, old_str: from, new_str: to } }),
    write: (file, text) => ({ tool: 'create', input: { path: file, file_text: text } }),
    shell: (command) => ({ tool: 'bash', input: { command, description: 'as the script says' } }),
    task: (prompt) => ({
      tool: 'task',
      input: { description: 'a task', name: 'helper', prompt, agent_type: 'general-purpose' },
    }),
  },
};

export const programs: readonly Program[] = [claude, codex, gemini, opencode, kilo, copilot, qwen];

export function programNamed(name: string): Program {
  const found = programs.find((program) => program.name === name);
  if (found === undefined) throw new Error(`no program is called ${name}`);
  return found;
}
