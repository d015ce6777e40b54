/**
 * What a simulated run of many machines on one remote log is made of, and what is taken for granted
 * in it.
 */
import { limits } from '../core/limits.ts';

export interface RemoteOptions {
  /** Clones; agents are spread evenly over them. */
  readonly machines: number;
  readonly agents: number;
  /** Requests of one agent in an hour if every answer came at once. */
  readonly ratePerHour: number;
  /** A round trip to the server, on average. */
  readonly latencyMs: number;
  /** How likely a push is cut, and how likely an agent dies with what it was granted. */
  readonly failures: number;
  readonly files: number;
  readonly hours: number;
  readonly seed: number;
  /** How long a file is kept, on average. */
  readonly holdMs: number;
  /** How long a request stands in line for a file that is held; 0 is refused at once. */
  readonly waitMs: number;
  readonly ttlMs: number;
  readonly graceMs: number;
  /** False plants a bug: a push moves the log whatever it stands at. */
  readonly lease: boolean;
}

export const remoteDefaults: RemoteOptions = {
  machines: 5,
  agents: 20,
  ratePerHour: 12,
  latencyMs: 300,
  failures: 0.01,
  files: 200,
  hours: 8,
  seed: 1,
  holdMs: 300_000,
  waitMs: 0,
  ttlMs: limits.ttlMs,
  graceMs: limits.graceMs,
  lease: true,
};

/** The rules of thumb that are part of the model and not of a run. */
export const remoteRules = {
  /** Every time on the network is up to so much shorter or longer. */
  jitter: 0.2,
  pollMinMs: 2_000,
  pollMaxMs: 30_000,
  /** Others that wrote within so many round trips compete. */
  latelyRoundTrips: 20,
  zipfExponent: 1,
} as const;

/** Said with the figures, because they mean nothing without them. */
export const remoteAssumptions: readonly string[] = [
  'an agent claims a unit of work, reserves a file, releases both, and thinks before each (exponential times); it asks one thing at a time, and after a refusal it thinks and asks for another file',
  'files are wanted by Zipf with exponent 1; a file is kept for 5 minutes on average, at most a third of a cycle',
  'one voice a machine: all that waits there when its turn comes is decided together and goes up in one push',
  'a push takes one round trip (within 20%) and is applied at the middle of it if the log stands where the machine last saw it; else the machine fetches, one more round trip, decides again and retries at once',
  'after a win a machine leaves one round trip for each other machine that wrote within the last 20 round trips',
  'a refusal is decided on a fresh view: one that a push or a fetch has just confirmed',
  'each machine polls with one ls-remote, after 2 s where things move, doubling to 30 s where nothing does, and fetches what has moved; an ls-remote and a fetch are a read each',
  'every entry of a machine renews the leases of all its living agents; without one for a third of the TTL, it writes one for that alone',
  'a cut push is noticed after a round trip; half took effect, and a fetch tells which; reads do not fail',
  'what a dead agent held is free after TTL and grace, for other machines after 1.25 times that, counted from the entry that renewed it; a new agent takes its place',
  'who waits for a file stands in line in the log until it is granted or its time is up, which costs no renewals',
  'the server has no limit of its own and takes no time beyond the round trip',
];
