/** What is wrong with a step. */

export interface Fault {
  readonly kind: string;
  readonly what: string;
}

/** What became of lines that are in no file and in no commit any more. */
export interface LinesChecked {
  readonly faults: readonly Fault[];
  /** They are in what coord saved, and their authors have to be told. */
  readonly rescued: readonly string[];
  readonly wipedByPerson: readonly string[];
}
