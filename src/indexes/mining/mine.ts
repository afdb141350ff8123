import {
  type DatasetVersion,
  type EmbeddingContent,
  pageVersion,
  type Split,
  type VersionExample,
  type VersionPosition,
} from '#datasets';
import { listDocumentsByHash, listDocumentTextsAt } from '../documents.store.ts';
import { type Embedder, type EmbeddingEngine, embedTexts } from '../embedding.ts';
import type { Searchable } from '../index-access.ts';
import { corpusOf, type SearchDeps } from '../index-corpus.ts';
import type { EmbeddingUsage } from '../paid-run.ts';
import { type DocumentIdentity, embeddingContent, hashOf, identityOf } from '../passages.ts';
import { chooseNegatives, type MiningRule, type NegativeCandidate } from './choose-negatives.ts';
import type { KnownAnswers, RelevanceIndex } from './known-answers.ts';

export type MiningRequest = MiningRule & {
  index: Searchable;
  embedder: Embedder;
  version: Pick<DatasetVersion, 'datasetId' | 'seq'>;
  split: Split | null;
  after: VersionPosition | null;
  /** Examples that are looked at. */
  limit: number;
  candidates: number;
  signal: AbortSignal;
};

type MinedNegative = NegativeCandidate & { text: string };

/** `full`: it has as many negatives as it may; `none_found`: nothing is left that is far enough from its positives. */
type MiningStatus = 'mined' | 'full' | 'none_found';

export type MinedExample = {
  example: VersionExample;
  status: MiningStatus;
  negatives: MinedNegative[];
  tooSimilar: number;
  /** The content with what was mined behind the negatives that it had. */
  content: EmbeddingContent;
};

export type MiningResult = {
  examples: MinedExample[];
  /** Where to go on; null: that was the last. */
  next: VersionPosition | null;
  spent: EmbeddingUsage;
};

export type MiningDeps = SearchDeps & { engine: EmbeddingEngine; answers: KnownAnswers };

const queriesAtOnce = 16;

/** Looks for hard negatives of the next examples of a version; writes nothing. */
export async function mine(deps: MiningDeps, request: MiningRequest): Promise<MiningResult> {
  const { version, split, after, limit } = request;
  // Large examples make a page shorter than its limit, so its length does not tell whether it is the last.
  const examples = await pageVersion(deps.sql, version, { split, after, limit });
  const last = examples.at(-1);
  const mined: MinedExample[] = [];
  const spent = { activeMs: 0, promptTokens: 0 };
  if (!last) return { examples: mined, next: null, spent };
  const further = await pageVersion(deps.sql, version, { split, after: last, limit: 1 });
  const queries = examples.map(({ content }) => embeddingContent(content).query);
  const answers = await deps.answers.of(version, queries);
  for (let at = 0; at < examples.length; at += queriesAtOnce)
    mined.push(
      ...(await mineBatch(deps, { ...request, examples: examples.slice(at, at + queriesAtOnce), answers, spent })),
    );
  return { examples: mined, next: further.length > 0 ? last : null, spent };
}

type Batch = MiningRequest & { examples: readonly VersionExample[]; answers: RelevanceIndex; spent: EmbeddingUsage };

async function mineBatch(deps: MiningDeps, batch: Batch): Promise<MinedExample[]> {
  const { index, embedder, examples, answers, signal, candidates: count } = batch;
  const contents = examples.map(({ content }) => embeddingContent(content));
  const request = { embedder, role: 'query', truncate: true, signal } as const;
  const queries = await embedTexts(deps.engine, { ...request, texts: contents.map(({ query }) => query) });
  batch.spent.activeMs += queries.activeMs;
  batch.spent.promptTokens += queries.promptTokens;
  const corpus = corpusOf(deps, index);
  const { positions, scores, perQuery } = await corpus.search(queries.vectors, count);
  const identities = await corpus.identify([...new Set(positions)]);
  const positives = await vectorsOfPositives(deps, index, contents);
  const chosen = contents.map((content, at) => {
    const candidates = [...positions.subarray(at * perQuery, (at + 1) * perQuery)].flatMap((position, behind) => {
      const identity = identities.get(position);
      const score = scores[at * perQuery + behind] ?? 0;
      return identity ? [{ ...identity, position, rank: behind + 1, score }] : [];
    });
    const query = queries.vectors[at] ?? new Float32Array(index.dimensions);
    const positiveScores = content.positives.flatMap(({ text }) => {
      const vector = positives.get(hashOf(text));
      return vector ? [dot(query, vector)] : [];
    });
    const present = content.negatives.map(identityOf);
    const isRight = (document: DocumentIdentity) => answers.isRight(content.query, document);
    return chooseNegatives({ candidates, isRight, positiveScores, present }, batch);
  });
  const texts = await textsAt(
    deps,
    index,
    chosen.flatMap(({ negatives }) => negatives.map(({ position }) => position)),
  );
  return examples.map((example, at) => {
    const content = contents[at] ?? embeddingContent(example.content);
    const { negatives: found = [], tooSimilar = 0 } = chosen[at] ?? {};
    const negatives = found.map((negative) => ({ ...negative, text: texts.get(negative.position) ?? '' }));
    return {
      example,
      status: statusOf(content, negatives, batch),
      negatives,
      tooSimilar,
      content: withNegatives(content, negatives),
    };
  });
}

function statusOf(
  { negatives: present }: EmbeddingContent,
  found: readonly MinedNegative[],
  rule: MiningRule,
): MiningStatus {
  if (found.length > 0) return 'mined';
  return present.length >= rule.maxNegatives ? 'full' : 'none_found';
}

function withNegatives(content: EmbeddingContent, found: readonly MinedNegative[]): EmbeddingContent {
  const mined = found.map(({ documentId, text }) => ({ document_id: documentId, text }));
  return { ...content, negatives: [...content.negatives, ...mined] };
}

/** By the hash of the text. All positives of the version are documents of the index. */
async function vectorsOfPositives(
  { sql, files }: MiningDeps,
  index: Searchable,
  contents: readonly EmbeddingContent[],
): Promise<Map<string, Float32Array>> {
  const hashes = contents.flatMap(({ positives }) => positives.map(({ text }) => hashOf(text)));
  const documents = await listDocumentsByHash(sql, index.id, [...new Set(hashes)]);
  const vectors = await files.read(
    index,
    documents.map(({ position }) => position),
  );
  return new Map(
    documents.flatMap(({ hash, position }) => {
      const vector = vectors.get(position);
      return vector ? [[hash, vector] as const] : [];
    }),
  );
}

async function textsAt(
  { sql }: MiningDeps,
  { id }: Searchable,
  positions: readonly number[],
): Promise<Map<number, string>> {
  const documents = await listDocumentTextsAt(sql, id, [...new Set(positions)]);
  return new Map(documents.map(({ position, text }) => [position, text]));
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
