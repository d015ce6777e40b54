/** Repositories of the kinds that only a newer git makes. Needs: newer git. */
import { test } from 'vitest';
import { withNewerGit } from '../support/newer-git.ts';
import { type Kind, livesIn } from './repository-kinds.ts';

const env = withNewerGit();
const reftable = '--ref-format=reftable';
const kinds: readonly Kind[] = [
  { kind: 'reftable', init: [reftable], env },
  { kind: 'reftable with SHA-256', init: [reftable, '--object-format=sha256'], env },
  { kind: 'the newest git', init: [], env },
];

test.for(kinds)('in $kind a lease is granted, refused, shown, renewed and released', livesIn);
