/** In which order sessions beside each other do what they do. */

/** Comes to pass once. */
export class Moment {
  come: () => void = () => undefined;
  readonly passed = new Promise<void>((done) => {
    this.come = done;
  });
}

/** Moments by their names, made as somebody speaks of them. */
export class Order {
  readonly #moments = new Map<string, Moment>();

  #named(name: string): Moment {
    const moment = this.#moments.get(name) ?? new Moment();
    this.#moments.set(name, moment);
    return moment;
  }

  come(name: string): void {
    this.#named(name).come();
  }

  passed(name: string): Promise<void> {
    return this.#named(name).passed;
  }
}
