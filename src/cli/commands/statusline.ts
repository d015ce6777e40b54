/**
 * `coord statusline`: the line that a harness shows below its prompt. Asked for more often than
 * every two seconds it says what it said; where much happens it says how many rather than who.
 */
import { readFileSync } from 'node:fs';
import { claude } from '../../adapter/claude.ts';
import { knownSession } from '../../agent/harness-session.ts';
import { type RealWorld, realWorld } from '../../agent/world.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { isAtHead, stageOf } from '../../draft/stage-base.ts';
import { headOf } from '../../git/head.ts';
import { readLocal, writeLocal } from '../../git/local.ts';
import { decisionContext } from '../../loop/operate.ts';
import { sessionLine } from '../../show/session-line.ts';
import { shellOutput } from '../../work/shell.ts';
import { type Call, text, type Verb } from '../verb.ts';

const redrawMs = 2_000;
const busyEvents = 10;
const minuteMs = 60_000;

interface Drawn {
  readonly atMs: number;
  readonly line: string;
  /** Where the log was when, in the last minute. */
  readonly seen: readonly (readonly [number, number])[];
}

function lastDrawn(commonDir: string, name: string): Drawn | null {
  try {
    const { atMs, line, seen } = JSON.parse(readLocal(commonDir, name) ?? '') as Drawn;
    return typeof line === 'string' && Array.isArray(seen) ? { atMs, line, seen } : null;
  } catch {
    return null;
  }
}

interface StatuslineInput {
  readonly session: string | null;
  readonly cwd: string;
}

function told(call: Call, input: string): StatuslineInput {
  try {
    const payload = JSON.parse(input) as {
      readonly session_id?: unknown;
      readonly cwd?: unknown;
      readonly workspace?: { readonly current_dir?: unknown };
    };
    const cwd = [payload.workspace?.current_dir, payload.cwd].find(
      (folder) => typeof folder === 'string' && folder !== '',
    );
    return {
      session: typeof payload.session_id === 'string' ? payload.session_id : null,
      cwd: typeof cwd === 'string' ? cwd : call.cwd,
    };
  } catch {
    return { session: null, cwd: call.cwd };
  }
}

async function draw(world: RealWorld, session: string | null, columns: number): Promise<string> {
  const { commonDir } = world.repository;
  const nowMs = world.clock.now().at;
  const file = `lines/${(session ?? 'none').replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)}-${columns}`;
  const last = lastDrawn(commonDir, file);
  if (last !== null && nowMs >= last.atMs && nowMs - last.atMs < redrawMs) return last.line;
  const at = await world.store.observe();
  const seen = [...(last?.seen ?? []), [nowMs, at.seq] as const].filter(
    ([time]) => time <= nowMs && nowMs - time <= minuteMs,
  );
  const setting = world.settings.statusLine;
  const isDigest =
    setting === 'digest' || (setting === 'auto' && at.seq - (seen[0]?.[1] ?? at.seq) > busyEvents);
  const name =
    session === null
      ? null
      : (knownSession(commonDir, { harness: claude.name, session, subagent: null })?.name ?? null);
  const me = name === null ? null : agentNamed(at.state, name);
  const isBehind =
    me !== null &&
    !isAtHead(world.repository, stageOf(world.repository, me.id), headOf(world.repository).oid);
  const line = sessionLine(at.state, decisionContext(world, at), {
    name,
    isDigest,
    isBehind,
    columns,
  });
  writeLocal(commonDir, file, JSON.stringify({ atMs: nowMs, line, seen }));
  return line;
}

/** What the user had there before, with the same input; whatever becomes of it, ours follows. */
function wrapped(command: string, input: string, env: NodeJS.ProcessEnv): readonly string[] {
  const stdout = shellOutput(command, { input, env, maxMs: redrawMs });
  return (stdout ?? '').split('\n').filter((line) => line !== '');
}

export const statusline: Verb = {
  words: ['statusline'],
  group: 'programs',
  looksByItself: true,
  about: 'print one line for the status bar of an agent program',
  more: 'The program says on standard input whose it is.',
  flags: [{ name: 'wrap', value: 'command', about: 'your own status line, shown before ours' }],
  examples: [
    ['coord statusline', 'as coord install puts it into the settings of Claude Code'],
    ["coord statusline --wrap 'my-status'", 'and keeps yours'],
  ],
  run: async (call) => {
    const input = readInput();
    const { session, cwd } = told(call, input);
    const own = text(call, 'wrap');
    if (own !== undefined)
      for (const line of wrapped(own, input, call.env)) process.stdout.write(`${line}\n`);
    const columns = Number(call.env['COLUMNS']) > 10 ? Number(call.env['COLUMNS']) : 80;
    try {
      const line = await draw(realWorld({ cwd, env: call.env, isPatient: true }), session, columns);
      return { ok: true, exit: exits.done, result: 'drawn', facts: { line }, says: [line] };
    } catch (error) {
      if (error instanceof CoordError && /^(not_a|bare)_repository$/.test(error.code))
        return {
          ok: true,
          exit: exits.done,
          result: 'nothing',
          facts: { line: '' },
          says: [],
          silent: true,
        };
      throw error;
    }
  },
};

function readInput(): string {
  try {
    return process.stdin.isTTY ? '' : readFileSync(0, 'utf8');
  } catch {
    return '';
  }
}
