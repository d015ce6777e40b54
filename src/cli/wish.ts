/** What the verbs that take something have in common. */

import { few } from '../core/counted.ts';
import { formatDuration } from '../core/instant.ts';
import type { Refusal } from '../core/refusal.ts';
import type { AcquireRequest } from '../loop/take.ts';
import { waitingWords } from '../render/wording.ts';
import { type Call, duration, text } from './verb.ts';

export function wishOf(call: Call): AcquireRequest {
  const waitMs = duration(call, 'wait') ?? 0;
  return {
    ttlMs: duration(call, 'ttl'),
    reason: text(call, 'reason'),
    waitMs,
    retry: [...call.verb.words, '--wait', '2m', ...sameAgain(call)],
    ...(waitMs === 0 ? {} : { signal: call.signal() }),
    onWaiting: (refusal, yielded = []) => {
      const given = yielded.length === 0 ? null : few(yielded);
      if (given !== null)
        call.tell(`gave up ${given}, and asks for it again together with the rest`);
      if (!isWatched(call)) call.tell(waitingWords(refusal));
    },
    onLook: watchLine(call, waitMs),
  };
}

/** On a terminal one line goes on instead. */
function isWatched(call: Call): boolean {
  return call.progress('');
}

/** `waiting for src/** of ann (k9pnemh0), 1 in line before you: 12s of 2m, expires in 9m`, for one. */
function watchLine(call: Call, waitMs: number): (refusal: Refusal) => void {
  const since = process.uptime();
  return (refusal) => {
    const waited = formatDuration(Math.floor(process.uptime() - since) * 1_000);
    const free =
      'retryInMs' in refusal && refusal.retryInMs > 0
        ? `, expires in ${formatDuration(refusal.retryInMs)} unless it is renewed`
        : '';
    call.progress(`${waitingWords(refusal)}: ${waited} of ${formatDuration(waitMs)}${free}`);
  };
}

/** Only for how it is shown or how long it waits; the rest of a call is said again as it was. */
const notRepeated: ReadonlySet<string> = new Set(['wait', 'no-wait', 'json', 'quiet', 'color']);

const saysWho: ReadonlySet<string> = new Set(['agent', 'directory', 'config']);

/** Of these flags those that say who acts, where and under which settings, as they were given. */
export function selfOf(
  flags: Call['flags'],
  fromEnvironment: ReadonlySet<string>,
): readonly string[] {
  const said = [...flags].filter(([name]) => saysWho.has(name) && !fromEnvironment.has(name));
  return said.flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [`--${name}`, String(one)]),
  );
}

/** The flags and words of this call, fit to stand behind its verb. */
export function sameAgain(call: Call): readonly string[] {
  const flags = [...call.flags]
    .filter(([name]) => !notRepeated.has(name) && !call.fromEnvironment.has(name))
    .flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [value].flat().flatMap((one) => [`--${name}`, one]),
    );
  const dashed = call.positionals.some((word) => word.startsWith('-'));
  return [
    ...flags,
    ...(dashed ? ['--'] : []),
    ...call.positionals,
    ...(call.command.length > 0 ? ['--', ...call.command] : []),
  ];
}
