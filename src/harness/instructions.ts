/** What stands in the instructions of a project for agents: few lines, between two marks. */

const begin = '<!-- coord: begin -->';
const end = '<!-- coord: end -->';

const block = `${begin}
## Working beside other agents

Several agents and people work in this repository at once; coord keeps them apart.

- Your first edit of a file reserves it for you. An edit of what somebody else holds is refused: the refusal names the holder and the next command. Work on something else meanwhile, or wait with \`coord reserve --wait 2m <path>\`.
- \`coord status\` shows who holds what, \`coord check <path>\` whether a path is free, \`coord inbox\` what concerns you.
- Reserve what you are going to change by other means (scripts, formatters, generators) first: \`coord reserve <path>...\`.
- Commit with \`git add <your files>\` and \`git commit\`, or \`coord commit -m <message>\`. A refused commit says what to do.
- Leave \`git stash\`, \`git reset --hard\`, \`git clean\` and \`git checkout .\` alone: they take the work of others along. Name your own files instead.
- Take a bead (an issue) with \`coord claim <bead>\` or \`coord claim --next\`, name it in the commit (\`Bead: <id>\`), and end it with \`coord done <bead>\`; what you cannot do you give up with \`coord unclaim <bead> --failed --reason <why>\`.
- Run the whole test suite before you call something done, and leave no test out: \`coord verify -- <command>\` keeps the outcome as evidence, \`coord gate\` says what is missing.
- Somebody holds what you need for long: \`coord ask <lease> --reason <why>\`. You are asked: \`coord answer <request> accept|decline|defer\`.
- \`coord release <path>\` when you are done with a file for good; the rest is freed when your session ends.
${end}
`;

export function withInstructions(text: string | null): string {
  const rest = text === null ? '' : withoutInstructions(text);
  return rest === ''
    ? block
    : `${rest}${rest.endsWith('\n') ? '' : '\n'}${rest.endsWith('\n\n') ? '' : '\n'}${block}`;
}

export function withoutInstructions(text: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) return text;
  const before = text.slice(0, from).replace(/\n\n$/, '\n');
  return `${before}${text.slice(to + end.length).replace(/^\n/, '')}`;
}
