/**
 * Coord in opencode and Kilo, which run plugins within themselves: asks the same shim as all other
 * harnesses do, and does as it is told. `.opencode/plugins/coord.js` finds this, and says where:
 * the folder that it is in, or a shim and a node of this machine. Several sessions live in one
 * process. Whatever fails here is no reason for opencode to fail, but for an edit to be refused.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

const edits = {
  edit: (args) => [args.filePath],
  write: (args) => [args.filePath],
  multiedit: (args) => [args.filePath],
  patch: (args) => pathsIn(args.patchText ?? args.patch ?? ''),
  apply_patch: (args) => pathsIn(args.patchText ?? args.patch ?? ''),
};

/** What of it a tool says, in the words of the other programs. */
function changesIn({ content, patchText, patch, ...args }) {
  const one = ({ oldString, newString, replaceAll }) => ({
    old_string: oldString,
    new_string: newString,
    replace_all: replaceAll === true,
  });
  const edits = Array.isArray(args.edits) ? args.edits.map(one) : undefined;
  return { content, patch: patchText ?? patch, ...(edits ? { edits } : one(args)) };
}

/** Tools that run a command; Kilo has one more. */
const shells = ['bash', 'background_process'];

/** As opencode reads them: with or without a space. */
function pathsIn(patch) {
  return [
    ...String(patch).matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to):[ \t]*(.+?)\s*$/gm),
  ].map(([, path]) => path);
}

const mostMs = 60_000;
/** opencode waits for it before it ends. */
const mostMsAtEnd = 10_000;

/** Runs coord beside all else that opencode does. Never throws. */
function run(file, words, options, input, ms) {
  const out = { stdout: '', stderr: '', status: null };
  return new Promise((done) => {
    const child = spawn(file, words, options);
    const late = setTimeout(() => child.kill(), ms);
    const end = (status) => {
      clearTimeout(late);
      done({ ...out, status });
    };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text) => {
        out[name] += text;
      });
    }
    child.on('error', ({ code }) => end(code ?? null));
    child.on('close', end);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  }).catch((error) => ({ ...out, status: error.code ?? null }));
}

function answerIn(text) {
  try {
    return text.trim() === '' ? { kind: 'quiet' } : JSON.parse(text);
  } catch {
    return null;
  }
}

