/** Operations that no coord writes, and the words with which a guarded server refuses each. */
import type { Forgery } from '../support/forgery.ts';

/** Of the log that they are forged into: alice as git shows her, bob's lease, carl's place in line. */
export interface Known {
  readonly alice: string;
  readonly lease: string;
  readonly place: string;
  readonly carl: string;
}

type Refused = readonly [why: RegExp, forgery: Forgery];

export const events = (text: string, ...told: readonly string[]): string =>
  text
    .replace(/^Event: .*\n/gm, '')
    .replace(/^Seq: /m, `${told.map((event) => `Event: ${event}\n`).join('')}Seq: `);

export const own = (text: string): string =>
  text
    .split('\n')
    .filter((row) => !row.includes('"bob"'))
    .join('\n');

export const byAlice =
  (alice: string) =>
  (text: string): string =>
    text
      .replace(
        /^author .*? <.*?>/m,
        `author ${alice.replace('(', '<').replace(')', '@coord.invalid>')}`,
      )
      .replace(/^Agent: .*/m, `Agent: ${alice}`);

const eve = { id: 'eeeeeeee', name: 'eve' };
export const toldBy =
  ({ alice, lease }: Pick<Known, 'alice' | 'lease'>) =>
  (event: string): string =>
    JSON.stringify({ event, agent: { id: /\((.*)\)/.exec(alice)?.[1], name: 'alice' }, lease });

/** They are none, or not where or by whom they say. */
export function misshapen({ alice, lease }: Known): readonly Refused[] {
  const by = byAlice(alice);
  const told = toldBy({ alice, lease });
  return [
    [
      /not an operation of coord/,
      { commit: (text) => `${text.slice(0, text.indexOf('\n\n'))}\n\nhello\n` },
    ],
    [/it follows/, { commit: (text) => text.replace(/^Seq: .*/m, 'Seq: 99') }],
    [/its author is another/, { commit: (text) => text.replace(/^author \S+/m, 'author mallory') }],
    [
      /too far from/,
      {
        commit: (text) => events(text.replace(/^Seq: .*/m, 'Seq: 9007199254740991'), told('moved')),
      },
    ],
    [
      /token 900000000, which is yet to come/,
      {
        content: (text) => text.replace(/"token":\d+(.*\n)$/, '"token":900000000$1'),
        commit: (text) => events(by(text), told('moved')),
      },
    ],
    [/not one of coord's|is no|damaged/, { content: () => 'hello\n' }],
  ];
}

/** They end what is not over. */
export function endings({ alice, lease, place, carl }: Known): readonly Refused[] {
  const by = byAlice(alice);
  const told = toldBy({ alice, lease });
  return [
    [/gone without a word/, { content: own, commit: (text) => events(by(text)) }],
    [
      /alice .* changed src\/b\.ts of bob/,
      { content: own, commit: (text) => events(by(text), told('released')) },
    ],
    [
      /src\/b\.ts of bob .* is said to be over: it was renewed \d+s ago, for 15m/,
      { content: own, commit: (text) => events(by(text), told('expired')) },
    ],
    [
      /src\/b\.ts of bob .* is said to be over/,
      {
        content: own,
        commit: (text) =>
          events(by(text), JSON.stringify({ event: 'expired', agent: eve, leases: [lease] })),
      },
    ],
    [
      /alice .* changed src\/b\.ts of bob/,
      { content: own, commit: (text) => events(by(text), told('broken')) },
    ],
    [
      /src\/b\.ts of bob .* is broken too early: its holder was active \d+s ago, and has 5m/,
      {
        content: own,
        commit: (text) =>
          events(
            by(text),
            JSON.stringify({ event: 'broken', agent: eve, lease, reason: 'nobody is there' }),
          ),
      },
    ],
    [
      /the wait of carl .* is said to be over/,
      {
        file: 'waits',
        content: () => '',
        commit: (text) =>
          events(by(text), JSON.stringify({ event: 'wait-ended', agent: eve, lease: place })),
      },
    ],
    [
      /carl .* is said to be over|took carl .* off the record/,
      {
        file: 'agents',
        content: (text) =>
          text
            .split('\n')
            .filter((row) => !row.includes('"carl"'))
            .join('\n'),
        commit: (text) =>
          events(by(text), JSON.stringify({ event: 'ended', agent: { id: carl, name: 'carl' } })),
      },
    ],
  ];
}

/** They change what another has, or go over a limit. */
export function overreaching({ alice, lease }: Known): readonly Refused[] {
  const by = byAlice(alice);
  const told = toldBy({ alice, lease });
  return [
    [
      /alice .* changed src\/b\.ts of bob/,
      {
        content: (text) => text.replace(/("bob".*"ttl":)900/, '$15'),
        commit: (text) => events(by(text), told('repaired')),
      },
    ],
    [
      /a TTL of over 24 h/,
      {
        content: (text) => text.replace(/("alice".*"ttl":)900/, '$1900000000'),
        commit: (text) => events(by(text), told('renewed')),
      },
    ],
    [
      /breaks a limit: pattern .* has more than 64 alternatives/,
      {
        content: (text) =>
          text.replace(/("alice".*"patterns":)\["[^"]*"\]/, `$1["${'{a,b}'.repeat(7)}"]`),
        commit: (text) => events(by(text), told('renewed')),
      },
    ],
  ];
}
