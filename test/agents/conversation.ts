/**
 * What a program and its model say to each other, whatever protocol carries it. The model here is a
 * script: `SCRIPT:<name>` in what the user says picks it, and how often the model has spoken since is
 * the step that comes next.
 */

/** A call of one of the program's own tools. */
export interface ToolCall {
  readonly tool: string;
  /** An object, or text for tools that take text. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** What the model says next: it calls tools, or it is done. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** One item of a conversation, as the protocol has it. */
export interface Item {
  readonly by: 'model' | 'user' | 'tool' | 'system';
  readonly text: string;
}

export interface Conversation {
  readonly items: readonly Item[];
  /** Names of the tools that the program offers: none where it only wants a title or a summary. */
  readonly tools: readonly string[];
}

export const nothingToSay: Turn = { text: 'Done.', calls: [] };

/** The script that is meant last, and how often the model has spoken since. */
export function placeIn({ items }: Conversation): {
  readonly script: string;
  readonly step: number;
} {
  let script = '';
  let step = 0;
  let spoke = false;
  for (const { by, text } of items) {
    if (by === 'model') {
      if (!spoke) step += 1;
      spoke = true;
      continue;
    }
    spoke = false;
    const named = by === 'user' ? /SCRIPT:([a-z0-9-]+)/g : null;
    const [, last] = named === null ? [] : ([...text.matchAll(named)].at(-1) ?? []);
    if (last === undefined) continue;
    if (last !== script) step = 0;
    script = last;
  }
  return { script, step };
}
