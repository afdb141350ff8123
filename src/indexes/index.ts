export type { DatasetIndex, IndexState } from './dataset-index.ts';
export type { EvaluatedQuery, Evaluation } from './evaluation/evaluate.ts';
export type { EmbeddingEvaluation, EmbedTexts } from './evaluation/evaluate-embedding.ts';
export { type Metrics, meanOf, type QueryScores } from './evaluation/metrics.ts';
export { createIndexes, type Indexes, type IndexesOptions, type IndexMining } from './indexes-room.ts';
export { type Candidate, type Chosen, chooseNegatives, type MiningRule } from './mining/choose-negatives.ts';
export type { Mined, MinedExample } from './mining/mine.ts';
export { scan } from './vectors/scan.ts';
