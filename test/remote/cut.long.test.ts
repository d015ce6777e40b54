/** The line is cut after every byte of a push. Needs: nginx, fcgiwrap, sshd. */
import { longOr } from '../support/long.ts';
import { sweepCuts } from './cut-sweep.ts';

sweepCuts(longOr(Number.POSITIVE_INFINITY, 3), 6 * 3_600_000);
