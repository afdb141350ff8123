import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { type DatasetVersion, type Split, streamVersion } from '#datasets';
import type { Sql } from '#db';
import { type DocumentIdentity, embeddingContent, identityOf } from '../passages.ts';
import type { Scanner } from '../vectors/scanner.ts';
import { type Corpus, type Evaluation, evaluate } from './evaluate.ts';

/** Unit vectors of texts, in their order. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export type EmbeddingEvaluation = {
  version: Pick<DatasetVersion, 'datasetId' | 'seq'>;
  split: Split;
  dimensions: number;
  /** Of documents and of queries, which may be different models: an adapter that was trained for queries only. */
  embed: { documents: EmbedTexts; queries: EmbedTexts };
  maxQueries?: number;
  signal?: AbortSignal;
};

export type EvaluateDeps = { sql: Sql; scanner: Scanner; folder: string };

const defaultMaxQueries = 2_000;
const textsAtOnce = 16;

/**
 * Measures how well a model finds the positives of a split among all documents of its version, without an index: the vectors
 * go into a file that is removed at the end. The ranks of the queries are for whoever compares two models.
 */
export async function evaluateEmbedding(deps: EvaluateDeps, options: EmbeddingEvaluation): Promise<Evaluation> {
  const { sql, scanner, folder } = deps;
  const { version, split, dimensions, embed, maxQueries = defaultMaxQueries, signal } = options;
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `evaluation-${randomBytes(8).toString('hex')}.part`);
  try {
    const identities = await writeDocuments({ sql, file }, options);
    const corpus: Corpus = {
      search: (queries, count) => scanner.search({ path: file, dimensions, rows: identities.length }, queries, count),
      identify: async (places) =>
        new Map(
          places.flatMap((place) => {
            const identity = identities[place];
            return identity ? [[place, identity] as const] : [];
          }),
        ),
    };
    const embedQueries: EmbedTexts = (texts) => {
      signal?.throwIfAborted();
      return embed.queries(texts);
    };
    const examplesOf = (part: Split) => streamVersion(sql, version, { split: part });
    return await evaluate({ examplesOf, split, corpus, embedQueries, maxQueries });
  } finally {
    await rm(file, { force: true });
  }
}

/** The vectors of the distinct documents of all splits, in a file; returns who stands where. */
async function writeDocuments(
  { sql, file }: { sql: Sql; file: string },
  { version, embed, signal }: EmbeddingEvaluation,
): Promise<DocumentIdentity[]> {
  const identities = new Map<string, DocumentIdentity>();
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const examples of streamVersion(sql, version)) {
      const texts: string[] = [];
      for (const passage of examples.flatMap(({ content }) => passagesOf(embeddingContent(content)))) {
        const identity = identityOf(passage);
        const known = identities.get(identity.hash);
        if (known) known.documentId ??= identity.documentId;
        else {
          identities.set(identity.hash, identity);
          texts.push(passage.text);
        }
      }
      for (let at = 0; at < texts.length; at += textsAtOnce) {
        signal?.throwIfAborted();
        for (const { buffer, byteOffset, byteLength } of await embed.documents(texts.slice(at, at + textsAtOnce)))
          await handle.write(Buffer.from(buffer, byteOffset, byteLength));
      }
    }
  } finally {
    await handle.close();
  }
  return [...identities.values()];
}

function passagesOf({ positives, negatives }: ReturnType<typeof embeddingContent>) {
  return [...positives, ...negatives];
}
