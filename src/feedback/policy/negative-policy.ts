export type NegativePolicy = {
  mode: 'explicit_only' | 'explicit_then_skipped';
  maxNegatives: number;
  /** A skipped result that scores at least this part of the best positive is probably another right answer. */
  maxScoreRatio: number;
  nearDuplicateThreshold: number;
  /** Weaker judgments make neither positives nor negatives. */
  minStrength: number;
};

export const negativePolicy: NegativePolicy = {
  mode: 'explicit_then_skipped',
  maxNegatives: 5,
  maxScoreRatio: 0.95,
  nearDuplicateThreshold: 0.9,
  minStrength: 0.5,
};

/** A query that has taught a passage teaches it again only after so many days. */
export const dedupeWindowDays = 90;
