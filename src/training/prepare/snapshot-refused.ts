/** An example that cannot be learnt, and why. */
export type Problem = { exampleId: string; reason: string };

/** Thrown where nothing is left to learn or to measure; then nothing is frozen. */
export class SnapshotRefused extends Error {
  override readonly name = 'SnapshotRefused';
  /** The first of them. */
  readonly problems: readonly Problem[];
  readonly total: number;

  constructor(message: string, problems: readonly Problem[] = [], total = problems.length) {
    super(message);
    this.problems = problems;
    this.total = total;
  }
}
