import { type DatasetVersion, streamVersion, type VersionExample } from '#datasets';
import type { Database } from '#db';
import { deleteCollected, insertDocuments, type NewDocument } from '../documents.store.ts';
import { embeddingContent, identityOf } from '../passages.ts';
import { BuildFailure, BuildSuperseded } from './build-end.ts';

export type Collecting = {
  database: Database;
  lease: { id: string; lease: string };
  version: Pick<DatasetVersion, 'datasetId' | 'seq'>;
  maxDocuments: number;
  signal: AbortSignal;
};

const deletedAtOnce = 2_000;

/**
 * Writes down the distinct texts of a version's positives and negatives, in canonical order; gives how many. What an earlier
 * attempt has left half done is done anew.
 */
export async function collectDocuments({
  database,
  lease,
  version,
  maxDocuments,
  signal,
}: Collecting): Promise<number> {
  await removeHalfDone(database, lease, signal);
  const collector = new Collector();
  for await (const examples of streamVersion(database, version)) {
    signal.throwIfAborted();
    const documents = collector.take(examples);
    if (collector.count > maxDocuments)
      throw new BuildFailure(
        'too_many_documents',
        `The version has more than ${maxDocuments} different texts, which is the most for an index here.`,
      );
    if (documents.length > 0 && !(await database.transaction((tx) => insertDocuments(tx, lease, documents))))
      throw new BuildSuperseded();
  }
  return collector.count;
}

async function removeHalfDone(database: Database, lease: Collecting['lease'], signal: AbortSignal): Promise<void> {
  for (let isMore: boolean | null = true; isMore; ) {
    signal.throwIfAborted();
    isMore = await database.transaction((tx) => deleteCollected(tx, lease, deletedAtOnce));
    if (isMore === null) throw new BuildSuperseded();
  }
}

/** Knows which texts there are already; 100 bytes for each. */
class Collector {
  /** Hashes of texts, and whether the caller's name for the text is known. */
  readonly #known = new Map<string, boolean>();

  get count(): number {
    return this.#known.size;
  }

  /** What is new in these examples: texts, and names of texts that had none. */
  take(examples: readonly VersionExample[]): NewDocument[] {
    const fresh = new Map<string, NewDocument>();
    for (const { content } of examples) {
      const { positives, negatives } = embeddingContent(content);
      for (const passage of [...positives, ...negatives]) {
        const { hash, documentId } = identityOf(passage);
        const isNamed = this.#known.get(hash);
        if (isNamed === true || (isNamed === false && documentId === null)) continue;
        this.#known.set(hash, documentId !== null);
        // A text that is known keeps its position: this one is not used.
        const position = fresh.get(hash)?.position ?? this.#known.size - 1;
        fresh.set(hash, { position, hash, documentId, text: passage.text });
      }
    }
    return [...fresh.values()];
  }
}
