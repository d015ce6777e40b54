/** One operation: what may be said of it, and what came of it. */
import type { Refusal } from '../core/refusal.ts';
import type { Found, Observation } from '../log/log-store.ts';

export type Outcome<R> =
  | { readonly kind: 'done'; readonly result: R; readonly at: Observation }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly at: Observation };

/** What an earlier sending granted may be gone by now: then its answer is no grant any more. */
export type Replayed<R> = { readonly kind: 'replayed'; readonly result: R } | Refusal;

export interface OperateOptions<R> {
  /** The caller's own nonce: a request that is sent again under it has one effect. */
  readonly nonce?: string | undefined;
  /** What to answer where an earlier sending of the same request took effect. */
  readonly replay?: (found: Found, at: Observation) => Replayed<R>;
  /** Its number is beyond this one: tokens of another log are not to come again. */
  readonly afterSeq?: number;
  /**
   * It may be done without the server, as advice to this clone alone, where its user has chosen
   * that.
   */
  readonly isAdvisable?: boolean;
}
