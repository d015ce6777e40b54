/**
 * Simulated time: what is due next is done next, and of two things due at one moment the one that
 * was planned first.
 */

interface Item {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

function isBefore(a: Item, b: Item): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

export class Agenda {
  /** A binary heap: each item is due no later than the two that hang below it. */
  readonly #heap: Item[] = [];
  #planned = 0;
  nowMs = 0;

  after(ms: number, act: () => void): void {
    const item: Item = { atMs: this.nowMs + ms, order: (this.#planned += 1), act };
    let at = this.#heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#heap[above] as Item;
      if (!isBefore(item, parent)) break;
      this.#heap[at] = parent;
      at = above;
    }
    this.#heap[at] = item;
  }

  /** Whatever is planned for later is never done. */
  runUntil(endMs: number): void {
    for (
      let first = this.#heap[0];
      first !== undefined && first.atMs <= endMs;
      first = this.#heap[0]
    ) {
      this.#dropFirst();
      this.nowMs = first.atMs;
      first.act();
    }
    this.nowMs = endMs;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Item, heap[below] as Item))
        below += 1;
      if (!isBefore(heap[below] as Item, last)) break;
      heap[at] = heap[below] as Item;
      at = below;
    }
    heap[at] = last;
  }
}
