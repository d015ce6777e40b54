/**
 * Who is calling: `--agent`, else `COORD_AGENT`, else the session of the harness that started us,
 * else the agent program that did, else a person, who is one and the same in every terminal.
 */
import { hostname } from 'node:os';
import type { Caller } from '../core/decide/enrol.ts';
import { hashKey } from '../core/hash.ts';
import { parseAgentName } from '../core/ids.ts';
import { builtin } from '../git/builtin.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { programIn, startedBy } from './agent-programs.ts';
import {
  childName,
  keyBehind,
  knownSession,
  nameFor,
  sessionAbove,
  sessionInEnvironment,
} from './harness-session.ts';
import { terminalOf } from './terminals.ts';

/** Is it an agent that says who it is, or is started by a harness? */
export function isAgentIn(env: NodeJS.ProcessEnv): boolean {
  return (
    (env['COORD_AGENT'] ?? '') !== '' ||
    sessionInEnvironment(env) !== null ||
    programIn(env) !== null
  );
}

export function identify(
  repository: Repository,
  named: string | undefined,
  env: NodeJS.ProcessEnv,
): Caller {
  const said = named ?? env['COORD_AGENT'];
  if (named === '') parseAgentName(named);
  const isNamed = said !== undefined && said !== '';
  const harness = isNamed ? null : sessionInEnvironment(env);
  const program = isNamed || harness !== null ? null : programIn(env);
  const above = harness?.harness ?? program?.name;
  // An id that no hook has told of, such as that of a subagent's shell, is of the session around it.
  const known =
    (harness === null ? null : knownSession(repository.commonDir, harness)) ??
    (above === undefined ? null : sessionAbove(repository.commonDir, above));
  // Hashed when it is asked for: most commands never ask, and loading what hashes takes longer than
  // they do.
  const session = (): string | null => {
    const key = known?.key ?? env['COORD_SESSION'] ?? '';
    return key === '' ? null : hashKey(keyBehind(repository.commonDir, key));
  };
  const who = {
    host: hostname(),
    get session() {
      return session();
    },
  };
  if (isNamed) return Object.assign(who, { name: parseAgentName(said), kind: 'agent' as const });
  if (harness !== null) {
    const name = known?.name ?? nameFor(harness);
    return Object.assign(who, {
      name: harness.subagent === null ? name : childName(name, harness.subagent),
      kind: 'agent' as const,
    });
  }
  if (program !== null)
    return Object.assign(who, {
      name: known?.name ?? programName(program),
      kind: 'agent' as const,
    });
  return Object.assign(who, { name: personName(repository, env), kind: 'person' as const });
}

/** One running program is one agent. */
function programName(program: NonNullable<ReturnType<typeof programIn>>): string {
  return `${program.name}.${shortHash(`${hostname()} ${startedBy(program) ?? terminalOf()}`)}`;
}

/**
 * One person, in every terminal, editor and GUI: by git's user email, else by the login on this
 * machine.
 */
function personName(repository: Repository, env: NodeJS.ProcessEnv): string {
  const email = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'config',
    '--get',
    'user.email',
  ])
    .stdout.toString('utf8')
    .trim();
  const login = env['USER'] ?? env['LOGNAME'] ?? 'somebody';
  const [local = ''] = (email === '' ? login : email).split('@');
  const words = local
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48);
  return `${words === '' ? 'somebody' : words}.${shortHash(email === '' ? `${login} ${hostname()}` : email.toLowerCase())}`;
}

function shortHash(text: string): string {
  return builtin.crypto.createHash('sha256').update(text).digest('hex').slice(0, 4);
}
