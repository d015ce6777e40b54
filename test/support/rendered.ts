/** The use cases with their outcomes as users see them: what `--json` prints, and what people read. */

import * as handOver from '../../src/loop/hand-over.ts';
import * as hold from '../../src/loop/hold.ts';
import * as sessions from '../../src/loop/session.ts';
import * as take from '../../src/loop/take.ts';
import type { World } from '../../src/loop/world.ts';
import { renderAnswered, renderAsked } from '../../src/render/hand-over.ts';
import {
  renderBroken,
  renderChecked,
  renderReleased,
  renderRenewed,
  renderSwept,
  renderTaken,
  renderTransferred,
} from '../../src/render/leases.ts';
import type { Report } from '../../src/render/report.ts';
import { renderEnded, renderSession, renderWhoami } from '../../src/render/session.ts';

type Rendered<F extends (world: World, ...args: never[]) => unknown> = (
  ...args: Parameters<F>
) => Promise<Report>;

function rendered<A extends readonly unknown[], R>(
  useCase: (...args: A) => Promise<R>,
  render: (outcome: R) => Report,
): (...args: A) => Promise<Report> {
  return async (...args) => render(await useCase(...args));
}

export const reserve: Rendered<typeof take.reserve> = rendered(take.reserve, renderTaken);
export const claim: Rendered<typeof take.claim> = rendered(take.claim, renderTaken);
export const lock: Rendered<typeof take.lock> = rendered(take.lock, renderTaken);
export const check: Rendered<typeof hold.check> = rendered(hold.check, renderChecked);
export const renew: Rendered<typeof hold.renew> = rendered(hold.renew, renderRenewed);
export const release: Rendered<typeof hold.release> = rendered(hold.release, renderReleased);
export const transfer: Rendered<typeof hold.transfer> = rendered(hold.transfer, renderTransferred);
export const sweep: Rendered<typeof hold.sweep> = rendered(hold.sweep, renderSwept);
export const ask: Rendered<typeof handOver.ask> = rendered(handOver.ask, renderAsked);
export const answer: Rendered<typeof handOver.answer> = rendered(handOver.answer, renderAnswered);
export const breakLease: Rendered<typeof handOver.breakLease> = rendered(
  handOver.breakLease,
  renderBroken,
);
export const startSession: Rendered<typeof sessions.startSession> = rendered(
  sessions.startSession,
  (outcome) => renderSession('started', outcome),
);
export const adoptSession: Rendered<typeof sessions.adoptSession> = rendered(
  sessions.adoptSession,
  (outcome) => renderSession('adopted', outcome),
);
export const endSession: Rendered<typeof sessions.endSession> = rendered(
  sessions.endSession,
  renderEnded,
);
export const whoami: Rendered<typeof sessions.whoami> = rendered(sessions.whoami, renderWhoami);
