/** What the verbs print that are about uncommitted changes, by whose they are. */
import { z } from 'zod';
import { done, no, type Outcomes } from './outcome.ts';
import { agentName, count, next, range, refusal, texts } from './shapes.ts';

export function diff(verb: string): Outcomes {
  const file = z.strictObject({
    path: z.string(),
    agent: agentName.nullable().describe('null for nobody that is known'),
    ranges: z
      .array(range)
      .describe('of the file as it is; where only something is gone, the line before'),
    added: count.nullable().describe('null for what has no lines'),
    removed: count.nullable(),
  });
  const facts = {
    files: z.array(file),
    published: texts.optional().describe('with --publish: the refs'),
  };
  return { done: [done(verb, ['differs', 'nothing'], facts)], refused: [] };
}

export function undo(verb: string): Outcomes {
  const result = z.enum(['undone', 'same', 'moved', 'new', 'not-kept', 'of-others', 'unknown']);
  const agents = z.array(agentName).describe('whose changes of it stay');
  const files = z.array(z.strictObject({ path: z.string(), result, agents }));
  const staged = texts.optional().describe('what is undone and still staged');
  return {
    done: [done(verb, ['undone', 'nothing'], { files, staged })],
    refused: [
      no(verb, 'refused', { refusal, files: files.optional(), staged, next: next.optional() }),
    ],
  };
}
