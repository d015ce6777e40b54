/**
 * The contract of log stores, kept by the one in git where its refs are a reftable. Needs: newer
 * git.
 */
import { withNewerGit } from '../support/newer-git.ts';
import { gitKind } from './git-kind.ts';
import { keepsTheContract } from './log-store-contract.ts';

const env = withNewerGit();
const reftable = '--ref-format=reftable';

keepsTheContract([
  gitKind('git, reftable', [reftable], env),
  gitKind('git, reftable and sha256', [reftable, '--object-format=sha256'], env),
]);
