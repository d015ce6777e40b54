/** What a harness's session pays for us: single hooks, and a session of two hundred tool calls. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hookCommand } from '../../src/adapter/harness.ts';
import type { EventName } from '../../src/adapter/hook-event.ts';
import { type Figure, median, ratio, timed } from './measure.ts';
import { program, type Sandbox, sandbox } from './sandbox.ts';

function filled(): Sandbox {
  const box = sandbox();
  mkdirSync(join(box.top, 'src'));
  for (let i = 0; i < 200; i += 1) writeFileSync(join(box.top, 'src', `f${i}`), `${i}\n`);
  for (const args of [
    ['add', '.'],
    ['commit', '-q', '-m', 'files'],
  ])
    spawnSync('git', args, { cwd: box.top, env: box.env });
  // For the launcher, which the command of a hook runs.
  const install = ['install', '--harness', 'none'];
  spawnSync(process.execPath, [program, ...install], { cwd: box.top, env: box.env });
  return box;
}

/** As Claude Code runs it: by a shell, with the payload on standard input. */
function hook(
  { top, env }: Sandbox,
  session: string,
  moment: EventName,
  more: Readonly<Record<string, unknown>>,
): string {
  const payload = {
    session_id: session,
    transcript_path: '/tmp/t.jsonl',
    cwd: top,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    ...more,
  };
  const { stdout, status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', hookCommand('claude', moment, null, (text) => text)],
    { cwd: top, env, input: JSON.stringify(payload), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${moment}: ${stderr}`);
  return stdout;
}

const edit = (box: Sandbox, session: string, file: string): string =>
  hook(box, session, 'before-edit', {
    tool_name: 'Edit',
    tool_input: { file_path: join(box.top, file), old_string: 'a\nb', new_string: 'c' },
  });
const read = (box: Sandbox, session: string, file: string): string =>
  hook(box, session, 'before-read', {
    tool_name: 'Read',
    tool_input: { file_path: join(box.top, file) },
  });
const write = (box: Sandbox, session: string, file: string): string =>
  hook(box, session, 'before-edit', {
    tool_name: 'Write',
    tool_input: { file_path: join(box.top, file), content: 'all of it\n' },
  });
const shell = (box: Sandbox, session: string, moment: EventName, command: string): string =>
  hook(box, session, moment, { tool_name: 'Bash', tool_input: { command } });

const rounds = 15;

function single(): readonly Figure[] {
  const box = filled();
  const times: Record<
    'sh' | 'node' | 'read' | 'held' | 'first' | 'refused' | 'whole' | 'line',
    number[]
  > = { sh: [], node: [], read: [], held: [], first: [], refused: [], whole: [], line: [] };
  for (const session of ['ann', 'bob']) hook(box, session, 'session-start', { source: 'startup' });
  edit(box, 'ann', 'src/f0');
  for (let i = 0; i < rounds; i += 1) {
    times.sh.push(timed(() => spawnSync('/bin/sh', ['-c', ':'], { env: box.env })));
    times.node.push(timed(() => spawnSync(process.execPath, ['-e', '0'], { env: box.env })));
    times.read.push(timed(() => read(box, 'ann', `src/f${i + 1}`)));
    times.first.push(timed(() => edit(box, 'ann', `src/f${i + 1}`)));
    times.held.push(timed(() => edit(box, 'ann', `src/f${i + 1}`)));
    times.whole.push(timed(() => write(box, 'ann', `src/f${i + 1}`)));
    times.refused.push(timed(() => edit(box, 'bob', `src/f${i + 1}`)));
    times.line.push(
      timed(() =>
        spawnSync(process.execPath, [program, 'statusline'], {
          cwd: box.top,
          env: { ...box.env, COLUMNS: String(80 + i) },
          input: JSON.stringify({ session_id: 'ann', cwd: box.top }),
        }),
      ),
    );
  }
  box.remove();
  const of = (key: keyof typeof times, base: 'sh' | 'node'): string =>
    ratio(median(times[key]) / median(times[base]));
  return [
    {
      what: 'before an edit of a file that is held already: of sh -c :',
      measured: of('held', 'sh'),
      target: '<= 8 x',
    },
    { what: 'before a file is read: of sh -c :', measured: of('read', 'sh'), target: '<= 8 x' },
    {
      what: 'before a file that is held is written as a whole: of node -e 0',
      measured: of('whole', 'node'),
      target: '<= 1.6 x',
    },
    {
      what: 'before the first edit of a free file: of node -e 0',
      measured: of('first', 'node'),
      target: '<= 1.6 x',
    },
    {
      what: 'before an edit that is refused: of node -e 0',
      measured: of('refused', 'node'),
      target: '<= 1.5 x',
    },
    { what: 'status line: of node -e 0', measured: of('line', 'node'), target: '<= 1.4 x' },
  ];
}

/** Tool calls are seconds apart. */
function written(file: string): void {
  appendFileSync(file, 'edited\n');
  const before = Date.now() / 1_000 - 2;
  utimesSync(file, before, before);
}

const commands = [
  'npm test',
  'ls -la src',
  'git status --short',
  'cat src/f3',
  'node -e 0',
  'grep -rn x src',
  'git diff --stat',
  'npx tsc --noEmit',
  'head -n 3 src/f9',
  'npm run lint',
];

/**
 * Sixty edits of twelve files, a hundred shell commands, forty calls that nobody hooks; what the
 * hooks took.
 */
function session(othersEvery: number): number {
  const box = filled();
  // What node made of our program is kept for good: the first session ever is not the one to
  // measure.
  for (const moment of [
    'session-start',
    'before-edit',
    'before-shell',
    'after-shell',
    'session-end',
  ] as const)
    hook(box, 'yesterday', moment, {
      tool_name: moment.endsWith('shell') ? 'Bash' : 'Edit',
      tool_input: { file_path: join(box.top, 'src/f150'), command: 'npm test' },
    });
  let spentMs = 0;
  const paid = (work: () => unknown): void => {
    spentMs += timed(work);
  };
  paid(() => hook(box, 'me', 'session-start', { source: 'startup' }));
  if (othersEvery > 0)
    for (const other of ['one', 'two']) hook(box, other, 'session-start', { source: 'startup' });
  let edits = 0;
  for (let call = 0; call < 160; call += 1) {
    const isEdit = call % 8 < 3;
    if (isEdit) {
      const file = `src/f${edits % 12}`;
      edits += 1;
      paid(() => edit(box, 'me', file));
      written(join(box.top, file));
    } else {
      const command = commands[call % commands.length] ?? 'ls';
      paid(() => shell(box, 'me', 'before-shell', command));
      paid(() => shell(box, 'me', 'after-shell', command));
    }
    if (othersEvery > 0 && call % othersEvery === 0) {
      const file = `src/f${100 + call}`;
      edit(box, ['one', 'two'][call % 2] ?? 'one', file);
      written(join(box.top, file));
    }
  }
  paid(() => hook(box, 'me', 'session-end', { reason: 'other' }));
  box.remove();
  return spentMs;
}

export function harnessFigures(): readonly Figure[] {
  return [
    ...single(),
    {
      what: 'a session of 200 tool calls, alone',
      measured: `${(session(0) / 1_000).toFixed(1)} s`,
      target: '< 2 s',
    },
    {
      what: 'the same with two others who edit a file each 10 calls',
      measured: `${(session(5) / 1_000).toFixed(1)} s`,
      target: '< 8 s',
    },
  ];
}
