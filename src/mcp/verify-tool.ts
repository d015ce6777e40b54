/**
 * The tool that runs a command for the record. The command has no part of the connection: it reads
 * nothing, its output comes with the answer, and it ends with the call that asked for it.
 */
import { z } from 'zod';
import { parseLockName } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { renderRun } from '../render/run.ts';
import type { RunOutcome } from '../work/run-locked.ts';
import { verify } from '../work/verify.ts';
import { wishOf } from './lease-tools.ts';
import { seconds, type Tool, tool } from './tool.ts';

/** The end of what a command says, where it tells what went wrong. */
class Output {
  #kept: Buffer = Buffer.alloc(0);
  #left = 0;

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk]);
    const over = Math.max(0, all.length - limits.textBytes);
    this.#kept = all.subarray(over);
    this.#left += over;
  }

  /** From the beginning of a line, where something before it was left out. */
  facts(): { readonly output: string; readonly outputLeftOut?: number } {
    if (this.#left === 0) return { output: this.#kept.toString('utf8') };
    const start = this.#kept.indexOf(0x0a) + 1;
    return {
      output: this.#kept.subarray(start).toString('utf8'),
      outputLeftOut: this.#left + start,
    };
  }

  lastLine(): string {
    const text = this.#kept.subarray(-limits.toldAlongChars).toString('utf8').trimEnd();
    return text.slice(text.lastIndexOf('\n') + 1);
  }
}

function nextAfter(outcome: RunOutcome): string | null {
  if (outcome.kind !== 'ran' || outcome.exit === 0) return null;
  const { endedBy, lost, recorded } = outcome;
  if (endedBy === 'time') return 'verify with a longer timeoutSeconds';
  if (lost) return 'verify again';
  if (recorded?.kind === 'changed')
    return 'verify again, or with own: true, in a folder of its own';
  return 'mend what failed, then verify again';
}

export const verifyTool: Tool = tool({
  name: 'verify',
  title: 'Run a command for the record',
  description:
    'Run a command such as the tests, one agent at a time, and record how it ends as evidence for exactly this content. What has passed on it is not run again.',
  input: {
    command: z.array(z.string()).min(1).describe('program and arguments; no shell'),
    own: z.boolean().optional().describe('on HEAD and your changes alone, in a folder of its own'),
    at: z.string().optional().describe('a commit, in a folder of its own'),
    links: z.array(z.string()).optional().describe('with own or at: ignored folders it needs'),
    force: z.boolean().optional().describe('run it again'),
    waitSeconds: seconds(600, 0, 3_600),
    timeoutSeconds: seconds(600, 1, 3_600),
  },
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  run: async (args, call) => {
    const output = new Output();
    const outcome = await verify({
      world: call.world,
      commonDir: call.world.repository.commonDir,
      name: parseLockName('test'),
      command: args.command,
      cwd: call.cwd,
      env: call.env,
      json: true,
      wish: {
        ...wishOf(call, { waitSeconds: args.waitSeconds }),
        retry: ['verify', '--wait', '2m', '--', ...args.command],
      },
      keep: false,
      apart: {
        maxMs: args.timeoutSeconds * 1_000,
        heard: (chunk) => {
          output.add(chunk);
          call.tell(output.lastLine());
        },
      },
      tell: call.tell,
      interruption: () => call.signal,
      force: args.force === true,
      at: args.at,
      own: args.own === true,
      links: args.links ?? [],
    });
    const report = renderRun(outcome);
    if (outcome.kind !== 'ran') return report;
    const timedOut = outcome.endedBy === 'time' ? { timedOut: true } : {};
    const next = nextAfter(outcome);
    return {
      ...report,
      facts: { ...report.facts, ...timedOut, ...output.facts() },
      ...(next === null ? {} : { next }),
    };
  },
});
