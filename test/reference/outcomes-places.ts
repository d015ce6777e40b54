/** What the verbs print that look after work trees, remotes, hooks and the program itself. */
import { z } from 'zod';
import { done, no, type Outcomes, refused, type VerbOutcomes } from './outcome.ts';

import { diff, undo } from './outcomes-in-hand.ts';
import { config, doctor, finding, init, install, uninstall } from './outcomes-setup.ts';
import { keptTrees } from './outcomes-work-trees.ts';
import { count, id, next, oid, problemKind, refusal, texts, time } from './shapes.ts';

function stageStatus(verb: string): Outcomes {
  const facts = { stage: z.string(), base: oid.nullable(), head: oid.nullable(), staged: texts };
  return { done: [done(verb, ['current', 'behind'], facts)], refused: [] };
}

function stageRefresh(verb: string): Outcomes {
  const by = z.strictObject({ commit: oid, subject: z.string(), agent: z.string().nullable() });
  return {
    done: [
      done(verb, ['current', 'forwarded', 'restored']),
      done(verb, 'merged', { paths: texts }),
    ],
    refused: [
      no(verb, ['locked', 'unmerged']),
      no(verb, 'baseless', { paths: texts }),
      no(verb, 'both', { paths: z.array(z.strictObject({ path: z.string(), by: by.nullable() })) }),
      no(verb, 'conflict', { paths: texts, conflicts: texts, kept: z.string().nullable() }),
    ],
    remark: 'What is refused here has a result of its own, and neither `refusal` nor `next`.',
  };
}

function commit(verb: string): Outcomes {
  const problem = z.strictObject({
    kind: problemKind,
    path: z.string().optional(),
    by: z.string().optional().describe('who holds it'),
  });
  return {
    done: [done(verb, 'committed', { commit: oid, paths: texts, tries: count })],
    refused: [
      no(verb, 'nothing'),
      no(verb, 'hook', { hook: z.string(), said: z.string() }),
      no(verb, 'refused', { problems: z.array(problem).min(1) }),
    ],
    remark:
      'A refusal has `problems` instead of `refusal`; what a hook has said to a commit is `said`.',
  };
}

const saved = {
  id: z.string().regex(/^[0-9a-z]{8}\/\d+$/),
  agent: z.string().describe('its name alone'),
  at: time,
  why: z.string().describe('before what it was kept'),
};

function rescueRestore(verb: string): Outcomes {
  return {
    done: [done(verb, 'restored', { ...saved, folder: z.string(), files: texts })],
    refused: [
      no(verb, 'refused', {
        refusal,
        paths: texts,
        ref: z.string().optional().describe('of a conflict: where it is kept'),
        next,
      }),
    ],
  };
}

const place = { remote: z.string(), ref: z.string() };
const carried = z.array(id).describe('leases that went along');

function remoteOff(verb: string): Outcomes {
  const remote = z.null();
  return {
    done: [
      done(verb, 'unchanged', { remote }),
      done(verb, 'off', { remote, was: z.strictObject(place), carried }),
    ],
    refused: [refused(verb)],
  };
}

function remoteProbe(verb: string): Outcomes {
  const facts = {
    ...place,
    log: oid.nullable(),
    checks: z.array(finding),
    customRefs: z.boolean(),
    atomic: z.boolean(),
    rewindsRefused: z.boolean(),
    deletesRefused: z.boolean(),
    roundTripMs: z.number(),
    pushMs: z.number(),
  };
  return { done: [done(verb, 'fit', facts)], refused: [no(verb, 'unfit', facts)], neverOne: true };
}

function sync(verb: string): Outcomes {
  const facts = { ...place, tip: oid.nullable(), seq: count, news: count, leases: count };
  return { done: [done(verb, 'synced', facts)], refused: [] };
}

const printed: VerbOutcomes = (verb) => ({
  done: [done(verb, 'printed', { shell: z.string(), script: z.string() })],
  refused: [],
});

