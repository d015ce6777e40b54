/** A sample of the system calls that may fail in coord and its git. Needs: strace. */
import { sweepFaults } from './fault-sweep.ts';

sweepFaults(6);
