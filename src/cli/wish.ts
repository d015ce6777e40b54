/** What the verbs that take something have in common. */
import type { Wish } from '../coord.ts';
import { describe } from '../core/lease.ts';
import { showAgent } from '../core/agent.ts';
import { duration, text, type Call } from './verb.ts';

export function wishOf(call: Call, retry: readonly string[]): Wish {
  const waitMs = duration(call, 'wait') ?? 0;
  const agent = text(call, 'agent');
  return {
    ttlMs: duration(call, 'ttl'), reason: text(call, 'reason'), waitMs,
    retry: [...retry, ...(agent === undefined ? [] : ['--agent', agent])],
    ...(waitMs === 0 ? {} : { signal: call.signal() }),
    onWaiting: (refusal) => {
      const held = 'blockers' in refusal ? refusal.blockers.map((lease) => `${describe(lease)} of ${showAgent(lease.agent)}`) : [];
      const ahead = 'ahead' in refusal ? refusal.ahead.length : 0;
      call.tell(`waiting for ${held.join(', ')}${ahead > 0 ? `${held.length > 0 ? ', ' : ''}${ahead} in line before you` : ''}`);
    },
  };
}
