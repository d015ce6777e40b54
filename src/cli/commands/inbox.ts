import { nameOf } from '../../core/agent.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { exits } from '../../core/exits.ts';
import { formatTime } from '../../core/instant.ts';
import { decisionContext } from '../../loop/operate.ts';
import { ago } from '../../render/lines.ts';
import { unread } from '../../show/inbox.ts';
import { isOn, type Verb } from '../verb.ts';

export const inbox: Verb = {
  words: ['inbox'],
  group: 'between',
  about: 'what others did that concerns you: told once, here or at your next hook',
  flags: [{ name: 'all', about: 'what was told before too, as far as the log goes back' }],
  examples: [
    ['coord inbox', 'what is new'],
    ['coord inbox --all --json', 'everything, for a program'],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    const me = agentNamed(at.state, world.caller().name);
    const messages =
      me === null ? [] : await unread(world, at, nameOf(me), isOn(call, 'all') ? 0 : null);
    const c = decisionContext(world, at);
    return {
      ok: true,
      exit: exits.done,
      result: messages.length === 0 ? 'nothing' : 'told',
      facts: {
        messages: messages.map((message) => ({
          seq: message.seq,
          at: formatTime(message.at),
          text: message.text,
        })),
      },
      says:
        messages.length === 0
          ? ['nothing new']
          : messages.map((message) => `${ago(message.at, c)}  ${message.text}`),
    };
  },
};
