/**
 * A run of changed lines can often stand in several places: of `}` twice, either one may be the new
 * one. git pushes each run up as far as it goes, where it may join others, and then down again; and
 * where the other text has a change beside one of these places, back to that.
 */

/** One of two texts: each line as a number, and whether the other one lacks it. */
export interface Side {
  readonly ids: Int32Array;
  readonly changed: Uint8Array;
}

/** Neighbouring changed lines `[start, end)`; between two unchanged lines there is an empty one. */
class Group {
  readonly #side: Side;
  start = 0;
  end: number;

  constructor(side: Side) {
    this.#side = side;
    this.end = this.#ahead(0);
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  get size(): number {
    return this.end - this.start;
  }

  #ahead(from: number): number {
    let end = from;
    while (this.#side.changed[end] === 1) end++;
    return end;
  }

  #before(from: number): number {
    let start = from;
    while (start > 0 && this.#side.changed[start - 1] === 1) start--;
    return start;
  }

  next(): boolean {
    if (this.end >= this.#side.ids.length) return false;
    this.start = this.end + 1;
    this.end = this.#ahead(this.start);
    return true;
  }

  previous(): void {
    this.end = this.start - 1;
    this.start = this.#before(this.end);
  }

  /** One line up, and whatever it meets there is part of it. */
  slideUp(): boolean {
    const { ids, changed } = this.#side;
    if (this.start === 0 || ids[this.start - 1] !== ids[this.end - 1]) return false;
    changed[--this.start] = 1;
    changed[--this.end] = 0;
    this.start = this.#before(this.start);
    return true;
  }

  slideDown(): boolean {
    const { ids, changed } = this.#side;
    if (this.end >= ids.length || ids[this.start] !== ids[this.end]) return false;
    changed[this.start++] = 0;
    changed[this.end++] = 1;
    this.end = this.#ahead(this.end);
    return true;
  }
}

export function compact(side: Side, other: Side): void {
  const [group, beside] = [new Group(side), new Group(other)];
  do if (!group.isEmpty) settle(group, beside);
  while (group.next() && beside.next());
}

function settle(group: Group, beside: Group): void {
  let [size, highest, matching] = [0, 0, -1];
  do {
    size = group.size;
    while (group.slideUp()) beside.previous();
    highest = group.end;
    matching = beside.isEmpty ? -1 : group.end;
    while (group.slideDown()) {
      beside.next();
      if (!beside.isEmpty) matching = group.end;
    }
  } while (size !== group.size);
  if (group.end === highest || matching === -1) return;
  while (beside.isEmpty && group.slideUp()) beside.previous();
}
