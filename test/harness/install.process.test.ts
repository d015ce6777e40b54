/**
 * What install writes for harnesses: merged into what is there, the same when done twice, taken
 * back to the byte.
 */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

function put(repo: TestRepository, file: string, text: string): void {
  mkdirSync(dirname(join(repo.top, file)), { recursive: true });
  writeFileSync(join(repo.top, file), text);
}

const bytes = (repo: TestRepository, file: string): string | null =>
  existsSync(join(repo.top, file)) ? readFileSync(join(repo.top, file), 'latin1') : null;

const before: Readonly<Record<string, string>> = {
  'indented with four, no end of line':
    '{\n    "model": "opus",\n    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo hi"}]}]}\n}',
  'with tabs': '{\n\t"permissions": {\n\t\t"allow": ["Bash(ls)"]\n\t}\n}\n',
  'with comments and a trailing comma':
    '{\n  // mine\n  "model": "opus", /* and mine */\n  "list": [1,2,],\n}\n',
  'with CRLF': '{\r\n  "model": "opus"\r\n}\r\n',
  'an empty object': '{}',
  'an empty file': '',
  'with a status line of its own': '{"statusLine": {"type": "command", "command": "my-line"}}\n',
  'on one line, with umlauts': '{"env":{"X":"äöü"},"hooks":{}}',
};

describe('settings that are there', () => {
  test('an empty file of the user is there again after uninstall', () => {
    const repo = checkout();
    for (const file of ['CLAUDE.md', '.claude/settings.json']) put(repo, file, '');
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(['CLAUDE.md', '.claude/settings.json'].map((file) => bytes(repo, file))).toEqual([
      '',
      '',
    ]);
  });

  test.for(
    Object.entries(before),
  )('%s: what is in them stays, twice is once, and uninstall gives back every byte', ([, text]) => {
    const repo = checkout();
    put(repo, '.claude/settings.json', text);
    put(repo, 'CLAUDE.md', '# Ours\n\nNo end of line');
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const once = bytes(repo, '.claude/settings.json');
    expect(once).toContain('coord-hook claude before-edit');
    for (const word of ['"opus"', '// mine', 'echo hi', 'Bash(ls)', 'my-line'])
      if (text.includes(word)) expect(once).toContain(word);
    if (text.includes('my-line')) expect(once).not.toContain('statusline');
    expect(
      repo
        .coord(null, 'install', '--harness', 'claude')
        .json['files'].map(({ action }: { action: string }) => action),
    ).toEqual(['keep', 'keep']);
    expect(bytes(repo, '.claude/settings.json')).toBe(once);
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(bytes(repo, '.claude/settings.json')).toEqual(Buffer.from(text).toString('latin1'));
    expect(bytes(repo, 'CLAUDE.md')).toBe('# Ours\n\nNo end of line');
  });

  test('what a user has changed since stays, and so does what is left where our notes are gone', () => {
    const repo = checkout();
    put(repo, '.claude/settings.json', '{\n  "model": "opus"\n}\n');
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    writeFileSync(
      join(repo.top, '.claude/settings.json'),
      (bytes(repo, '.claude/settings.json') ?? '').replace('"opus"', '"sonnet"'),
    );
    rmSync(join(repo.top, '.git/coord/installed'), { recursive: true });
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(JSON.parse(bytes(repo, '.claude/settings.json') ?? '')).toEqual({ model: 'sonnet' });
    expect(bytes(repo, 'CLAUDE.md')).toBe(null);
  });

  test.for<readonly [string, string]>([
    ['no JSON', '{"model": '],
    ['a list', '[]'],
    ['hooks that are no object', '{"hooks": {"PreToolUse": "none"}}'],
  ])('%s: nothing is written anywhere, and it is said', ([, text]) => {
    const repo = checkout({ guarded: false });
    put(repo, '.claude/settings.json', text);
    const ran = repo.coord(null, 'install', '--harness', 'claude');
    expect(ran.code).toBe(69);
    expect(ran.json['error'].code).toBe('not_writable');
    expect(bytes(repo, '.claude/settings.json')).toEqual(text);
    expect(bytes(repo, '.git/hooks/pre-commit')).toBeNull();
    expect(bytes(repo, 'CLAUDE.md')).toBeNull();
  });

  test('a link within the project is what it leads to, one that leads out is refused', () => {
    const repo = checkout();
    put(repo, 'AGENTS.md', 'shared\n');
    symlinkSync('AGENTS.md', join(repo.top, 'CLAUDE.md'));
    expect(repo.coord(null, 'install', '--harness', 'claude', '--harness', 'codex').code).toBe(0);
    expect((bytes(repo, 'AGENTS.md') ?? '').split('coord: begin')).toHaveLength(2);
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(bytes(repo, 'AGENTS.md')).toBe('shared\n');
    writeFileSync(join(repo.top, '../outside.json'), '{}');
    mkdirSync(join(repo.top, '.claude'), { recursive: true });
    symlinkSync('../../outside.json', join(repo.top, '.claude/settings.json'));
    expect(repo.coord(null, 'install', '--harness', 'claude').json['error'].code).toBe(
      'not_writable',
    );
    expect(readFileSync(join(repo.top, '../outside.json'), 'utf8')).toBe('{}');
  });
});

