/** Files by hand and with `add`, `rm`, `mv`; and leases. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Deed, Kind } from '../deed.ts';
import {
  deleting,
  freeFiles,
  git,
  kind,
  ownUnsaved,
  placeOf,
  shell,
  trackedIn,
  writing,
} from './material.ts';

const hands = (label: string): Pick<Deed, 'label' | 'argv'> => ({ label, argv: [] });

const leases: readonly Kind[] = [
  kind('reserve', 60, (now, actor) => {
    const free = freeFiles(now, actor).filter((path) => now.model.holder(path) === null);
    const path = now.happens(0.9)
      ? free.length === 0
        ? null
        : now.pick(free)
      : now.pick([...placeOf(now, actor).files.keys()]);
    if (path === null || path.startsWith('part')) return null;
    return {
      label: 'reserve',
      actor,
      argv: ['coord', 'reserve', '--', path],
      learn: (model) => model.leases.set(path, actor.name),
    };
  }),
  kind('release', 30, (now, actor) => {
    const held = [...now.model.leases]
      .filter(([, holder]) => holder === actor.name)
      .map(([path]) => path);
    const done = held.filter((path) => !now.model.unsavedBy(actor.place, path).has(actor.name));
    const of = done.length > 0 ? done : now.happens(0.2) ? held : [];
    if (of.length === 0) return null;
    const path = now.pick(of);
    return {
      label: 'release',
      actor,
      argv: ['coord', 'release', path],
      learn: (model) => model.leases.delete(path),
    };
  }),
];

const byHand: readonly Kind[] = [
  kind('edit', 90, (now, actor) => {
    const free = freeFiles(now, actor);
    const held = free.filter((path) => now.model.holder(path) === actor.name);
    const of = held.length > 0 && now.happens(0.85) ? held : free;
    if (of.length === 0) return null;
    return { ...hands('edit'), actor, ...writing(now, actor, now.pick(of)) };
  }),
  kind('edit and add', 70, (now, actor) => {
    const free = freeFiles(now, actor);
    const held = free.filter((path) => now.model.holder(path) === actor.name);
    const of = held.length > 0 && now.happens(0.7) ? held : free;
    if (of.length === 0) return null;
    const path = now.pick(of);
    return git('edit and add', actor, ['add', '--', path], writing(now, actor, path));
  }),
  kind('edit what another holds', 14, (now, actor) => {
    const { model } = now;
    const quiet = new Set(model.unsavedOfOthers(actor.place, actor.name));
    const there = [...placeOf(now, actor).files.keys()];
    const of = there.filter((path) => model.isHeldByOther(path, actor.name) && !quiet.has(path));
    if (of.length === 0) return null;
    const path = now.pick(of);
    return git('edit what another holds', actor, ['add', '--', path], writing(now, actor, path));
  }),
  kind('take out own lines', 14, (now, actor) => {
    const free = freeFiles(now, actor);
    const gone = free.length === 0 ? null : deleting(now, actor, now.pick(free));
    return gone === null ? null : { ...hands('take out own lines'), actor, ...gone };
  }),
  kind('create', 12, (now, actor) => {
    const path = `new/${actor.name}-${now.model.nextNumber()}`;
    return { ...hands('create'), actor, ...writing(now, actor, path) };
  }),
  kind('delete', 6, (now, actor) => {
    const own = freeFiles(now, actor).filter((path) => path.startsWith('new/'));
    if (own.length === 0) return null;
    const path = now.pick(own);
    const { lines = [] } = placeOf(now, actor).files.get(path) ?? {};
    return {
      ...hands('delete'),
      about: path,
      actor,
      deletes: lines.filter((line) => line.startsWith(`${actor.name} `)),
      byHand: () => rmSync(join(actor.cwd, path)),
    };
  }),
];

const byGit: readonly Kind[] = [
  kind('add', 30, (now, actor) => {
    const own = ownUnsaved(now, actor);
    return own.length === 0 ? null : git('add', actor, ['add', '-A', '--', now.pick(own)]);
  }),
  kind('add -A', 2, (_, actor) => git('add -A', actor, ['add', '-A', '--', '.', ':!part'])),
  kind('rm', 3, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) => path.startsWith('new/'));
    return of.length === 0 ? null : git('rm', actor, ['rm', '-q', '--', now.pick(of)]);
  }),
  kind('rm -f', 2, (now, actor) => {
    const of = [...placeOf(now, actor).files.keys()].filter((path) => path.startsWith('new/'));
    if (of.length === 0) return null;
    const path = now.pick(of);
    return git('rm -f', actor, ['rm', '-q', '-f', '--', path], { wipes: [path] });
  }),
  kind('rm --cached', 3, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) => path.startsWith('new/'));
    return of.length === 0
      ? null
      : git('rm --cached', actor, ['rm', '-q', '--cached', '--', now.pick(of)]);
  }),
  kind('mv', 3, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) => path.startsWith('new/'));
    return of.length === 0
      ? null
      : git('mv', actor, ['mv', '--', now.pick(of), `new/${actor.name}-${now.model.nextNumber()}`]);
  }),
  kind('mv case', 3, (now, actor) => {
    const of = freeFiles(now, actor).filter((path) => /^case$/i.test(path));
    const path = of[0];
    return path === undefined
      ? null
      : git('mv case', actor, ['mv', '--', path, path === 'Case' ? 'case' : 'Case']);
  }),
  kind('folder to file', 3, (now, actor) => {
    const free = freeFiles(now, actor);
    if (!free.includes('deep/down/z') || !trackedIn(now, actor).includes('deep/down/z')) {
      return null;
    }
    const { byHand: write, writes = [] } = writing(now, actor, 'deep/down');
    return write === undefined
      ? null
      : shell(
          'folder to file',
          actor,
          `git rm -rq deep/down && mkdir -p deep && echo "${writes[0] ?? ''}" >deep/down
        test -f deep/down && git add deep/down`,
          { writes, stages: ['deep/down', 'deep/down/z'] },
        );
  }),
  kind('file to folder', 3, (now, actor) => {
    if (!freeFiles(now, actor).includes('deep/down')) return null;
    const { writes = [] } = writing(now, actor, 'deep/down/z');
    return shell(
      'file to folder',
      actor,
      `git rm -q deep/down && mkdir -p deep/down && echo "${writes[0] ?? ''}" >deep/down/z
      test -d deep/down && git add deep/down`,
      { writes, stages: ['deep/down', 'deep/down/z'] },
    );
  }),
];

export const fileSteps: readonly Kind[] = [...leases, ...byHand, ...byGit];
