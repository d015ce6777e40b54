/** Files that tell what an index of a session, or the repository's own, is based on. */
import type { SharedFile, Side } from './shared-file.ts';

const oidOrNone = /^([0-9a-f]{40,64})?$/;
const both: readonly Side[] = ['coord', 'shim'];
const ofStage = { of: 'work tree', counts: 'until its session ends' } as const;
const noLines = {};

type IndexFile =
  | 'ownBase'
  | 'ownBehind'
  | 'base'
  | 'behind'
  | 'good'
  | 'goodBase'
  | 'sparse'
  | 'keptIndex'
  | 'keptSlot';

export const indexFiles: Readonly<Record<IndexFile, SharedFile>> = {
  ownBase: {
    name: 'index-base',
    of: 'work tree',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: both,
    says: "the commit that the repository's own index is based on",
    counts: 'while a session has a stage here',
  },
  ownBehind: {
    name: 'index-behind',
    of: 'work tree',
    lines: { paths: /^\[.*\]$/ },
    writers: ['coord'],
    readers: both,
    says: "which paths are staged in the repository's own index from an older commit, and from which",
    counts: 'while a session has a stage here',
  },
  base: {
    ...ofStage,
    name: 'stages/<agent>/base',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: both,
    says: "the commit that the agent's own index is based on",
  },
  behind: {
    ...ofStage,
    name: 'stages/<agent>/behind',
    lines: { paths: /^\[.*\]$/ },
    writers: ['coord'],
    readers: both,
    says: 'which paths are staged there from an older commit, and from which',
  },
  good: {
    ...ofStage,
    name: 'stages/<agent>/good',
    lines: noLines,
    writers: both,
    readers: ['coord'],
    says: 'a second name of the index as it last was whole',
  },
  goodBase: {
    ...ofStage,
    name: 'stages/<agent>/good-base',
    lines: { base: oidOrNone },
    was: 'pending',
    writers: both,
    readers: ['coord'],
    says: 'the commit that this one is based on',
  },
  sparse: {
    ...ofStage,
    name: 'stages/<agent>/sparse',
    lines: noLines,
    writers: ['shim'],
    readers: ['shim'],
    says: 'by its time: up to when the index follows the sparse checkout of the work tree',
  },
  keptIndex: {
    name: 'kept-index-<slot>',
    of: 'work tree',
    lines: noLines,
    writers: both,
    readers: both,
    says: "a second name of the repository's own index, as it is or as it was before that",
    counts: 'where its times prove it',
  },
  keptSlot: {
    name: 'kept-index',
    of: 'work tree',
    lines: { slot: /^[01]$/ },
    writers: both,
    readers: both,
    says: 'which of these two is the newer one',
    counts: 'until the index is written again',
  },
};
