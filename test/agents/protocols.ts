/** The four protocols that programs speak with their models, as far as a scripted model needs them. */
import type { Conversation, Item, ToolCall, Turn } from './conversation.ts';

type Json = Readonly<Record<string, unknown>>;

export interface Protocol {
  /** Is this a request for the model to speak? */
  matches(path: string): boolean;
  read(body: Json): Conversation;
  /** Server-sent events, in order: with a name where the protocol has names. */
  write(turn: Turn, id: string): readonly SentEvent[];
}

export interface SentEvent {
  readonly event?: string;
  readonly data: Json | '[DONE]';
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** All texts below a value, in order. */
export function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  const { text, content, output, response } = value as Json;
  return [text, content, output, response]
    .map(textIn)
    .filter((part) => part !== '')
    .join('\n');
}

function toolNames(tools: unknown): readonly string[] {
  return listOf(tools).flatMap((tool) => {
    const inner = tool['functionDeclarations'] ?? tool['function_declarations'];
    if (inner !== undefined) return toolNames(inner);
    if (tool['type'] === 'namespace')
      return toolNames(tool['tools']).map((name) => `${String(tool['name'])}.${name}`);
    const name = tool['name'] ?? (tool['function'] as Json | undefined)?.['name'];
    return typeof name === 'string' ? [name] : [];
  });
}

function inputText({ input }: ToolCall): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

const usage = { input_tokens: 10, output_tokens: 10 };