/** How all that runs here is ended. A signal ends opencode without a word to its plugins. */
const living = new Set();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function onSignal(signal) {
  forgetSignals();
  Promise.allSettled([...living].map((end) => end())).then(() => {
    // Whoever else listens ends it in its own way.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  });
}

function forgetSignals() {
  for (const signal of signals) process.off(signal, onSignal);
}

function live(end) {
  if (living.size === 0) for (const signal of signals) process.on(signal, onSignal);
  living.add(end);
}

function die(end) {
  if (living.delete(end) && living.size === 0) forgetSignals();
}

export function plugin({ hooks, node, shim, url }) {
  // Kilo is made of opencode, and has a folder of its own.
  const program = /[\\/]\.?kilo[\\/]plugins?[\\/][^\\/]+$/.test(url) ? 'kilo' : 'opencode';
  return async ({ directory, client }) => {
    const launcher = join(directory, '.git/coord/hook');
    const options = {
      cwd: directory,
      env: { ...process.env, ...(node ? { COORD_NODE: node } : {}) },
    };
    let isGone = false;

    function coord(words, input, ms) {
      const file = shim ?? (existsSync(launcher) ? launcher : 'git');
      return run(file, [...(file === 'git' ? ['coord-hook'] : []), ...words], options, input, ms);
    }

    /** The session of each subagent's parent, or null. */
    const parents = new Map();
    /** What each session of this process was told at its start, and has for its shells. */
    const sessions = new Map();
    /** What is to be said with the result of a call, and shell commands under way. */
    const notes = new Map();
    const commands = new Map();
    /** Sessions whose end is being told. */
    const ending = new Set();

    /** A session of an earlier process is known to opencode alone. */
    async function parentOf(id) {
      if (!parents.has(id)) {
        const found = await Promise.resolve()
          .then(() => client.session.get({ path: { id } }))
          .catch(() => undefined);
        if (!parents.has(id)) parents.set(id, found?.data?.parentID ?? null);
      }
      return parents.get(id);
    }

    async function rootOf(id) {
      const parent = await parentOf(id);
      return parent === null ? id : rootOf(parent);
    }

    async function ask(moment, sessionID, more = {}, ms = mostMs) {
      const root = await rootOf(sessionID);
      const payload = {
        session_id: root,
        ...(root === sessionID ? {} : { agent_id: sessionID }),
        cwd: directory,
        ...more,
      };
      const said = await coord([program, moment], JSON.stringify(payload), ms);
      // Coord itself always ends with 0.
      if (said.status === 1 || said.status === 'ENOENT') {
        if (!isGone) console.error('coord is gone: nothing is guarded until it is installed again');
        isGone = true;
        return { kind: 'quiet' };
      }
      const answer = said.status === 0 ? answerIn(said.stdout) : null;
      if (answer !== null && answer.kind !== 'quiet') return answer;
      const why = said.stderr.trim();
      if (answer === null && moment === 'before-edit')
        return { kind: 'deny', reason: why || 'coord could not judge this edit, so it is refused' };
      if (answer === null || why !== '')
        return {
          kind: 'context',
          text: why || `coord: ${moment} could not be looked at and is let through`,
        };
      return answer;
    }

    const textOf = ({ kind, text }) => (kind === 'context' ? text : '');

    /** Told of once, with what the session hears at its start. */
    function begin(id) {
      if (!sessions.has(id)) {
        const started = rootOf(id).then((root) =>
          ask(root === id ? 'session-start' : 'subagent-start', id, { source: 'startup' }),
        );
        sessions.set(id, { started, welcome: started.then(textOf), environment: null });
      }
      return sessions.get(id);
    }

    /** Who its shells are: a subagent gets an index of its own with the first of them. */
    function environmentOf(id) {
      const session = begin(id);
      session.environment ??= parentOf(id)
        .then((parent) =>
          parent === null ? session.started : ask('session-start', id, { source: 'startup' }),
        )
        .then(({ environment }) => environment ?? {});
      return session.environment;
    }

    /** What of a session ended without a result of its own is looked at all the same. */
    async function afterShell(callID) {
      const { sessionID, cwd, command } = commands.get(callID) ?? {};
      if (!commands.delete(callID)) return '';
      return textOf(await ask('after-shell', sessionID, { cwd, ...shellCall(command, callID) }));
    }

    async function endShells(sessionID) {
      for (const [callID, command] of commands)
        if (command.sessionID === sessionID) await afterShell(callID);
    }

    async function end(id) {
      if (!sessions.delete(id)) return;
      const root = await rootOf(id);
      await endShells(id);
      await ask(root === id ? 'session-end' : 'subagent-stop', id, {}, mostMsAtEnd);
    }

    function ended(id) {
      const telling = end(id).finally(() => ending.delete(telling));
      ending.add(telling);
      return telling;
    }

    const shellCall = (command, callID) => ({ tool_input: { command }, tool_use_id: callID });
    function editCall(said, args, callID) {
      const paths = said.map((path) =>
        typeof path === 'string' ? resolve(directory, path) : path,
      );
      return {
        tool_input: {
          ...(paths.length === 1 && !args.patch && !args.patchText
            ? { file_path: paths[0] }
            : { paths }),
          ...changesIn(args),
        },
        tool_use_id: callID,
      };
    }

    /** Of what opencode does not wait for nothing may fail. */
    async function heard({ type, properties = {} }) {
      const { info, sessionID } = properties;
      if (type === 'session.created' && info) parents.set(info.id, info.parentID ?? null);
      if (type === 'session.deleted' && info) await ended(info.id);
      if (type === 'session.idle' && sessions.has(sessionID)) {
        if ((await parentOf(sessionID)) === null) await endShells(sessionID);
        else await ended(sessionID);
      }
    }

    async function endAll() {
      const all = [...sessions.keys()];
      await Promise.all(all.filter((id) => parents.get(id)).map(ended));
      await Promise.all([...ending]);
      await Promise.all(all.map(ended));
    }

    live(endAll);
    return {
      event: ({ event }) => heard(event).catch(() => undefined),
      dispose: () => {
        die(endAll);
        return endAll();
      },
      'chat.message': async ({ sessionID }, { parts }) => {
        const isNew = !sessions.has(sessionID);
        begin(sessionID);
        const news = isNew ? '' : textOf(await ask('prompt', sessionID));
        const last = parts.at(-1);
        if (news !== '' && last !== undefined)
          parts.push({
            id: `${last.id}0`,
            sessionID: last.sessionID,
            messageID: last.messageID,
            type: 'text',
            synthetic: true,
            text: news,
          });
      },
      'experimental.chat.system.transform': async ({ sessionID }, { system }) => {
        const welcome = sessionID === undefined ? '' : await begin(sessionID).welcome;
        // One more message of the system is more than some models take.
        if (welcome !== '' && !system.some((text) => text.includes(welcome)))
          system.push([...system.splice(-1), welcome].join('\n\n'));
      },
      'experimental.session.compacting': async ({ sessionID }) => {
        begin(sessionID).welcome = ask('compact', sessionID).then(textOf);
        await begin(sessionID).welcome;
      },
      'shell.env': async ({ sessionID }, output) => {
        if (sessionID !== undefined)
          Object.assign(output.env, await environmentOf(sessionID), {
            PATH: [
              join(hooks ?? dirname(shim), 'bin'),
              output.env.PATH ?? process.env.PATH ?? '',
            ].join(delimiter),
          });
      },
      'tool.execute.before': async ({ tool, sessionID, callID }, { args = {} }) => {
        // Of what is read in part nothing is noted.
        if (tool === 'read' && args.filePath && !args.offset && !args.limit) {
          const file_path = resolve(directory, String(args.filePath));
          await ask('before-read', sessionID, { tool_input: { file_path } });
          return;
        }
        const paths = edits[tool]?.(args);
        const { command } = args;
        if (paths === undefined && !(shells.includes(tool) && command)) return;
        const cwd = resolve(directory, args.workdir ?? '.');
        const answer =
          paths !== undefined
            ? await ask('before-edit', sessionID, editCall(paths, args, callID))
            : await ask('before-shell', sessionID, { cwd, ...shellCall(command, callID) });
        if (answer.kind === 'deny') throw new Error(answer.reason);
        if (answer.kind === 'context') notes.set(callID, answer.text);
        if (paths === undefined) commands.set(callID, { sessionID, cwd, command });
      },
      'tool.execute.after': async ({ tool, callID }, output) => {
        // What a subagent held is free by the time that it is over.
        if (tool === 'task') await Promise.all([...ending]);
        const said = [notes.get(callID), await afterShell(callID)].filter(Boolean);
        notes.delete(callID);
        if (said.length > 0 && output) output.output = [output.output ?? '', ...said].join('\n');
      },
    };
  };
}
