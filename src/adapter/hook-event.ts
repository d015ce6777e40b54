/**
 * What a harness tells a hook and what it is told back, in coord's own words. Its adapter reads the
 * one and writes the other; nothing else knows how a harness spells them.
 */
import { CoordError } from '../core/errors.ts';
import type { Change } from '../core/patch-text.ts';

export const eventNames = [
  'session-start',
  'prompt',
  'before-edit',
  'before-shell',
  'before-read',
  'after-edit',
  'after-shell',
  'subagent-start',
  'subagent-stop',
  'compact',
  'session-end',
] as const;

export type EventName = (typeof eventNames)[number];

/** The names that its events have; what is not there the harness does not tell. */
export type EventNames = Readonly<Partial<Record<EventName, string>>>;

export type Payload = Readonly<Record<string, unknown>>;

export type Tool =
  /** Absolute, or from `cwd`. */
  | {
      readonly kind: 'edit';
      readonly paths: readonly string[];
      /** What it says of what becomes of them. */
      readonly changes: readonly Change[];
    }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'none' };

export interface HookEvent {
  readonly session: string;
  /** Set where a subagent acts. */
  readonly subagent: string | null;
  readonly cwd: string;
  readonly tool: Tool;
  /** Which call it is, where the harness says so: two may be under way. */
  readonly call: string | null;
  /** The tool's input as it came: what is rewritten is given back whole. */
  readonly input: Payload;
  /** Why a session starts or ends: startup, resume, clear ... */
  readonly why: string;
}

export type HookAnswer =
  | { readonly kind: 'quiet' }
  | {
      readonly kind: 'deny';
      readonly reason: string;
      /** It has been told, whoever else is gone by now. */
      readonly isOnce?: true;
    }
  /** For the model to know. */
  | {
      readonly kind: 'context';
      readonly text: string;
      readonly environment?: Readonly<Record<string, string>>;
    }
  /** The shell command to run instead. */
  | { readonly kind: 'rewrite'; readonly command: string };

export const quiet: HookAnswer = { kind: 'quiet' };

/** Tools beyond the harness's own that edit, with the field of their input that has the path. */
export interface EditTools {
  get(tool: string): string | undefined;
}

/** A field that has to be there; what else it is cannot be judged. */
export function textOf(payload: Payload, ...names: readonly string[]): string {
  const value = names
    .map((name) => payload[name])
    .find((candidate) => candidate !== undefined && candidate !== null);
  if (typeof value === 'string' && value !== '') return value;
  throw new CoordError('bad_payload', `the harness sent no ${names.join(' or ')} that is a text`);
}

export function optionalText(payload: Payload, ...names: readonly string[]): string | null {
  const value = names
    .map((name) => payload[name])
    .find((candidate) => typeof candidate === 'string' && candidate !== '');
  return typeof value === 'string' ? value : null;
}

export function objectOf(payload: Payload, ...names: readonly string[]): Payload {
  const value = names
    .map((name) => payload[name])
    .find((candidate) => candidate !== undefined && candidate !== null);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Payload;
  throw new CoordError(
    'bad_payload',
    `the harness sent no ${names.join(' or ')} that is an object`,
  );
}

export function isEditMoment(moment: EventName): boolean {
  return moment === 'before-edit' || moment === 'after-edit';
}

export function isShellMoment(moment: EventName): boolean {
  return moment === 'before-shell' || moment === 'after-shell';
}

export interface Edit {
  readonly paths: readonly string[];
  readonly changes: readonly Change[];
}

/** One file by the fields of a tool: its whole content, or texts in the place of others. */
export function editOf(path: string, input: Payload, takesLineEnd = false): Edit {
  const texts = (from: Payload, ...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => (typeof from[name] === 'string' ? [from[name]] : []));
  const [text] = texts(input, 'content', 'file_text');
  if (text !== undefined) return { paths: [path], changes: [{ kind: 'whole', path, text }] };
  const edits: readonly unknown[] = Array.isArray(input['edits']) ? input['edits'] : [input];
  const changes = edits.flatMap((edit): readonly Change[] => {
    const one = typeof edit === 'object' && edit !== null ? (edit as Payload) : {};
    const [from] = texts(one, 'old_string', 'old_str');
    const [to] = texts(one, 'new_string', 'new_str');
    const all = one['replace_all'] === true || one['allow_multiple'] === true;
    return from === undefined || from === '' || to === undefined
      ? []
      : [{ kind: 'replace', path, from, to, all, ...(takesLineEnd ? { takesLineEnd } : {}) }];
  });
  // Where one of them is not known, what becomes of the file is not.
  return { paths: [path], changes: changes.length === edits.length ? changes : [] };
}

/** Of a tool that coord was told of only its path is known. */
export function pathAlone(path: string): Edit {
  return { paths: [path], changes: [] };
}

/** What is about to be done, or was: read from the payload only at its own moments. */
export function toolAt(moment: EventName, edit: () => Edit, command: () => string): Tool {
  if (isEditMoment(moment)) return { kind: 'edit', ...edit() };
  return isShellMoment(moment) ? { kind: 'shell', command: command() } : { kind: 'none' };
}

/** The events that a harness tells, in coord's words and in its own. */
export function eventsIn(names: EventNames): readonly (readonly [EventName, string])[] {
  return Object.entries(names) as readonly (readonly [EventName, string])[];
}
