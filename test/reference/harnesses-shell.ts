/** hooks/harnesses: what the shims have to know of each harness, from its record. */
import type { Harness } from '../../src/adapter/harness.ts';
import { harnesses } from '../../src/adapter/harnesses.ts';
import { marks } from '../../src/agent/agent-programs.ts';

/** A reason that stands for another one, and that JSON leaves as it is. */
const reason = 'REASON';

/** The denial as it is written for a harness, with the second argument of the shell for its reason. */
function denial({ write }: Harness): string {
  const text = write({ kind: 'deny', reason }, 'before-edit', null);
  return `printf '%s\\n' ${text
    .split(reason)
    .map((part) => `'${part.replaceAll("'", "'\\''")}'`)
    .join('"$2"')}`;
}

/** By the variables of programs whose shells begin with a file of ours, or by the process above. */
function shellSession(): readonly string[] {
  return [
    '# The agent whose shell this is, as its files are called; empty where the program does not say.',
    'coord_shell_session() {',
    '  coord_session=',
    ...harnesses.flatMap(
      ({ name, shellKnows, sessionVariable: session, threadVariable: thread }) =>
        shellKnows !== 'file' || session === undefined || thread === undefined
          ? []
          : [
              `  [ -z "\${${session}-}" ] || coord_session=${name}+$${session}`,
              `  case \${${thread}-} in '' | "\${${session}-}") ;; *) coord_session=$coord_session+$${thread} ;; esac`,
            ],
    ),
    ...harnesses.flatMap(({ name, passesBashEnv, marks: [mark] }) =>
      passesBashEnv === undefined || mark === undefined
        ? []
        : [
            `  [ -n "$coord_session" ] || [ -z "\${${mark.variable}-}" ] || coord_session=${name}+$PPID`,
          ],
    ),
    '  case $coord_session in *[!A-Za-z0-9_+-]*) coord_session= ;; esac',
    '}',
    '',
  ];
}

function readFields(): readonly string[] {
  return [
    '# Which fields tell who reads what, and which that it is not all of the file.',
    'coord_reads() {',
    '  case $1 in',
    ...harnesses.flatMap(({ name, reads }) =>
      reads === undefined
        ? []
        : [
            `    ${name}) read_session=${reads.session} read_child=${reads.child ?? "''"} read_parent=${reads.parent ?? "''"} read_path=${reads.path} read_parts='${reads.parts.join(' ')}' ;;`,
          ],
    ),
    '    *) return 1 ;;',
    '  esac',
    '}',
    '',
  ];
}

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
    '# the session itself, of those that have a file, or all. Without such a field coord has to look.',
    'coord_harness() {',
    '  case $1 in',
    ...known,
    "    *) session_field='' shell_knows=nobody ;;",
    '  esac',
    '}',
    '',
    ...readFields(),
    '# What is printed to refuse an edit: the harness, and a reason without quotes and backslashes.',
    'coord_deny() {',
    '  case $1 in',
    ...harnesses.map((harness) => `    ${harness.name}) ${denial(harness)} ;;`),
    '    *) echo "coord: $2" >&2 ;;',
    '  esac',
    '}',
    '',
    ...shellSession(),
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
