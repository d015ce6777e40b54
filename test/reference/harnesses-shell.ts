/** hooks/harnesses: what the shims have to know of each harness, from its record. */
import { harnesses } from '../../src/adapter/harnesses.ts';
import { marks } from '../../src/agent/agent-programs.ts';

export function harnessesShell(): string {
  const known = harnesses.flatMap(({ name, sessionField, shellKnows }) =>
    sessionField === undefined
      ? []
      : [`    ${name}) session_field=${sessionField} shell_knows=${shellKnows} ;;`],
  );
  const variables = new Set([
    'COORD_AGENT',
    'COORD_STAGE',
    ...harnesses.flatMap(({ sessionVariable }) => sessionVariable ?? []),
    ...marks.map(({ variable }) => variable),
  ]);
  return [
    "# What is known of each harness, read into a shim's own shell. Written by `npm run reference` from",
    '# src/adapter and src/agent/agent-programs.ts; a change belongs there.',
    '',
    '# Which field of its payload names the session, and whose shells know who they are: of nobody, of',
    '# the session itself, or all. Without such a field coord has to look.',
    'coord_harness() {',
    '  case $1 in',
    ...known,
    "    *) session_field='' shell_knows=nobody ;;",
    '  esac',
    '}',
    '',
    '# Set wherever an agent may be at work: all that sets none is a person.',
    'coord_find_agents() {',
    '  coord_agents=',
    '  for coord_value in \\',
    ...[...variables].map(
      (name, i) => `    "\${${name}-}"${i === variables.size - 1 ? '; do' : ' \\'}`,
    ),
    "    case $coord_value in '' | 0 | false) ;; *) coord_agents=1 ;; esac",
    '  done',
    '}',
    '',
  ].join('\n');
}
