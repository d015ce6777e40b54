/** nginx as a server of one test, on this machine alone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { family } from './server-process.ts';

export const loopback = '127.0.0.1';

/** One process, which keeps everything it writes in its own folder. */
export function nginxCommand(
  home: string,
  port: number,
  location: string,
): Parameters<typeof family>[3][number] {
  const scratch = ['client_body', 'fastcgi', 'proxy', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path "${join(home, `nginx-${name}`)}";`)
    .join('\n');
  writeFileSync(
    join(home, 'nginx.conf'),
    `daemon off;
master_process off;
pid "${join(home, 'nginx.pid')}";
events { worker_connections 512; }
http {
log_format request '$request_method $request_uri $status';
access_log "${join(home, 'access.log')}" request;
${scratch}
server {
listen ${loopback}:${port} backlog=511;
${location}
}
}
`,
  );
  return {
    program: 'nginx',
    from: 'nginx',
    args: ['-e', join(home, 'log'), '-p', home, '-c', join(home, 'nginx.conf')],
    accepts: { host: loopback, port },
  };
}
