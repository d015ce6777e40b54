/**
 * That a command was run on exactly this content and how it ended: a line for people and a line for
 * programs in the note of a tree and of the commit that has it.
 */
import { harmless, shorten, toJson } from './harmless.ts';
import type { Oid } from './ids.ts';
import { formatDuration, formatTime, parseTime } from './instant.ts';
import type { AgentName } from './lease.ts';
import { limits } from './limits.ts';

export interface Evidence {
  /** The words of the command, as they were run. */
  readonly command: readonly string[];
  /** Where it was run, below the top; empty for the top itself. */
  readonly folder: string;
  readonly exit: number;
  readonly durationMs: number;
  /** All that git does not ignore, as it was before and after the run. */
  readonly tree: Oid;
  /** HEAD at that time, and the place of the log. */
  readonly base: Oid | null;
  readonly seq: number;
  readonly at: number;
  readonly agent: AgentName;
  readonly bead: string | null;
  readonly log: string | null;
}

type Run = Pick<Evidence, 'command' | 'folder'>;

/** The same words mean another command elsewhere. */
export function isSameRun(a: Run, b: Run): boolean {
  return (
    a.folder === b.folder &&
    a.command.length === b.command.length &&
    a.command.every((word, i) => word === b.command[i])
  );
}

function encodeEvidence(evidence: Evidence): string {
  const { command, exit, durationMs, agent, bead, at } = evidence;
  const said = `${exit === 0 ? 'passed' : `failed with exit ${exit}`}: ${shorten(harmless(command.join(' ')), 120)}, ${formatDuration(durationMs)}, by ${agent.name}${bead === null ? '' : ` for ${bead}`}`;
  return `${said}\nEvidence: ${toJson({ ...evidence, at: formatTime(at) })}\n`;
}

/** Lines of others, and lines that are none, are passed over: they are no evidence. */
export function evidenceIn(note: string): readonly Evidence[] {
  return note.split('\n').flatMap((line) => {
    const json = /^Evidence: (\{.*\})$/.exec(line)?.[1];
    const read = json === undefined ? null : readEvidence(json);
    return read === null ? [] : [read];
  });
}

function readEvidence(json: string): Evidence | null {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
  const { command, folder, exit, durationMs, tree, base, seq, at, agent, bead, log } = value;
  const time = typeof at === 'string' ? parseTime(at) : Number.NaN;
  const isWhole = (number: unknown): number is number => Number.isSafeInteger(number);
  const isTextOrNull = (text: unknown): text is string | null =>
    text === null || typeof text === 'string';
  if (
    !Array.isArray(command) ||
    !command.every((word) => typeof word === 'string') ||
    !isWhole(exit) ||
    !isWhole(durationMs) ||
    !isWhole(seq) ||
    Number.isNaN(time)
  )
    return null;
  if (
    typeof tree !== 'string' ||
    typeof folder !== 'string' ||
    !isTextOrNull(base) ||
    !isTextOrNull(bead) ||
    !isTextOrNull(log) ||
    typeof agent !== 'object' ||
    agent === null ||
    !('name' in agent) ||
    !('id' in agent)
  )
    return null;
  return {
    command,
    folder,
    exit,
    durationMs,
    tree,
    base,
    seq,
    at: time,
    agent: { id: String(agent.id), name: String(agent.name) },
    bead,
    log,
  };
}

/**
 * The note with this in it, at the end; of a note that has too many, the oldest go. Null where it
 * is there already.
 */
export function withEvidence(note: string, evidence: Evidence): string | null {
  const added = encodeEvidence(evidence);
  if (note.includes(added)) return null;
  const lines = note.split('\n');
  const own = lines.flatMap((line, i) => (/^Evidence: \{/.test(line) ? [i] : []));
  const over = own.slice(0, Math.max(0, own.length + 1 - limits.evidenceKept));
  const kept = lines
    .filter(
      (line, i) =>
        !over.includes(i) &&
        !(over.includes(i + 1) && /^(?:passed|failed with exit \d+): /.test(line)),
    )
    .join('\n')
    .trimEnd();
  return `${kept === '' ? '' : `${kept}\n`}${added}`;
}
