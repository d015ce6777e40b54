/**
 * Runs one verb: its world, its report, its exit code. The last place where anything can go wrong.
 */
import { resolve } from 'node:path';
import { harnessIn } from '../agent/harness-session.ts';
import { type RealWorld, realWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { describe, phaseOf } from '../core/lease.ts';
import { headMoved, movedNote } from '../draft/head-moved.ts';
import { stageOf } from '../draft/stage-base.ts';
import { isNewlyUnjoined, lostWords, newlyLostHooks } from '../git/hooks-in-force.ts';
import { localPath } from '../git/local.ts';
import { trace } from '../git/trace.ts';
import { writeFailure } from '../git/write-failure.ts';
import { actorOf, decisionContext } from '../loop/operate.ts';
import { adviceOver } from '../remote/offline-log.ts';
import { leaseFacts } from '../render/facts.ts';
import { timeLeft } from '../render/lines.ts';
import { errorReport, type Report } from '../render/report.ts';
import { plainLines } from '../render/table.ts';
import type { Parsed } from './arguments.ts';
import { Output } from './output.ts';
import {
  type Arguments,
  type Call,
  type Flag,
  globalFlags,
  isOn,
  text,
  texts,
  type Verb,
} from './verb.ts';
import { selfOf } from './wish.ts';

export function outputFor(args: Arguments, env: NodeJS.ProcessEnv): Output {
  return new Output({
    json: isOn(args, 'json'),
    quiet: isOn(args, 'quiet'),
    color: text(args, 'color') ?? 'auto',
    whole: args.flags.has('limit'),
    env,
  });
}

export async function runVerb(parsed: Parsed, env: NodeJS.ProcessEnv): Promise<void> {
  const started = process.hrtime.bigint();
  const output = outputFor(parsed, env);
  const report = forEval(parsed.flags.get('shell') === true, await reportOf(parsed, env, output));
  output.show(parsed.verb, report);
  process.exitCode = report.exit;
  trace(env, {
    what: 'command',
    verb: parsed.verb.words.join(' '),
    result: report.result,
    exit: report.exit,
    ms: Number(process.hrtime.bigint() - started) / 1e6,
  });
}

/** What is to be evaluated fails where nothing came of it. */
export function forEval(isEvaluated: boolean, report: Report): Report {
  if (report.ok || !isEvaluated) return report;
  return {
    ...report,
    says: ['false'],
    notes: [...plainLines(report.says), ...(report.notes ?? [])],
  };
}

async function reportOf(parsed: Parsed, env: NodeJS.ProcessEnv, output: Output): Promise<Report> {
  let world: RealWorld | null = null;
  try {
    const cwd = resolve(here(), text(parsed, 'directory') ?? '.');
    const call: Call = {
      ...parsed,
      cwd,
      env,
      json: isOn(parsed, 'json'),
      fromEnvironment: setBy(parsed, env),
      signal: interruption,
      world: () =>
        (world ??= realWorld({
          cwd,
          env,
          agent: text(parsed, 'agent'),
          config: texts(parsed, 'config'),
          tell: (line) => output.tell(line),
          self: selfOf(parsed.flags, setBy(parsed, env)),
          isPatient: parsed.verb.looksByItself === true,
        })),
      tell: (line) => output.tell(line),
      progress: (line) => output.progress(line),
      heading: (line) => output.heading(line),
      emit: (facts, line) => output.emit(parsed.verb, facts, line),
    };
    const report = await parsed.verb.run(call);
    const told = withLostHooks(withOver(report, parsed.verb, world), call, world);
    return withAdvice(told, parsed.verb, world, env);
  } catch (error) {
    const report = failureReport(error, parsed.verb, world, env);
    return error instanceof CoordError && error.code === 'arbiter_unreachable' && world !== null
      ? await withHoldings(report, world)
      : report;
  }
}

/**
 * What was granted without the server is over once it has spoken, and whoever calls next is told.
 */
function withOver(report: Report, verb: Verb, world: RealWorld | null): Report {
  const over = world === null || verb.looksByItself === true ? [] : adviceOver(world.repository);
  if (over.length === 0) return report;
  return {
    ...report,
    facts: { ...report.facts, adviceOver: over },
    notes: [
      ...(report.notes ?? []),
      `note: the remote answers again; what was advice meanwhile is over, ask for it anew: ${over.join(', ')}`,
    ],
  };
}

/**
 * Another tool has taken coord out of the hooks since: whoever calls next is told, once. What sets
 * coord up says it itself.
 */
function withLostHooks(report: Report, call: Call, world: RealWorld | null): Report {
  if (world === null) return report;
  const isAsked = call.verb.looksByItself !== true && call.verb.group !== 'setup';
  const isRead = call.json || !isOn(call, 'quiet');
  if (!isAsked || !isRead) return report;
  const lost = newlyLostHooks(world.repository);
  if (lost === null) return isNewlyUnjoined(world.repository) ? notJoined(report) : report;
  return {
    ...report,
    facts: { ...report.facts, hooksLost: { ...lost, next: 'coord install' } },
    notes: [...(report.notes ?? []), `note: ${lostWords(lost)}; coord install`],
  };
}

function notJoined(report: Report): Report {
  const note = `note: the team of this repository uses coord, and this clone has not joined: coord init`;
  return {
    ...report,
    facts: { ...report.facts, notJoined: { next: 'coord init' } },
    notes: [...(report.notes ?? []), note],
  };
}

/** Nothing new is granted without the server; what is held is held all the same. */
async function withHoldings(report: Report, world: RealWorld): Promise<Report> {
  const remoteLog = await world.store.remoteLog();
  if (remoteLog === null) return report;
  const at = await remoteLog.copied();
  const c = decisionContext(world, at);
  const { id } = actorOf(world, at);
  const held = [...at.state.leases.values()].filter(
    (lease) => lease.agent.id === id && phaseOf(lease, c.now, c.graceMs) === 'live',
  );
  return {
    ...report,
    facts: { ...report.facts, leases: held.map((lease) => leaseFacts(lease, at.state, c)) },
    notes: [
      ...(report.notes ?? []),
      ...held.map((lease) => `  still yours: ${describe(lease)}, ${timeLeft(lease, c)}`),
    ],
  };
}

export function failureReport(
  error: unknown,
  verb: Verb | null,
  world: RealWorld | null,
  env: NodeJS.ProcessEnv,
): Report {
  const known = writeFailure(
    error,
    world === null ? 'the repository' : localPath(world.repository.commonDir, '..'),
  );
  if (known !== error && known instanceof CoordError && world !== null)
    return errorReport(inSandbox(known, world, env));
  if (known instanceof CoordError) return errorReport(known);
  const said = known instanceof Error ? known.message : String(known);
  const report = errorReport(
    new CoordError(
      'bug',
      `unexpected: ${said}`,
      `please report it, with: ${verb?.words.join(' ') ?? 'coord'}`,
      error,
    ),
  );
  return {
    ...report,
    notes: [
      ...(report.notes ?? []),
      ...(known instanceof Error ? (known.stack ?? '').split('\n').slice(1, 6) : []),
    ],
  };
}

/** What cannot be written may be kept from the commands of a harness alone. */
function inSandbox(
  failure: CoordError,
  { repository }: RealWorld,
  env: NodeJS.ProcessEnv,
): CoordError {
  const opens = harnessIn(env)?.opensSandbox?.(repository.commonDir);
  return opens === undefined
    ? failure
    : new CoordError(failure.code, failure.message, opens, failure.cause);
}

/** An agent with a stage learns at its own call that others have moved HEAD. */
function withAdvice(
  report: Report,
  verb: Verb,
  world: RealWorld | null,
  env: NodeJS.ProcessEnv,
): Report {
  const id = /\/coord\/stages\/([0-9a-z]{8})\/index$/.exec(env['COORD_STAGE'] ?? '')?.[1];
  if (id === undefined || world === null || verb.isTold === false) return report;
  const stage = stageOf(world.repository, id);
  const moved =
    stage.index === env['COORD_STAGE']
      ? headMoved(world.repository, stage, world.clock.now().at, world.settings.commitRate)
      : null;
  return moved === null
    ? report
    : {
        ...report,
        facts: { ...report.facts, headMoved: moved },
        notes: [...(report.notes ?? []), movedNote(moved)],
      };
}

function setBy({ flags }: Parsed, env: NodeJS.ProcessEnv): ReadonlySet<string> {
  // What is said on the command line wins, and differs from what the environment says.
  const isFrom = ({ name, env: variable, value }: Flag): boolean => {
    const said = variable === undefined ? '' : (env[variable] ?? '');
    return said !== '' && (value === undefined || [flags.get(name)].flat().join('\n') === said);
  };
  return new Set(globalFlags.filter(isFrom).map(({ name }) => name));
}

let controller: AbortController | null = null;

function interruption(): AbortSignal {
  if (controller !== null) return controller.signal;
  const made = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => made.abort(name));
  controller = made;
  return made.signal;
}

/** The folder that the command was called in, which somebody may have removed. */
function here(): string {
  try {
    return process.cwd();
  } catch {
    throw new CoordError(
      'not_a_repository',
      'the current folder does not exist any more',
      'cd into one that does',
    );
  }
}
