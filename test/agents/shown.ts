/** What the last whole run of the tests with real programs has shown. */

export interface Shown {
  readonly on: string;
  readonly programs: readonly {
    readonly name: string;
    readonly version: string;
    /** Tests of its own that passed. */
    readonly own: number;
  }[];
  /** By what is expected and the name of the program: `yes`, or why not. */
  readonly scenarios: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
