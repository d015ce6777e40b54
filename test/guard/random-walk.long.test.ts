/** A long random walk of four agents and a person in one checkout. */
import { longOr } from '../support/long.ts';
import { walks } from './random-walk.ts';

walks(longOr(2_500, 250));
