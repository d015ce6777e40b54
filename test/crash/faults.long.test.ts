/**
 * Every system call that may fail in coord and its git, with every error it knows. Needs: strace.
 */
import { longOr } from '../support/long.ts';
import { sweepFaults } from './fault-sweep.ts';

sweepFaults(longOr(Number.POSITIVE_INFINITY, 12));
