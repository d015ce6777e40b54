/**
 * Real git servers on loopback, each for one bare repository of its own: git's daemon, nginx with
 * git's http backend, sshd, or no server but a folder. And servers that are no use to git.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loopback, nginxCommand } from './nginx.ts';
import { type Environment, hermetic, temporaryFolder } from './repository.ts';
import { claimedPort, type Family, family, installed } from './server-process.ts';

export interface GitServer {
  /** The bare repository's folder on disk, for looking and for putting hooks into. */
  readonly folder: string;
  /** What a clone uses as the URL of its remote. */
  readonly url: string;
  /** What a client needs in its environment to get in. */
  readonly env: Environment;
  /**
   * Requests so far, one a line, in the access log of http and in what git's daemon says; sshd and
   * a folder keep none. nginx writes the line after the answer, so a client may be done before it
   * is there.
   */
  requests(): readonly string[];
  /** Ends the server with all that it has started, requests and hooks in progress too. */
  stop(): Promise<void>;
  /** Again after stop, on the same port and folder. */
  start(): Promise<void>;
}

export type Transport = 'daemon' | 'http' | 'ssh' | 'file';

export interface ServeOptions {
  /** Arguments for git init, such as --object-format=sha256. */
  readonly init?: readonly string[];
  /** For the server, and so for the hooks it runs. */
  readonly env?: Environment;
}

type Way = Pick<GitServer, 'url' | 'env'> & {
  readonly family: Family;
  requests(): readonly string[];
};

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly env: Environment;
  /** What the servers say on their own account. */
  readonly log: string;
}

/** The server runs when this is done; it is stopped when the test ends. */
export async function serve(transport: Transport, options: ServeOptions = {}): Promise<GitServer> {
  const home = temporaryFolder();
  const env = hermetic(home, options.env);
  const folder = join(home, 'served', 'repo.git');
  mkdirSync(join(home, 'served'));
  writeFileSync(join(home, 'gitconfig'), '[init]\n\tdefaultBranch = main\n');
  execFileSync('git', ['init', '-q', '--bare', ...(options.init ?? []), folder], { env });
  for (const [key = '', value = ''] of [
    ['gc.auto', '0'],
    ['http.receivepack', 'true'],
  ])
    execFileSync('git', ['config', key, value], { cwd: folder, env });
  mkdirSync(join(folder, 'hooks'), { recursive: true });
  const {
    url,
    env: clientEnv,
    family: servers,
    requests,
  } = await ways[transport]({ home, folder, env, log: join(home, 'log') });
  onTestFinished(() => servers.end());
  await servers.start();
  return {
    folder,
    url,
    env: clientEnv,
    requests,
    stop: () => servers.end(),
    start: () => servers.start(),
  };
}

const ways: Readonly<Record<Transport, (place: Place) => Promise<Way>>> = {
  daemon: byDaemon,
  http: byHttp,
  ssh: bySsh,
  file: byFile,
};

