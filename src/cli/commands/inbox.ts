import { inboxReport } from '../../show/inbox.ts';
import { isOn, type Verb } from '../verb.ts';

export const inbox: Verb = {
  words: ['inbox'],
  group: 'between',
  about: 'show what others did that concerns you',
  more: 'It is told once, here or at your next hook.',
  flags: [{ name: 'all', about: 'what was told before too, as far as the log goes back' }],
  examples: [
    ['coord inbox', 'what is new'],
    ['coord inbox --all --json', 'everything, for a program'],
  ],
  run: (call) => inboxReport(call.world(), isOn(call, 'all')),
};
