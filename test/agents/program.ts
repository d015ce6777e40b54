/**
 * What a test has to know of an agent program: what is fetched, how a session of it is started with
 * a model of ours, and what its model calls to read, edit and run something.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ToolCall } from './conversation.ts';

/** Where one session runs. */
export interface Place {
  /** The folder with all programs. */
  readonly programs: string;
  /** The user's home, empty but for what the program needs. */
  readonly home: string;
  readonly cwd: string;
  /** Of the model server. */
  readonly model: string;
}

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a model does, in this program's own tools. */
export interface Hands {
  read(file: string): ToolCall;
  edit(file: string, from: string, to: string): ToolCall;
  write(file: string, text: string): ToolCall;
  shell(command: string): ToolCall;
  /** Gives a subagent this prompt. */
  task(prompt: string): ToolCall;
}

export interface Program {
  /** As coord calls its harness. */
  readonly name: string;
  readonly version: string;
  /** The npm package that has the program. */
  readonly package: string;
  /** Makes home such that the program starts with our model. */
  prepare(place: Place): void;
  /** Makes the program trust the project and its hooks, as its user would. */
  trust(place: Place): void | Promise<void>;
  /** One prompt without a terminal; `session` goes on with an earlier one. */
  launch(place: Place, prompt: string, options?: LaunchOptions): Launch;
  readonly hands: Hands;
  /** Shared scenarios that are not so, and why. */
  readonly cannot?: Readonly<Record<string, string>>;
}

export interface LaunchOptions {
  /** How commands begin that are allowed without being asked for, where not all are. */
  readonly allowed?: readonly string[];
  /** The last session of this folder goes on. */
  readonly resumes?: true;
}

export function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export function json(file: string, value: unknown): void {
  put(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** A dummy: nothing leaves this machine. */
export const key = 'sk-dummy-0000000000000000';
