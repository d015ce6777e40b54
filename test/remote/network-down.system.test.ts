/**
 * A network of its own, with a server in it, that goes away and comes back. Needs: namespaces,
 * iproute2.
 */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { coordProgram, repository } from '../support/repository.ts';

/** Each line of its output is one command's exit code and what it said, as JSON. */
const script = `
set -u
ip link set lo up
git init -q --bare "$HOME/served/repo.git"
git daemon --reuseaddr --enable=receive-pack --export-all --base-path="$HOME/served" --listen=127.0.0.1 --port=9418 &
daemon=$!
for i in $(seq 200); do git ls-remote git://127.0.0.1/repo.git >/dev/null 2>&1 && break; sleep 0.05; done
git remote add origin git://127.0.0.1/repo.git
say() { printf '%s ' "$1"; shift; "$@"; printf '%s\\n' "$?" | sed 's/^/ exit /'; }
say set "$NODE" "$COORD" --json remote set origin
say before "$NODE" "$COORD" --json --agent alice reserve src/a.ts
ip link set lo down
say away "$NODE" "$COORD" --json --agent alice reserve src/b.ts
say look "$NODE" "$COORD" --json status
ip link set lo up
say back "$NODE" "$COORD" --json --agent alice reserve src/b.ts
kill $daemon
wait $daemon 2>/dev/null
`;

test(
  'while the interface is down nothing is granted, and what is held is told; once it is up again all goes on',
  { timeout: 120_000 },
  () => {
    const repo = repository();
    const ran = spawnSync('unshare', ['-rn', 'bash', '-c', script], {
      cwd: repo.top,
      env: { ...repo.env, NODE: process.execPath, COORD: coordProgram },
      encoding: 'utf8',
      timeout: 100_000,
    });
    const answers = new Map(
      [...ran.stdout.matchAll(/^(\w+) (\{.*\})\n exit (\d+)$/gm)].map(([, name, json, code]) => [
        name,
        { code: Number(code), json: JSON.parse(json ?? '') as Record<string, any> },
      ]),
    );
    const of = (name: string): readonly [number | undefined, unknown] => [
      answers.get(name)?.code,
      answers.get(name)?.json['result'] ?? ran.stderr,
    ];
    expect(of('set')).toEqual([0, 'set']);
    expect(of('before')).toEqual([0, 'granted']);
    expect(of('look')).toEqual([0, 'busy']);
    expect(of('back')).toEqual([0, 'granted']);
    expect(answers.get('away')).toMatchObject({
      code: 75,
      json: {
        error: { code: 'arbiter_unreachable' },
        leases: [{ patterns: ['src/a.ts'], state: 'live' }],
      },
    });
  },
);
