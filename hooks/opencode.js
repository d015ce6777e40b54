/**
 * Coord in opencode, which runs plugins within itself: asks the same shim as all other harnesses do, and
 * does as it is told. `.opencode/plugins/coord.js` finds this, and says where: the folder that it is in, or
 * a shim and a node of this machine.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const edits = {
  edit: (args) => [args.filePath],
  write: (args) => [args.filePath],
  multiedit: (args) => [args.filePath],
  patch: (args) => pathsIn(args.patchText ?? args.patch ?? ''),
  apply_patch: (args) => pathsIn(args.patchText ?? args.patch ?? ''),
};

function pathsIn(patch) {
  return [
    ...String(patch).matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm),
  ].map(([, path]) => path.trim());
}

export function plugin({ hooks, node, shim }) {
  return async ({ directory }) => {
    const launcher = join(directory, '.git/coord/hook');
    let isGone = false;

    function run(words, options) {
      if (shim) return spawnSync(shim, words, options);
      return existsSync(launcher)
        ? spawnSync(launcher, words, options)
        : spawnSync('git', ['coord-hook', ...words], options);
    }

    /** Sessions of subagents, by their parents'. */
    const parents = new Map();
    const rootOf = (id) => (parents.has(id) ? rootOf(parents.get(id)) : id);

    function ask(moment, sessionID, more = {}) {
      const root = rootOf(sessionID);
      const payload = {
        session: root,
        ...(root === sessionID ? {} : { subagent: sessionID }),
        cwd: directory,
        ...more,
      };
      const { stdout, status, error } = run(['opencode', moment], {
        input: JSON.stringify(payload),
        encoding: 'utf8',
        env: { ...process.env, ...(node ? { COORD_NODE: node } : {}) },
        timeout: 60_000,
      });
      // Coord itself always ends with 0.
      if (status === 1 || error?.code === 'ENOENT') {
        if (!isGone) console.error('coord is gone: nothing is guarded until it is installed again');
        isGone = true;
        return { kind: 'quiet' };
      }
      if (status !== 0)
        return moment === 'before-edit'
          ? { kind: 'deny', reason: 'coord could not judge this edit, so it is refused' }
          : { kind: 'quiet' };
      return stdout.trim() === '' ? { kind: 'quiet' } : JSON.parse(stdout);
    }

    const environment = new Map();
    const begin = (sessionID) => {
      if (!environment.has(sessionID))
        environment.set(
          sessionID,
          ask('session-start', sessionID, { why: 'startup' }).environment ?? {},
        );
      return environment.get(sessionID);
    };

    return {
      event: async ({ event }) => {
        const info = event.properties?.info;
        if (event.type === 'session.created' && info?.parentID) parents.set(info.id, info.parentID);
        if (event.type === 'session.deleted' && info)
          ask(parents.has(info.id) ? 'subagent-stop' : 'session-end', info.id);
      },
      'shell.env': async ({ sessionID }, output) => {
        if (sessionID !== undefined)
          Object.assign(output.env, begin(sessionID), {
            PATH: [
              join(hooks ?? dirname(shim), 'bin'),
              output.env.PATH ?? process.env.PATH ?? '',
            ].join(':'),
          });
      },
      'tool.execute.before': async ({ tool, sessionID }, output) => {
        const paths = edits[tool]?.(output.args ?? {});
        const answer =
          paths !== undefined
            ? ask('before-edit', sessionID, { paths })
            : tool === 'bash'
              ? ask('before-shell', sessionID, { command: output.args?.command })
              : { kind: 'quiet' };
        if (answer.kind === 'deny') throw new Error(answer.reason);
      },
      'tool.execute.after': async ({ tool, sessionID, args }, output) => {
        const answer =
          tool === 'bash'
            ? ask('after-shell', sessionID, {
                command: args?.command ?? output.metadata?.command ?? 'bash',
              })
            : { kind: 'quiet' };
        if (answer.kind === 'context') output.output = `${output.output ?? ''}\n${answer.text}`;
      },
    };
  };
}