function linesOf(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

async function byDaemon({ home, env, log }: Place): Promise<Way> {
  const port = await claimedPort();
  const args = [
    'daemon',
    '--verbose',
    '--enable=receive-pack',
    '--export-all',
    '--reuseaddr',
    '--max-connections=0',
    `--listen=${loopback}`,
    `--port=${port}`,
    `--base-path=${join(home, 'served')}`,
  ];
  return {
    url: `git://${loopback}:${port}/repo.git`,
    env: {},
    family: family(home, env, log, [
      { program: 'git', from: 'git', args, accepts: { host: loopback, port } },
    ]),
    requests: () => linesOf(log).flatMap((line) => /^\[\d+\] (Request .*)/.exec(line)?.[1] ?? []),
  };
}

async function byHttp({ home, folder, env, log }: Place): Promise<Way> {
  const port = await claimedPort();
  const [user, password] = ['tester', randomBytes(12).toString('hex')];
  const socket = join(home, 'cgi.sock');
  const backend = join(
    execFileSync('git', ['--exec-path'], { env, encoding: 'utf8' }).trim(),
    'git-http-backend',
  );
  writeFileSync(join(home, 'passwords'), `${user}:{PLAIN}${password}\n`, { mode: 0o600 });
  const location = `location / {
  auth_basic git;
  auth_basic_user_file "${join(home, 'passwords')}";
  client_max_body_size 0;
  fastcgi_pass "unix:${socket}";
  fastcgi_buffering off;
  fastcgi_read_timeout 600s;
  fastcgi_param SCRIPT_FILENAME "${backend}";
  fastcgi_param GIT_PROJECT_ROOT "${join(folder, '..')}";
  fastcgi_param GIT_HTTP_EXPORT_ALL 1;
  fastcgi_param GIT_PROTOCOL $http_git_protocol if_not_empty;
  fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding if_not_empty;
  fastcgi_param PATH_INFO $uri;
  fastcgi_param QUERY_STRING $query_string;
  fastcgi_param REQUEST_METHOD $request_method;
  fastcgi_param CONTENT_TYPE $content_type;
  fastcgi_param CONTENT_LENGTH $content_length;
  fastcgi_param REMOTE_USER $remote_user;
  fastcgi_param REMOTE_ADDR $remote_addr;
}`;
  const nginx = nginxCommand(home, port, location);
  // Each of them serves one request at a time.
  const cgi = {
    program: 'fcgiwrap',
    from: 'fcgiwrap',
    args: ['-c', '32', '-s', `unix:${socket}`],
    accepts: { path: socket },
  };
  const servers = family(home, env, log, [cgi, nginx]);
  return {
    url: `http://${user}:${password}@${loopback}:${port}/repo.git`,
    env: {},
    family: {
      start: () => {
        rmSync(socket, { force: true });
        return servers.start();
      },
      end: () => servers.end(),
    },
    requests: () => linesOf(join(home, 'access.log')),
  };
}

async function bySsh({ home, folder, env, log }: Place): Promise<Way> {
  const port = await claimedPort();
  const [hostKey, key, known] = [
    join(home, 'host_key'),
    join(home, 'user_key'),
    join(home, 'known_hosts'),
  ];
  installed('sshd', 'openssh-server', env);
  for (const file of [hostKey, key])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
  writeFileSync(known, `[${loopback}]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`);
  // As root it wants a folder to lock itself into.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const session = Object.entries({ ...env, COORD_TEST_SERVER: home })
    .map(([name, value]) => `"${name}=${value}"`)
    .join(' ');
  writeFileSync(
    join(home, 'sshd_config'),
    `ListenAddress ${loopback}:${port}
HostKey ${hostKey}
AuthorizedKeysFile ${key}.pub
PidFile none
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin yes
AuthenticationMethods publickey
MaxStartups 100
MaxSessions 100
LogLevel ERROR
AcceptEnv GIT_PROTOCOL
SetEnv ${session}
`,
  );
  // The default exchange of keys costs 50 ms more.
  const options = [
    `Port=${port}`,
    `UserKnownHostsFile=${known}`,
    'StrictHostKeyChecking=yes',
    'IdentitiesOnly=yes',
    'BatchMode=yes',
    'KexAlgorithms=curve25519-sha256',
  ]
    .map((option) => `-o ${option}`)
    .join(' ');
  return {
    url: `ssh://${userInfo().username}@${loopback}:${port}${folder}`,
    env: { GIT_SSH_COMMAND: `ssh -F none -i ${key} ${options}` },
    family: family(home, env, log, [
      {
        program: 'sshd',
        from: 'openssh-server',
        args: ['-D', '-e', '-f', join(home, 'sshd_config')],
        accepts: { host: loopback, port },
      },
    ]),
    requests: () => [],
  };
}

/**
 * A folder has no server: while it is stopped, it is somewhere else, as a share that is not
 * mounted.
 */
async function byFile({ folder }: Place): Promise<Way> {
  const away = `${folder}.away`;
  const move = async (from: string, to: string): Promise<void> => {
    if (existsSync(from)) renameSync(from, to);
  };
  return {
    url: `file://${folder}`,
    env: {},
    family: { start: () => move(away, folder), end: () => move(folder, away) },
    requests: () => [],
  };
}
