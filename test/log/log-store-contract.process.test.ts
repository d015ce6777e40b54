/** The contract of log stores, kept by the one in git, in both formats of objects. */
import { gitKind } from './git-kind.ts';
import { keepsTheContract } from './log-store-contract.ts';

keepsTheContract([
  gitKind('git, sha1', ['--object-format=sha1']),
  gitKind('git, sha256', ['--object-format=sha256']),
]);