const simulated = {
  options: z.record(z.string(), z.number()),
  requests: count,
  granted: count,
  refused: count,
  unfinished: count,
  grantsPerMinute: z.number(),
  pushesPerMinute: z.number(),
  lostPushesShare: z.number(),
  readsPerMinute: z.number(),
  waitSeconds: z.strictObject({ median: z.number(), p95: z.number(), max: z.number() }),
  fairness: z.number(),
  servedShare: z.strictObject({ least: z.number(), most: z.number() }),
  utilisation: z.number(),
  unknownResolved: count,
  deaths: count,
  operations: count,
  lostOperations: count,
  violations: count,
};

function simulate(verb: string): Outcomes {
  const limit = z.strictObject({ latencyMs: z.number(), agents: count, logs: count.nullable() });
  return {
    done: [
      done(verb, 'simulated', { ...simulated, assumptions: texts }),
      done(verb, 'simulated', {
        rows: z.array(z.strictObject(simulated)),
        limits: z.array(limit),
        svg: z.string().optional(),
        assumptions: texts,
      }).describe('with --sweep or --svg'),
    ],
    refused: [],
    remark: 'The keys of `options` are those of the model: open.',
  };
}

function replay(verb: string): Outcomes {
  return {
    done: [
      done(verb, 'replayed', {
        repository: z.string(),
        pairs: count.describe('merges of two sides, each a pair of agents at work at once'),
        sharing: count.describe('pairs that share a file'),
        conflicts: count,
        clean: count.describe('pairs that share a file and merge cleanly'),
        policies: z.array(
          z.strictObject({
            policy: z.enum(['project lock', 'files', 'lines']),
            waits: count,
            needless: count.describe('of the pairs that share a file and merge cleanly'),
            needlessShare: z.number().nullable(),
            missed: count.describe('conflicts in which nobody would have waited'),
          }),
        ),
        files: z.array(z.strictObject({ path: z.string(), pairs: count, conflicts: count })),
        merges: count,
        octopus: count.describe('merges of more than two sides, left out'),
        unreadable: count.describe('left out: not all of it is here'),
        left: count.describe('not looked at: the time was up'),
        isShallow: z.boolean(),
        judge: z.enum(['git', 'lines']).describe('who says what conflicts'),
      }),
    ],
    refused: [no(verb, 'interrupted')],
    neverOne: true,
  };
}

function hook(verb: string): Outcomes {
  return {
    done: [done(verb, 'passed')],
    refused: [
      no(verb, 'refused', {
        problems: count.optional(),
        refusal: z.strictObject({ id }).optional(),
      }),
    ],
    remark:
      "This is what coord hook git prints; a hook of a harness answers in that harness's own JSON.",
  };
}

export const places: Readonly<Record<string, VerbOutcomes>> = {
  'stage status': stageStatus,
  'stage refresh': stageRefresh,
  commit,
  diff,
  undo,
  'rescue list': (verb) => ({
    done: [
      done(verb, ['listed', 'nothing'], {
        saved: z.array(z.strictObject(saved)),
        workTrees: keptTrees.describe('that are gone'),
        total: count.optional(),
      }),
    ],
    refused: [],
  }),
  'rescue show': (verb) => ({
    done: [
      done(verb, 'shown', { ...saved, files: z.array(z.strictObject({ path: z.string(), oid })) }),
    ],
    refused: [],
  }),
  'rescue diff': (verb) => ({
    done: [done(verb, ['same', 'differs'], { ...saved, patch: z.string() })],
    refused: [],
  }),
  'rescue restore': rescueRestore,
  'rescue save': (verb) => ({ done: [done(verb, 'saved', { files: count })], refused: [] }),
  'remote set': (verb) => ({
    done: [done(verb, ['set', 'unchanged'], { ...place, carried })],
    refused: [refused(verb)],
  }),
  'remote off': remoteOff,
  'remote probe': remoteProbe,
  sync,
  install,
  uninstall,
  config,
  init,
  doctor,
  demo: (verb) => ({ done: [done(verb, 'shown', { lines: texts })], refused: [] }),
  completion: printed,
  shell: printed,
  statusline: (verb) => ({
    done: [done(verb, 'drawn', { line: z.string() })],
    refused: [],
    remark: 'Where there is no repository nothing is printed; --wrap puts its own lines before it.',
  }),
  simulate,
  replay,
  hook,
  mcp: () => ({
    done: [],
    refused: [],
    remark: 'It speaks the Model Context Protocol on standard output; only an error is an object.',
  }),
};
