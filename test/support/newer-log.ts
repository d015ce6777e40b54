/** A log whose format a newer coord has raised, and what every verb and hook has to say to it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ByVersion, type Programs } from './by-version.ts';
import { forge } from './forgery.ts';
import type { OrdinaryCall } from './ordinary-calls.ts';
import { harnessHooks, harnessMoments, serverHooks } from './ordinary-hooks.ts';
import type { Ran, TestRepository } from './repository.ts';

/** What a coord says that does not read the log. */
export interface Newer {
  readonly message: string;
  readonly hint: string;
}

export function raiseLog(repo: TestRepository, version: number, needs: string): void {
  const raised = `"version":${version},"needs":"${needs}"`;
  forge(repo, { file: 'meta', content: (text) => text.replace('"version":1', raised) });
}

/** I am at work here, with my session and those of all harnesses, when the log is raised. */
export function workOnRaised(programs: Programs, version: number, needs: string): ByVersion {
  const here = new ByVersion(programs);
  const mine = [
    'session start me',
    'reserve src/b src/c',
    'reserve src/d',
    'rescue save',
    'install',
  ];
  const before = [
    ['ann', 'reserve', 'src/a'] as const,
    ['eve', 'reserve', 'src/e'] as const,
    ...mine.map((words) => ['me', ...words.split(' ')] as const),
  ];
  here.prepare({ before });
  for (const [harness] of everyHarness) here.harnessHook(harness, 'session-start');
  raiseLog(here.repo, version, needs);
  // Who was told of everything a moment ago is not told again, and nobody looks.
  rmSync(join(here.repo.top, '.git/coord/told'), { recursive: true });
  return here;
}

export const everyHarness = Object.entries(harnessHooks) as readonly (readonly [
  keyof typeof harnessHooks,
  readonly string[],
])[];

function isError({ code, json }: Ran, { message, hint }: Newer): boolean {
  const error = json['error'];
  return (
    code === 69 && error?.code === 'log_newer' && error.message === message && error.hint === hint
  );
}

/** Its one finding that needs mending. */
function isFinding({ code, json }: Ran, { message, hint }: Newer): boolean {
  const checks = (json['checks'] ?? []) as readonly Record<string, unknown>[];
  const [failed, ...more] = checks.filter(({ standing }) => standing === 'fail');
  return code === 1 && more.length === 0 && failed?.['says'] === message && failed['next'] === hint;
}

/** A refused edit is the harness's to show; all else is a line that a person sees. */
function isToldByHarness(ran: Ran, moment: string, { message, hint }: Newer): boolean {
  const unread = harnessMoments[moment]?.unread;
  if (unread === 'quiet') return ran.code === 0 && ran.stdout === '' && ran.stderr === '';
  const isDenied = unread === 'denied';
  const [told, other] = isDenied ? [ran.stdout, ran.stderr] : [ran.stderr, ran.stdout];
  return ran.code === 0 && other === '' && told.includes(message) && told.includes(hint);
}

/** Calls that have another answer on this log than they should, with what they said. */
export function wrongOnNewer(
  here: ByVersion,
  calls: readonly OrdinaryCall[],
  newer: Newer,
): readonly string[] {
  return calls.flatMap(({ args, onNewer }) => {
    const ran = here.call(...args);
    const isRight =
      onNewer === 'error'
        ? isError(ran, newer)
        : onNewer === 'finding'
          ? isFinding(ran, newer)
          : ran.code === 0;
    return isRight ? [] : [saidBy(args.join(' '), ran)];
  });
}

export function wrongHooksOnNewer(
  here: ByVersion,
  gitEvents: readonly string[],
  harnesses: typeof everyHarness,
  newer: Newer,
): readonly string[] {
  const answers: readonly (readonly [string, Ran, boolean])[] = [
    ...gitEvents.map((event) => [event, here.gitHook(event)] as const),
    ...Object.keys(serverHooks).map((event) => [event, here.serverHook(event)] as const),
  ].map(([event, ran]) => [event, ran, isError(ran, newer)]);
  const ofHarnesses = harnesses.flatMap(([harness, moments]) =>
    moments.map((moment) => {
      const ran = here.harnessHook(harness, moment);
      return [`${harness} ${moment}`, ran, isToldByHarness(ran, moment, newer)] as const;
    }),
  );
  return [...answers, ...ofHarnesses].flatMap(([name, ran, isRight]) =>
    isRight ? [] : [saidBy(name, ran)],
  );
}

export function saidBy(what: string, { code, stdout, stderr }: Ran): string {
  return `${what}: exit ${code} ${stdout}${stderr}`;
}