describe('which harnesses', () => {
  test('those found by default, none if so said, an unknown one is refused; a dry run writes nothing and shows all', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install').json['harnesses']).toEqual([]);
    mkdirSync(join(repo.top, '.gemini'));
    mkdirSync(join(repo.env['HOME'] ?? '', '.codex'), { recursive: true });
    expect(repo.coord(null, 'install', '--dry-run').json['harnesses']).toEqual(['codex', 'gemini']);
    expect(existsSync(join(repo.top, '.codex'))).toBe(false);
    expect(repo.text(null, 'install', '--dry-run').stdout).toEqual(
      expect.stringContaining('coord-hook codex before-edit'),
    );
    expect(repo.coord(null, 'install', '--harness', 'none').json['harnesses']).toEqual([]);
    expect(repo.coord(null, 'install', '--harness', 'clippy').code).toBe(64);
  });

  test('says what has to be approved before it is in force', () => {
    const repo = checkout();
    const said = (): string => repo.text(null, 'install', '--harness', 'codex').stdout;
    expect(said()).toMatch(/^not in force yet for Codex: .*approve them under \/hooks$/m);
    expect(repo.text(null, 'install', '--harness', 'claude').stdout).not.toContain('not in force');
  });

  test('says what the settings and the environment of the user keep from being in force', () => {
    const repo = checkout();
    const said = (name: string, env: Readonly<Record<string, string>>): string =>
      at(repo.top, { ...repo.env, ...env }).text(null, 'install', '--harness', name).stdout;
    expect(said('opencode', {})).not.toContain('not in force');
    expect(said('opencode', { OPENCODE_PURE: '1' })).toContain('OPENCODE_PURE keeps plugins out');
    expect(said('qwen', {})).not.toContain('not in force');
    const own = join(repo.env['HOME'] ?? '', '.qwen');
    mkdirSync(own, { recursive: true });
    const asks = { security: { folderTrust: { enabled: true } } };
    writeFileSync(join(own, 'settings.json'), JSON.stringify(asks));
    expect(said('qwen', {})).toContain('a folder that its user trusts');
    const rules = { [realpathSync(repo.top)]: 'TRUST_FOLDER' };
    writeFileSync(join(own, 'trustedFolders.json'), JSON.stringify(rules));
    expect(said('qwen', {})).not.toContain('not in force');
  });

  test('for the user rather than the project, and taken back from there too', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'all', '--user').code).toBe(0);
    const home = repo.env['HOME'] ?? '';
    const files = [
      '.claude/settings.json',
      '.codex/hooks.json',
      '.gemini/settings.json',
      '.cursor/hooks.json',
      '.config/opencode/plugins/coord.js',
      '.copilot/hooks/coord.json',
    ];
    for (const file of files) expect(existsSync(join(home, file)), file).toBe(true);
    expect(existsSync(join(repo.top, '.claude'))).toBe(false);
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    for (const file of files) expect(existsSync(join(home, file)), file).toBe(false);
  });

  test('matchers name the tools that edit, read and run commands, commands are the same from every folder', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const once = bytes(repo, '.claude/settings.json') ?? '';
    const { hooks } = JSON.parse(once) as {
      readonly hooks: Record<string, readonly { readonly matcher?: string }[]>;
    };
    expect(hooks['PreToolUse']?.map(({ matcher }) => matcher)).toEqual([
      'Edit|Write|MultiEdit|NotebookEdit',
      'Bash|PowerShell|Monitor',
      'Read',
    ]);
    expect(
      at(join(repo.top, 'src'), repo.env).text(null, 'install', '--harness', 'claude').code,
    ).toBe(0);
    expect(bytes(repo, '.claude/settings.json')).toBe(once);
  });

  test('what an earlier coord has installed tells of no reads: doctor says so, install adds it', () => {
    const repo = checkout();
    expect(repo.text(null, 'install', '--harness', 'claude').code).toBe(0);
    const file = join(repo.top, '.claude/settings.json');
    const whole = bytes(repo, '.claude/settings.json') ?? '';
    const { hooks, ...rest } = JSON.parse(whole);
    const PreToolUse = hooks['PreToolUse'].filter(
      ({ matcher }: { readonly matcher: string }) => matcher !== 'Read',
    );
    writeFileSync(file, JSON.stringify({ ...rest, hooks: { ...hooks, PreToolUse } }, null, 2));
    const before = repo.text(null, 'doctor');
    expect(before.code).toBe(1);
    expect(before.stdout + before.stderr).toContain('no hook notes what is read');
    expect(repo.text(null, 'install', '--harness', 'claude').code).toBe(0);
    expect(JSON.parse(bytes(repo, '.claude/settings.json') ?? '')).toEqual(JSON.parse(whole));
    expect(repo.text(null, 'doctor').code).toBe(0);
  });

  test('the instructions are few lines, and leave no way to leave tests out', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'codex').code).toBe(0);
    const text = bytes(repo, 'AGENTS.md') ?? '';
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(text).toMatch(/whole test suite/);
    expect(text).not.toMatch(
      /--no-verify|skip|unless you are sure|if you have time|optional|where possible/i,
    );
  });
});