/** Anthropic Messages. */
const messages: Protocol = {
  matches: (path) => path === '/v1/messages',
  read: (body) => ({
    tools: toolNames(body['tools']),
    items: [
      { by: 'system', text: textIn(body['system']) },
      ...listOf(body['messages']).flatMap(({ role, content }): readonly Item[] =>
        role === 'assistant'
          ? [{ by: 'model', text: textIn(content) }]
          : typeof content === 'string'
            ? [{ by: 'user', text: content }]
            : listOf(content).map((block) => ({
                by: block['type'] === 'tool_result' ? 'tool' : 'user',
                text: textIn(block),
              })),
      ),
    ],
  }),
  write: ({ text, calls }, id) => {
    const blocks: readonly (readonly [Json, Json])[] = [
      ...(text === ''
        ? []
        : [
            [
              { type: 'text', text: '' },
              { type: 'text_delta', text },
            ] as const,
          ]),
      ...calls.map(
        (call, i) =>
          [
            { type: 'tool_use', id: `toolu_${id}_${i}`, name: call.tool, input: {} },
            { type: 'input_json_delta', partial_json: inputText(call) },
          ] as const,
      ),
    ];
    const named = (data: Json): SentEvent => ({ event: String(data['type']), data });
    return [
      named({
        type: 'message_start',
        message: {
          id: `msg_${id}`,
          type: 'message',
          role: 'assistant',
          model: 'scripted',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      }),
      ...blocks.flatMap(([content_block, delta], index) => [
        named({ type: 'content_block_start', index, content_block }),
        named({ type: 'content_block_delta', index, delta }),
        named({ type: 'content_block_stop', index }),
      ]),
      named({
        type: 'message_delta',
        delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage,
      }),
      named({ type: 'message_stop' }),
    ];
  },
};

function responsesItem(item: Json): Item {
  const { type, role } = item;
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning')
    return { by: 'model', text: '' };
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return { by: 'tool', text: textIn(item['output']) };
  if (role === 'assistant') return { by: 'model', text: textIn(item['content']) };
  const by = role === 'user' ? 'user' : 'system';
  return { by, text: textIn(item['content']) };
}

/**
 * OpenAI Responses. A tool that takes text is a custom one there, one with a dot in its name belongs
 * to a namespace, and newer models are told of their tools in the conversation.
 */
const responses: Protocol = {
  matches: (path) => path.endsWith('/responses'),
  read: (body) => ({
    tools: [
      ...toolNames(body['tools']),
      ...listOf(body['input']).flatMap(({ tools }) => toolNames(tools)),
    ],
    items: [
      { by: 'system', text: textIn(body['instructions']) },
      ...(typeof body['input'] === 'string'
        ? [{ by: 'user', text: body['input'] } as const]
        : listOf(body['input']).map(responsesItem)),
    ],
  }),
  write: ({ text, calls }, id) => {
    const items: readonly Json[] = [
      ...(text === ''
        ? []
        : [
            {
              type: 'message',
              id: `msg_${id}`,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]),
      ...calls.map((call, i) => {
        const [name = '', namespace] = call.tool.split('.').reverse();
        const one = {
          id: `fc_${id}_${i}`,
          call_id: `call_${id}_${i}`,
          name,
          ...(namespace === undefined ? {} : { namespace }),
        };
        return typeof call.input === 'string'
          ? { type: 'custom_tool_call', ...one, input: call.input, status: 'completed' }
          : {
              type: 'function_call',
              ...one,
              arguments: JSON.stringify(call.input),
              status: 'completed',
            };
      }),
    ];
    const response = { id: `resp_${id}`, object: 'response', model: 'scripted' };
    const counted = { ...usage, total_tokens: 20 };
    const named = (data: Json): SentEvent => ({ event: String(data['type']), data });
    return [
      named({
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [] },
      }),
      ...items.flatMap((item, output_index) => [
        named({ type: 'response.output_item.added', output_index, item }),
        named({ type: 'response.output_item.done', output_index, item }),
      ]),
      named({
        type: 'response.completed',
        response: { ...response, status: 'completed', output: items, usage: counted },
      }),
    ];
  },
};

const chatRoles: Readonly<Record<string, Item['by']>> = {
  assistant: 'model',
  user: 'user',
  tool: 'tool',
};

/** OpenAI Chat Completions, which most other providers speak as well. */
const chat: Protocol = {
  matches: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    tools: toolNames(body['tools']),
    items: listOf(body['messages']).map(({ role, content }) => ({
      by: chatRoles[String(role)] ?? 'system',
      text: textIn(content),
    })),
  }),
  write: ({ text, calls }, id) => {
    const chunk = (delta: Json, finish_reason: string | null): SentEvent => ({
      data: {
        id: `chat_${id}`,
        object: 'chat.completion.chunk',
        created: 1,
        model: 'scripted',
        choices: [{ index: 0, delta, finish_reason }],
        ...(finish_reason === null
          ? {}
          : { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }),
      },
    });
    return [
      chunk({ role: 'assistant', content: text }, null),
      ...calls.map((call, index) =>
        chunk(
          {
            tool_calls: [
              {
                index,
                id: `call_${id}_${index}`,
                type: 'function',
                function: { name: call.tool, arguments: inputText(call) },
              },
            ],
          },
          null,
        ),
      ),
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      { data: '[DONE]' },
    ];
  },
};

/** Google's generateContent. */
const gemini: Protocol = {
  matches: (path) => /:(streamG|g)enerateContent$/.test(path),
  read: (body) => ({
    tools: toolNames(body['tools']),
    items: listOf(body['contents']).flatMap(({ role, parts }): readonly Item[] =>
      role === 'model'
        ? [{ by: 'model', text: textIn(parts) }]
        : listOf(parts).map((part) =>
            part['functionResponse'] === undefined
              ? { by: 'user', text: textIn(part) }
              : {
                  by: 'tool',
                  text: JSON.stringify((part['functionResponse'] as Json)['response']),
                },
          ),
    ),
  }),
  write: ({ text, calls }) => [
    {
      data: {
        candidates: [
          {
            index: 0,
            finishReason: 'STOP',
            content: {
              role: 'model',
              parts: [
                ...(text === '' ? [] : [{ text }]),
                ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } })),
              ],
            },
          },
        ],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
        modelVersion: 'scripted',
      },
    },
  ],
};

export const protocols: readonly Protocol[] = [messages, responses, chat, gemini];
