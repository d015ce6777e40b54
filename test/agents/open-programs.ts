/** Programs with open sources beside those in programs.ts: opencode, and what is made of others. */
import { join } from 'node:path';
import { json, key, type Place, type Program, put } from './program.ts';

function openCodeSettings({ model }: Place): unknown {
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    permission: { edit: 'allow', bash: 'allow' },
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'scripted',
        options: { baseURL: `${model}/v1`, apiKey: key },
        models: { scripted: { name: 'scripted', tool_call: true } },
      },
    },
  };
}

/** Otherwise each first start waits for a registry that is not there. */
function registry({ home, model }: Place): void {
  put(join(home, '.npmrc'), `registry=${model}/registry/\n`);
}

export const opencode: Program = {
  name: 'opencode',
  version: '1.18.33',
  package: 'opencode-linux-x64@1.18.33',
  prepare: (place) => {
    json(join(place.home, '.config/opencode/opencode.json'), openCodeSettings(place));
    registry(place);
  },
  trust: () => undefined,
  launch: ({ programs, model }, prompt, { allowed, resumes } = {}) => ({
    file: join(programs, 'opencode/node_modules/opencode-linux-x64/bin/opencode'),
    args: ['run', ...(resumes ? ['--continue'] : []), prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      npm_config_registry: `${model}/registry/`,
      ...(allowed === undefined
        ? {}
        : {
            OPENCODE_PERMISSION: JSON.stringify({
              bash: Object.fromEntries([
                ['*', 'deny'],
                ...allowed.flatMap((one) => [one, `${one} *`].map((form) => [form, 'allow'])),
              ]),
            }),
          }),
    },
  }),
  hands: {
    read: (file) => ({ tool: 'read', input: { filePath: file } }),
    edit: (file, from, to) => ({
      tool: 'edit',
      input: { filePath: file, oldString: from, newString: to },
    }),
    write: (file, text) => ({ tool: 'write', input: { filePath: file, content: text } }),
    shell: (command) => ({ tool: 'bash', input: { command, description: 'as the script says' } }),
    task: (prompt) => ({
      tool: 'task',
      input: { description: 'a task', prompt, subagent_type: 'general' },
    }),
  },
};

/** Made of opencode: it takes its plugins. */
export const kilo: Program = {
  ...opencode,
  name: 'kilo',
  version: '7.7.9',
  package: '@kilocode/cli-linux-x64@7.7.9',
  prepare: (place) => {
    json(join(place.home, '.config/kilo/kilo.json'), openCodeSettings(place));
    registry(place);
  },
  launch: (place, prompt, options) => {
    const { args, env } = opencode.launch(place, prompt, options);
    return {
      file: join(place.programs, 'kilo/node_modules/@kilocode/cli-linux-x64/bin/kilo'),
      args,
      env: Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name.replace(/^OPENCODE_/, 'KILO_'), value]),
      ),
    };
  },
};

export const qwen: Program = {
  name: 'qwen',
  version: '0.24.4',
  package: '@qwen-code/qwen-code@0.24.4',
  prepare: ({ home }) => {
    json(join(home, '.qwen/settings.json'), {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
    });
  },
  // Trust of folders is off unless its user switches it on.
  trust: () => undefined,
  cannot: {
    'reserves a file by its first edit of it, and frees it when it ends':
      'without a terminal it tells no hook of the end of a session',
    'commits as itself, from an index of its own':
      'neither a hook nor a file of the project can set variables of its shells',
  },
  launch: ({ programs, model }, prompt, { allowed, resumes } = {}) => ({
    file: process.execPath,
    args: [
      join(programs, 'qwen/node_modules/@qwen-code/qwen-code/cli.js'),
      ...(resumes ? ['--continue'] : []),
      ...(allowed === undefined
        ? ['--yolo']
        : [
            '--approval-mode',
            'auto-edit',
            ...allowed.flatMap((one) => ['--allowed-tools', `run_shell_command(${one})`]),
          ]),
      '-p',
      prompt,
    ],
    env: {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_CODE_NO_RELAUNCH: 'true',
    },
  }),
  hands: {
    read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    edit: (file, from, to) => ({
      tool: 'edit',
      input: { file_path: file, old_string: from, new_string: to },
    }),
    write: (file, text) => ({ tool: 'write_file', input: { file_path: file, content: text } }),
    shell: (command) => ({
      tool: 'run_shell_command',
      input: { command, description: 'as the script says', is_background: false },
    }),
    task: (prompt) => ({
      tool: 'agent',
      input: { description: 'a task', prompt, subagent_type: 'general-purpose' },
    }),
  },
};
