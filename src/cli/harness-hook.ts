/**
 * `coord hook <harness> <moment>`: what the shim of the harnesses runs. An edit that cannot be
 * judged is refused with the reason; whatever else goes wrong is one visible line. It always ends
 * with 0: the answer is in what it prints, because harnesses let pass what ends otherwise.
 */

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import { harnessNamed } from '../adapter/harnesses.ts';
import {
  type EventName,
  eventNames,
  type HookAnswer,
  type HookEvent,
  optionalText,
  type Payload,
  quiet,
  type Tool,
} from '../adapter/hook-event.ts';
import { runnerOf } from '../agent/agent-programs.ts';
import { CoordError } from '../core/errors.ts';
import { exits } from '../core/exits.ts';
import { limits } from '../core/limits.ts';
import type { Settings } from '../core/settings.ts';
import { readSettings } from '../git/config.ts';
import { openRepository } from '../git/repository.ts';
import { endGitWithin } from '../git/run-git.ts';
import { answer } from '../harness/answer.ts';
import { isHooked, placesOf } from '../harness/places.ts';
import type { Report } from '../render/report.ts';
import { installed } from './installed.ts';
import type { Call } from './verb.ts';

const done: Report = {
  ok: true,
  exit: exits.done,
  result: 'answered',
  facts: {},
  says: [],
  silent: true,
};

export async function harnessHook(call: Call, name: string, said: string): Promise<Report> {
  const asked = harnessNamed(name);
  const runner = runnerOf(asked, call.env);
  const harness = runner.isReadThere === true ? runner : asked;
  const moment = eventNames.find((candidate) => candidate === said);
  if (moment === undefined)
    throw new CoordError(
      'usage',
      `there is no moment '${said}'`,
      `choose from ${eventNames.join(', ')}`,
    );
  endGitWithin(limits.hookMs);
  let told: HookEvent | null = null;
  let result: HookAnswer;
  try {
    const payload = payloadOf(readFileSync(0));
    // It runs hooks of its own here, which say all there is to say.
    if (runner !== asked && isHookedAt(optionalText(payload, 'cwd') ?? call.cwd, runner, call))
      return { ...done, result: 'quiet' };
    told = harness.read(payload, moment, {
      get: (tool) =>
        tool.startsWith('mcp')
          ? settingsAt(optionalText(payload, 'cwd') ?? call.cwd, call).editTools.get(tool)
          : undefined,
    });
    result = await judged(call, harness, moment, told);
  } catch (error) {
    result = failed(call, moment, told, error);
  }
  const text = harness.write(result, moment, told);
  if (text !== '') process.stdout.write(`${text}\n`);
  return { ...done, result: result.kind };
}

function payloadOf(bytes: Buffer): Payload {
  if (bytes.length > limits.payloadBytes)
    throw new CoordError(
      'bad_payload',
      `the harness sent ${bytes.length} bytes, which is more than can be read`,
    );
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new CoordError(
      'bad_payload',
      bytes.length === 0 ? 'the harness sent nothing' : 'what the harness sent is no JSON',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Payload;
  throw new CoordError('bad_payload', 'what the harness sent is no object');
}

/** Where nobody keeps a repository there is nothing to guard. */
async function judged(
  call: Call,
  harness: Harness,
  moment: EventName,
  told: HookEvent,
): Promise<HookAnswer> {
  const hooks = join(installed(), 'hooks');
  const tool: Tool =
    told.tool.kind === 'edit'
      ? {
          kind: 'edit',
          paths: told.tool.paths.map((path) => resolve(told.cwd, path)),
          changes: told.tool.changes.map((change) => ({
            ...change,
            path: resolve(told.cwd, change.path),
          })),
        }
      : told.tool;
  for (const cwd of [
    told.cwd,
    ...(tool.kind === 'edit' ? tool.paths.map((path) => dirname(path)) : []),
  ]) {
    try {
      openRepository(cwd, call.env);
    } catch (error) {
      if (
        error instanceof CoordError &&
        (error.code === 'not_a_repository' || error.code === 'bare_repository')
      )
        continue;
      throw error;
    }
    return answer(harness, moment, { ...told, cwd, tool }, call.env, { hooks });
  }
  return quiet;
}

/** A bug of ours is no reason to let an agent edit unguarded, unless its user has said so. */
function failed(call: Call, moment: EventName, told: HookEvent | null, error: unknown): HookAnswer {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof CoordError && error.hint !== undefined ? ` (${error.hint})` : '';
  if (moment === 'before-edit' && policy(call, told) !== 'warn')
    return {
      kind: 'deny',
      reason: `coord could not judge this edit, so it is refused: ${message}${hint}.\nNext: coord doctor`,
    };
  process.stderr.write(
    `coord: ${moment} could not be looked at and is let through: ${message}${hint}\n`,
  );
  return quiet;
}

function isHookedAt(cwd: string, harness: Harness, { env }: Call): boolean {
  try {
    return isHooked(harness, placesOf(env, openRepository(cwd, env)));
  } catch (error) {
    if (error instanceof CoordError) return false;
    throw error;
  }
}

function settingsAt(cwd: string, call: Call): Settings {
  return readSettings(openRepository(cwd, call.env), []);
}

function policy(call: Call, told: HookEvent | null): 'auto' | 'block' | 'warn' {
  try {
    return settingsAt(told?.cwd ?? call.cwd, call).onError;
  } catch {
    return 'block';
  }
}
