/** docs/reference/shims.md: the files by which the hooks and coord speak, from their table. */
import { sharedFiles } from '../../src/shim/files.ts';
import { code, page, table } from './markdown.ts';

export function shimsPage(): string {
  const rows = Object.values(sharedFiles).map(
    ({ name, of, lines, was, writers, readers, says, counts }) => [
      code(`${of === 'repository' ? '.git' : '<gitdir>'}/coord/${name}`),
      says,
      `${Object.keys(lines).map(code).join(', ')}${was === undefined ? '' : `, or \`${was}\` in its place`}`,
      `${writers.join(', ')} → ${readers.join(', ')}`,
      counts,
    ],
  );
  return page('Files of the hooks', [
    'What coord and its hooks tell each other in small files, so that a hook answers most questions without starting Node. `.git` is the common git directory, `<gitdir>` that of a work tree. Each may be deleted at any time: then the hook starts coord, and coord looks itself. None of them ever grants anything.',
    table(['file', 'says', 'lines', 'written → read by', 'counts'], rows),
  ]);
}
