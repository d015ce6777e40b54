/** kill -9 at every system call that changes the repository. Needs: strace. */
import { longOr } from '../support/long.ts';
import { sweepKills } from './kill-points.ts';

sweepKills(longOr(Number.POSITIVE_INFINITY, 10));
