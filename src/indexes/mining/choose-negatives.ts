import type { DocumentIdentity } from '../passages.ts';

export type MiningRule = {
  /** Of an example, together with those that it has. */
  maxNegatives: number;
  /** What scores above this part of the weakest positive is probably another right answer. */
  maxScoreRatio: number;
};

export type NegativeCandidate = DocumentIdentity & { position: number; rank: number; score: number };

export type ChosenNegatives = {
  negatives: NegativeCandidate[];
  /** Candidates left out because they score like a positive. */
  tooSimilar: number;
};

export type NegativeChoice = {
  /** Nearest first. */
  candidates: readonly NegativeCandidate[];
  isRight: (document: DocumentIdentity) => boolean;
  /** Cosines of the query and its positives. */
  positiveScores: readonly number[];
  present: readonly DocumentIdentity[];
};

/**
 * The nearest documents that are not right, less those that score like a positive (positive-aware filter, NV-Retriever). What
 * the example has as negatives stays and counts. One text per `document_id`: others of it would teach the same.
 */
export function chooseNegatives(
  { candidates, isRight, positiveScores, present }: NegativeChoice,
  rule: MiningRule,
): ChosenNegatives {
  const bound = partOf(Math.min(...positiveScores), rule.maxScoreRatio);
  const taken = new Set(present.flatMap(namesOf));
  const negatives: NegativeCandidate[] = [];
  let tooSimilar = 0;
  for (const candidate of candidates) {
    if (present.length + negatives.length >= rule.maxNegatives) break;
    if (isRight(candidate) || namesOf(candidate).some((name) => taken.has(name))) continue;
    if (candidate.score > bound) tooSimilar += 1;
    else {
      negatives.push(candidate);
      for (const name of namesOf(candidate)) taken.add(name);
    }
  }
  return { negatives, tooSimilar };
}

/** Of a score below zero what lies as far below it: what scores higher than a positive is never far from it. */
function partOf(score: number, ratio: number): number {
  return score < 0 ? (2 - ratio) * score : ratio * score;
}

function namesOf({ hash, documentId }: DocumentIdentity): string[] {
  return documentId === null ? [`text ${hash}`] : [`text ${hash}`, `id ${documentId}`];
}
