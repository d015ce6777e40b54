/** Each rule of shared files, broken in a copy of the program: the scene that guards it fails. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ClaudeSession } from '../support/claude-sessions.ts';
import { coordProgram, run } from '../support/repository.ts';
import { addedIn, eachCommits, type SharedFile, sharedFile } from '../support/shared-file.ts';
import { type Edit, plant } from '../walk/planted.ts';

interface Rule {
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** Throws where the rule does not hold. */
  readonly scene: (shared: SharedFile) => void;
}

function bothEdit({ ann, ben }: SharedFile): void {
  expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
  expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
}

const rules: readonly Rule[] = [
  {
    rule: 'of the very index that git commits the lines of others are taken out',
    edits: [
      {
        file: 'dist/guard/commit-hooks.js',
        from: 'const indexes = [used, ...lockBeside(used, caller.stage)];',
        to: 'const indexes = [caller.stage.index];',
      },
    ],
    scene: (shared) => {
      bothEdit(shared);
      eachCommits(shared);
    },
  },
  {
    rule: 'there is no commit of nothing',
    edits: [
      {
        file: 'dist/guard/commit-hooks.js',
        from: 'if (staged.length === 0 && leftOut.length > 0)',
        to: 'if (false)',
      },
      {
        file: 'dist/guard/commit-hooks.js',
        from: 'if (staged.length === 0 && !mayBeEmpty(repository, caller, env))',
        to: 'if (false)',
      },
    ],
    scene: ({ repo, ann, ben }) => {
      expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
      ann.bash('git commit -qam nothing');
      expect(repo.git('log', '-1', '--format=%s')).toBe('shared\n');
    },
  },
  {
    rule: 'what a later hook stages again is judged again',
    edits: [{ file: 'dist/draft/own-part.js', inFunction: 'othersIn', does: 'return [];' }],
    scene: (shared) => {
      const { repo, ann } = shared;
      appendFileSync(join(repo.top, '.git/hooks/pre-commit'), 'git add shared\n');
      bothEdit(shared);
      ann.bash('git commit -qm own -- shared');
      ann.bash('git add shared; git commit -qm own');
      expect(repo.git('show', 'HEAD:shared')).not.toContain('of ben');
    },
  },
  {
    rule: 'an unchanged line stands between two agents',
    edits: [{ file: 'dist/core/lines/rule.js', inFunction: 'collisions', does: 'return [];' }],
    scene: ({ ann, ben }) => {
      expect(ann.edit('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
      expect(ben.edit('shared', 'line 4\n', 'line 4 of ben\n')).toContain('"deny"');
    },
  },
  {
    rule: "what an editor saves between two hooks is nobody's",
    edits: [
      {
        file: 'dist/core/lines/settle.js',
        from: 'heirOf(edit) ?? otherwise(',
        to: 'heirOf(edit) ?? intents[0]?.owner ?? otherwise(',
      },
    ],
    scene: ({ repo, ann, ben }) => {
      expect(ben.edit('shared', 'line 12\n', 'line 12 of ben\n')).toBe('');
      expect(ann.wants('shared', 'line 3\n', 'line 3 of ann\n')).toBe('');
      appendFileSync(ann.path('shared'), 'by hand\n');
      ann.lands('shared', 'line 3\n', 'line 3 of ann\n');
      expect(ann.bash('git commit -qam ann')).toMatchObject({ code: 0 });
      expect(addedIn(repo, 'HEAD')).toEqual(['line 3 of ann']);
    },
  },
  {
    rule: 'a record follows HEAD, whoever has moved it and died',
    edits: [
      {
        file: 'dist/draft/brought-up.js',
        inFunction: 'atHead',
        does: 'return { ...file, head: headOf(repository).oid };',
      },
    ],
    scene: (shared) => {
      bothEdit(shared);
      eachCommits(shared);
    },
  },
  {
    rule: 'no time says whose a change is',
    edits: [
      {
        file: 'dist/harness/attribute-lines.js',
        from: 'const isCertain = about.isCertain(path);',
        to: 'const isCertain = true;',
      },
    ],
    scene: ({ ann, ben }) => {
      const more = { tool_name: 'Bash', tool_input: { command: 'make shared' } };
      for (const session of [ann, ben])
        session.ask('before-shell', { ...more, tool_use_id: `call ${session.session}` });
      ben.lands('shared', 'line 12\n', 'line 12 of one of them\n');
      for (const session of [ann, ben])
        session.ask('after-shell', { ...more, tool_use_id: `call ${session.session}` });
      expect(ann.bash('git commit -qam ann').code).not.toBe(0);
    },
  },
  {
    rule: 'a file that is being written is no deletion',
    edits: [
      { file: 'dist/draft/brought-up.js', inFunction: 'cameBack', does: 'return null;' },
      { file: 'dist/draft/brought-up.js', inFunction: 'isYoung', does: 'return false;' },
    ],
    scene: (shared) => {
      const { ann } = shared;
      bothEdit(shared);
      const text = ann.read('shared');
      writeFileSync(ann.path('shared'), '');
      ann.shell('coord diff --all');
      writeFileSync(ann.path('shared'), text);
      eachCommits(shared);
    },
  },
];

function sceneWith(program: string): SharedFile {
  const { repo } = sharedFile();
  expect(run(repo.top, repo.env, ['install'], [], program).code).toBe(0);
  const hooks = join(dirname(program), '../hooks/agent-hook');
  const session = (name: string) => new ClaudeSession(repo, name, hooks);
  return { repo, ann: session('ann'), ben: session('ben') };
}

describe('a rule of shared files', () => {
  test.for(rules)('$rule', { timeout: 60_000 }, ({ scene }) => scene(sceneWith(coordProgram)));

  test.for(rules)('planted bug: without it the scene fails: $rule', { timeout: 60_000 }, (one) => {
    const { program, end } = plant(one.edits);
    try {
      expect(() => one.scene(sceneWith(program))).toThrow();
    } finally {
      end();
    }
  });
});
