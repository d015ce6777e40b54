/** A short random walk of four agents and a person in one checkout. */
import { walks } from './random-walk.ts';

walks(60);
