/** What `npm run effect` is told on its command line, and what holds where nothing is said. */

export const policies = ['off', 'files', 'lines'] as const;
export type Policy = (typeof policies)[number];

export interface EffectOptions {
  readonly agents: number;
  readonly tasks: number;
  /** How long an agent thinks before each step. */
  readonly stepMs: number;
  /** An agent keeps what it holds while it waits. */
  readonly hold: boolean;
  /** Where the commits come from; null for the ones that are made. */
  readonly repository: string | null;
  readonly policies: readonly Policy[];
  readonly seed: number;
  /** A line of JSON there for each tool call. */
  readonly trace: string | null;
}

export const usual: EffectOptions = {
  agents: 5,
  tasks: 25,
  stepMs: 400,
  hold: false,
  repository: null,
  policies,
  seed: 1,
  trace: null,
};

function count(name: string, value: string | undefined): number {
  if (value !== undefined && /^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new Error(`--${name} wants a whole number from 1`);
}

function time(value: string | undefined): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(value ?? '') ?? [];
  if (number === '') throw new Error('--step wants a time such as 400ms or 4s');
  return Number(number) * (unit === 's' ? 1_000 : 1);
}

function chosen(value: string | undefined): readonly Policy[] {
  const names = (value ?? '').split(',');
  const found = policies.filter((policy) => names.includes(policy));
  if (found.length === names.length) return found;
  throw new Error(`--policy wants ${policies.join(', ')}, or several with commas`);
}

export function readOptions(args: readonly string[]): EffectOptions {
  let options = usual;
  for (let i = 0; i < args.length; i += 1) {
    const name = args[i] ?? '';
    const value = (): string | undefined => args[(i += 1)];
    if (name === '--agents') options = { ...options, agents: count('agents', value()) };
    else if (name === '--tasks') options = { ...options, tasks: count('tasks', value()) };
    else if (name === '--seed') options = { ...options, seed: count('seed', value()) };
    else if (name === '--step') options = { ...options, stepMs: time(value()) };
    else if (name === '--policy') options = { ...options, policies: chosen(value()) };
    else if (name === '--hold') options = { ...options, hold: true };
    else if (name === '--repository') options = { ...options, repository: value() ?? '' };
    else if (name === '--trace') options = { ...options, trace: value() ?? null };
    else throw new Error(`unknown option ${name}`);
  }
  return options;
}
