/**
 * A commit without a shell that could make it: of files as they are, from the index of the caller's
 * session. The hooks of the repository run, as the user who started the server.
 */
import { resolve } from 'node:path';
import { z } from 'zod';
import type { RealWorld } from '../agent/world.ts';
import { openStage } from '../draft/stage.ts';
import { commitInLine } from '../guard/queued-commit.ts';
import { whoami } from '../loop/session.ts';
import { renderCommitted } from '../render/commit.ts';
import { type Tool, tool } from './tool.ts';

/** A person works with the repository's own index. */
async function environmentOf(world: RealWorld): Promise<NodeJS.ProcessEnv> {
  const { kind, name } = world.caller();
  if (kind !== 'agent') return {};
  const me = await whoami(world);
  const stage = me.kind === 'done' ? openStage(world.repository, me.result).index : null;
  return { COORD_AGENT: name, ...(stage === null ? {} : { COORD_STAGE: stage }) };
}

export const commitTool: Tool = tool({
  name: 'commit',
  title: 'Commit files',
  description:
    "Stage these files as they are, deletions too, and commit them with what you have staged, where your shell cannot. Runs the repository's hooks.",
  input: {
    message: z.string().min(1),
    paths: z.array(z.string()).default([]).describe('files or folders'),
  },
  hints: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
  run: async ({ message, paths }, { world, cwd, env }) =>
    renderCommitted(
      world,
      await commitInLine(world, {
        message,
        takes: paths.map((path) => resolve(cwd, path)),
        env: { ...env, ...(await environmentOf(world)) },
      }),
    ),
});
