/**
 * Who is calling: `--agent`, else `COORD_AGENT`, else the session of the harness that started us, else
 * the person at this terminal, by git's user name and the login shell, so that two terminals are two
 * agents and one terminal stays one.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Caller } from '../core/decide/enrol.ts';
import { parseAgentName } from '../core/ids.ts';
import { builtin } from '../git/builtin.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { childName, keyBehind, knownSession, nameFor, sessionInEnvironment } from './harness-session.ts';
import { hashKey } from './hash.ts';

/** Is it an agent that says who it is, or is started by a harness? */
export function isAgentIn(env: NodeJS.ProcessEnv): boolean {
  return (env['COORD_AGENT'] ?? '') !== '' || sessionInEnvironment(env) !== null;
}

export function identify(repository: Repository, named: string | undefined, env: NodeJS.ProcessEnv): Caller {
  const said = named ?? env['COORD_AGENT'];
  if (named === '') parseAgentName(named);
  const isNamed = said !== undefined && said !== '';
  const harness = isNamed ? null : sessionInEnvironment(env);
  const known = harness === null ? null : knownSession(repository.commonDir, harness);
  // Hashed when it is asked for: most commands never ask, and loading what hashes takes longer than they do.
  const session = (): string | null => {
    const key = known?.key ?? env['COORD_SESSION'] ?? '';
    return key === '' ? null : hashKey(keyBehind(repository.commonDir, key));
  };
  const who = { host: hostname(), get session() { return session(); } };
  if (isNamed) return Object.assign(who, { name: parseAgentName(said), kind: 'agent' as const });
  if (harness === null) return Object.assign(who, { name: personName(repository, env), kind: 'person' as const });
  const name = known?.name ?? nameFor(harness);
  return Object.assign(who, { name: harness.subagent === null ? name : childName(name, harness.subagent), kind: 'agent' as const });
}

function personName(repository: Repository, env: NodeJS.ProcessEnv): string {
  const user = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'config', '--get', 'user.name']).stdout.toString('utf8').trim();
  const words = (user === '' ? env['USER'] ?? env['LOGNAME'] ?? 'somebody' : user).normalize('NFKD').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '');
  const terminal = builtin.crypto.createHash('sha256').update(`${hostname()} ${user} ${loginShell()}`).digest('hex').slice(0, 4);
  return `${words.slice(0, 48) === '' ? 'somebody' : words.slice(0, 48)}.${terminal}`;
}

/** The session's leading process and when it started: the same for all commands of one terminal. */
function loginShell(): string {
  try {
    const stat = (pid: string): string[] => {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return text.slice(text.lastIndexOf(')') + 2).split(' ');
    };
    const leader = stat('self')[3] ?? '0';
    try {
      return `${leader} ${stat(leader)[19] ?? ''}`;
    } catch {
      return leader;
    }
  } catch {
    return String(process.ppid);
  }
}
