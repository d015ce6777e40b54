/** The git beside the system's, where COORD_TEST_NEWER_GIT names the folder that it is in. */
import { delimiter } from 'node:path';
import type { Environment } from './repository.ts';

export function newerGit(): string {
  const folder = process.env['COORD_TEST_NEWER_GIT'];
  if (folder === undefined) throw new Error('COORD_TEST_NEWER_GIT names no git');
  return folder;
}

/** For whoever shall find it first. */
export function withNewerGit(): Environment {
  return { PATH: `${newerGit()}${delimiter}${process.env['PATH'] ?? ''}` };
}
