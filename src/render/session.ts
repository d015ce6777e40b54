/** Sessions: begun, taken over, ended; and who one is. */

import { type Agent, nameOf, showAgent } from '../core/agent.ts';
import { exits } from '../core/exits.ts';
import { shellQuote } from '../core/shell-line.ts';
import type { Outcome } from '../loop/outcome.ts';
import type { SessionEnded, SessionOpened } from '../loop/session.ts';
import { agentFacts } from './facts.ts';
import { renderLeases } from './leases.ts';
import { renderRefused } from './refusal.ts';
import type { Report } from './report.ts';

/** Besides what its work tree adds. */
function sessionEnvironment({ agent, key }: SessionOpened): Readonly<Record<string, string>> {
  return { COORD_AGENT: agent.name, ...(key === null ? {} : { COORD_SESSION: key }) };
}

interface SessionPlace {
  /** What its work tree adds to its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  /** The exports alone, to be evaluated. */
  readonly isForShell?: boolean;
}

export function renderSession(
  result: 'started' | 'adopted',
  outcome: Outcome<SessionOpened>,
  { environment = {}, notes = [], isForShell = false }: SessionPlace = {},
): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { agent, key } = outcome.result;
  const env = sessionEnvironment(outcome.result);
  const whole = { ...env, ...environment };
  const { PATH: _, ...shown } = whole;
  return {
    ok: true,
    exit: exits.done,
    result,
    facts: { agent: { id: agent.id, name: agent.name, kind: agent.kind }, token: key, env: whole },
    says: isForShell
      ? exportLines(whole)
      : [
          `${result} ${showAgent(agent)}`,
          ...Object.entries(shown).map(([name, value]) => `  export ${name}=${value}`),
          ...(key === null
            ? []
            : ['  keep the session key: coord session adopt --token takes it over from elsewhere']),
        ],
    notes,
  };
}

function exportLines(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuote(value)}`);
}

export function renderEnded(outcome: Outcome<SessionEnded>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { agent, leases } = outcome.result;
  return renderLeases('ended', outcome, leases, { facts: { agent: nameOf(agent) } });
}

export function renderWhoami(outcome: Outcome<Agent>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const agent = outcome.result;
  return {
    ok: true,
    exit: exits.done,
    result: 'known',
    facts: { agent: agentFacts(agent) },
    says: [`${showAgent(agent)}, ${agent.kind} on ${agent.host}`],
  };
}
