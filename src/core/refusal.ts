/** Every expected "no", with its facts. A value, never an exception. */
import type { AgentName, Lease, Resource, Wait } from './lease.ts';

/** One step of a circle of waits: this agent waits for what the next one holds. */
export interface WaitEdge {
  readonly agent: AgentName;
  readonly kind: Resource['kind'];
  readonly waitsFor: string;
  readonly heldBy: AgentName;
}

/** Somebody else holds it (`blockers`) or waits for it and came first (`ahead`). */
export interface BlockingLeases {
  readonly kind: 'held' | 'grace' | 'timeout';
  readonly blockers: readonly Lease[];
  readonly ahead: readonly Wait[];
  readonly retryInMs: number;
  /** Patterns that were given up to wait for them with the rest, and are not held any more. */
  readonly yielded?: readonly string[];
  /** Another claim is in the way because one stands at a time. */
  readonly sequential?: true;
  /** All of it is held for lines of it, and these can be had beside. */
  readonly lines?: true;
}

export interface Deadlock {
  readonly kind: 'deadlock';
  readonly blockers: readonly Lease[];
  readonly cycle: readonly WaitEdge[];
  /** It would have given up what is unchanged, and these paths kept it from that. */
  readonly uncommitted?: readonly string[];
}

export interface Cap {
  readonly kind: 'cap';
  readonly scope: 'agent' | 'all' | 'patterns' | 'waits' | 'claims' | 'requests';
  readonly limit: number;
  /** Of claims: those that count, the one that was worked on longest ago first. */
  readonly own?: readonly Lease[];
}

/** All that could be given up has uncommitted changes: these. */
interface Uncommitted {
  readonly kind: 'uncommitted';
  readonly leases: readonly Lease[];
  readonly paths: readonly string[];
}

export type Refusal =
  | BlockingLeases
  | Deadlock
  | Cap
  /** Nothing here answers to what was named. Zero matched is not success. */
  | { readonly kind: 'nothing_matched'; readonly named: readonly string[] }
  | { readonly kind: 'not_owner'; readonly leases: readonly Lease[] }
  | Uncommitted
  | { readonly kind: 'expired'; readonly leases: readonly Lease[] }
  /** The log cannot change places while these are held, unless they go along. */
  | { readonly kind: 'live_leases'; readonly leases: readonly Lease[] }
  | { readonly kind: 'no_such_agent' | 'no_such_lease'; readonly named: string }
  /** The name belongs to a session, and the caller did not show its key. */
  | { readonly kind: 'not_your_session'; readonly agent: AgentName }
  | { readonly kind: 'name_taken'; readonly agent: AgentName }
  | { readonly kind: 'wrong_token' }
  /** What was asked for is not what is held any more. */
  | { readonly kind: 'lease_changed'; readonly named: string }
  | { readonly kind: 'no_such_request'; readonly named: string }
  | { readonly kind: 'own_lease'; readonly leases: readonly Lease[] }
  | {
      readonly kind: 'bead_done' | 'bead_parked';
      readonly bead: string;
      readonly by: AgentName;
      readonly at: number;
      readonly failures: number;
    }
  /** The tracker has it otherwise, in its own words; coord's claim is given back. */
  | {
      readonly kind: 'tracker';
      readonly bead: string;
      readonly tracker: string;
      readonly said: string;
    }
  /** No bead is ready that nobody works on and that suits this agent. */
  | { readonly kind: 'nothing_ready' }
  /** Its holder is at work, and has not been asked or has time left to answer. */
  | { readonly kind: 'too_early'; readonly leases: readonly Lease[]; readonly retryInMs: number };
