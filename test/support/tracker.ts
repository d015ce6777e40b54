/** Beads for tests: the file that bd exports, or a bd that answers as it is documented to. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment, TestRepository } from './repository.ts';

export interface Issue {
  readonly id: string;
  readonly title?: string;
  readonly status?: string;
  readonly priority?: number;
  readonly labels?: readonly string[];
  readonly assignee?: string;
  readonly created_at?: string;
  readonly dependencies?: readonly { readonly depends_on_id: string; readonly type?: string }[];
}

export const waitsFor = (...ids: readonly string[]): Pick<Issue, 'dependencies'> => ({
  dependencies: ids.map((id) => ({ depends_on_id: id, type: 'blocks' })),
});

export function withFile(repo: TestRepository, issues: readonly Issue[]): void {
  repo.write(
    '.beads/issues.jsonl',
    issues
      .map(
        (issue) => `${JSON.stringify({ status: 'open', title: `about ${issue.id}`, ...issue })}\n`,
      )
      .join(''),
  );
}

export interface FakeBd {
  readonly env: Environment;
  issue(id: string): Issue;
}

/** A `bd` of its own first on the PATH of whoever gets this environment. */
export function withBd(repo: TestRepository, issues: readonly Issue[]): FakeBd {
  const bin = join(repo.top, '.git', 'bin');
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(repo.top, '.beads'), { recursive: true });
  writeFileSync(
    join(bin, 'bd'),
    `#!/bin/sh\nexec '${process.execPath}' '${resolve(import.meta.dirname, '../../fixtures/bd.mjs')}' "$@"\n`,
  );
  chmodSync(join(bin, 'bd'), 0o755);
  const file = join(repo.top, '.beads/fake.json');
  writeFileSync(
    file,
    JSON.stringify(
      issues.map((issue) => ({
        status: 'open',
        title: `about ${issue.id}`,
        priority: 2,
        ...issue,
      })),
    ),
  );
  return {
    env: { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` },
    issue: (id) => {
      const found = (JSON.parse(readFileSync(file, 'utf8')) as Issue[]).find(
        (issue) => issue.id === id,
      );
      if (found === undefined) throw new Error(`no issue ${id}`);
      return found;
    },
  };
}
