/** Is a commit finished work? Yes, or all that is missing. */
import { exits } from '../core/exits.ts';
import { afterGate } from '../core/next.ts';
import { shellLine } from '../core/shell-line.ts';
import { type Judged, missingWords } from '../work/gate.ts';
import type { Report } from './report.ts';

export function renderGate({ verdict, recorded, meant, asked }: Judged): Report {
  const { commit, bead, required, missing } = verdict;
  const passed = missing.length === 0;
  const [command] = missing.flatMap(({ what, command: one }) =>
    what === 'evidence' && one !== undefined ? [one] : [],
  );
  const next = afterGate({ commit, bead, meant, command }, asked);
  const none =
    required.length === 0
      ? ['note: no command is required: {"gate": {"require": ["npm test"]}} in .coord.json']
      : [];
  return {
    ok: passed,
    exit: passed ? exits.done : exits.refused,
    result: passed ? 'passed' : 'refused',
    ...(passed ? {} : { refusal: 'gate', next }),
    facts: {
      commit,
      bead,
      required: required.map((one) => shellLine(...one)),
      missing: missing.map(({ command: one, ...rest }) => ({
        ...rest,
        ...(one === undefined ? {} : { command: shellLine(...one) }),
      })),
      recorded,
      ...(passed ? {} : { refusal: { kind: 'gate' }, next }),
    },
    says: passed
      ? [
          `passed ${commit.slice(0, 12)}${bead === null ? '' : ` for bead ${bead}`}: ${required.length} of ${required.length} required commands`,
        ]
      : [],
    notes: passed
      ? none
      : [
          `refused: ${commit.slice(0, 12)} is not finished work`,
          ...missing.map((one) => `  ${missingWords(one)}`),
          `  next: ${next}`,
        ],
  };
}