describe('the instructions', () => {
  test('speak of what the team uses, and are brought up to date by another install', () => {
    const repo = checkout();
    const install = (): string => {
      expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
      return bytes(repo, 'CLAUDE.md') ?? '';
    };
    const plain = install();
    expect(plain).not.toMatch(/coord claim|coord gate|coord run/);
    put(repo, '.beads/issues.jsonl', '');
    repo.git('config', 'coord.presets', 'test=npm test');
    put(repo, '.coord.json', '{"gate": {"require": ["npm test"]}}');
    repo.git('add', '.coord.json');
    repo.git('commit', '-q', '-m', 'gate', '--', '.coord.json');
    const whole = install();
    for (const line of ['coord claim', 'coord gate', 'coord run']) expect(whole).toContain(line);
    repo.git('config', 'coord.tracker', 'none');
    expect(install()).not.toContain('coord claim');
    repo.git('config', 'coord.tags', 'gpu');
    expect(install()).toContain('coord claim');
  });

  test('stand in one file, where one takes in the other', () => {
    const repo = checkout();
    put(repo, 'CLAUDE.md', '# Ours\n\n@AGENTS.md\n');
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    expect(bytes(repo, 'CLAUDE.md')).toContain('coord: begin');
    expect(repo.coord(null, 'install', '--harness', 'claude', '--harness', 'codex').code).toBe(0);
    expect(bytes(repo, 'CLAUDE.md')).toBe('# Ours\n\n@AGENTS.md\n');
    expect(bytes(repo, 'AGENTS.md')).toContain('coord: begin');
    expect(repo.coord(null, 'uninstall').code).toBe(0);
    expect(bytes(repo, 'CLAUDE.md')).toBe('# Ours\n\n@AGENTS.md\n');
    expect(bytes(repo, 'AGENTS.md')).toBeNull();
  });
});

describe('doctor', () => {
  test('tries what is installed', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'all').code).toBe(0);
    const trusted = { ...repo.env, GEMINI_CLI_TRUST_WORKSPACE: 'true', COPILOT_ALLOW_ALL: 'true' };
    const findings = at(repo.top, trusted).text(null, 'doctor').stdout;
    for (const name of ['claude', 'qwen', 'gemini', 'cursor', 'kilo', 'opencode', 'copilot'])
      expect(findings).toMatch(new RegExp(`ok +${name} +tried`));
    expect(findings).toMatch(/note +codex +not in force: .*\n +Next|note +codex +not in force: /);
  });

  test('finds out what lets everything pass', () => {
    const repo = checkout();
    expect(repo.coord(null, 'install', '--harness', 'claude').code).toBe(0);
    const file = join(repo.top, '.claude/settings.json');
    const good = readFileSync(file, 'utf8');
    for (const [from, to, said] of [
      ['before-edit', 'before-edit >/dev/null', 'is let through'],
      ['{\n', '{\n  "disableAllHooks": true,\n', 'disableAllHooks'],
    ] as const) {
      writeFileSync(file, good.replace(from, to));
      expect(repo.text(null, 'doctor')).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(said),
      });
    }
  });
});
