import { hash } from 'node:crypto';
import pLimit from 'p-limit';
import type { DatasetVersion, VersionExample } from '#datasets';
import { plainText, SeenHashes } from '#kernel';
import { type DocumentIdentity, embeddingContent, identityOf } from '../passages.ts';

type Version = Pick<DatasetVersion, 'datasetId' | 'seq'>;

/** What examples call right: queries with their positives, each known by its text and by its `document_id`. */
export type RelevanceIndex = { isRight: (query: string, document: DocumentIdentity) => boolean };

export type KnownAnswers = { of: (version: Version, queries: readonly string[]) => Promise<RelevanceIndex> };

export type KnownAnswersOptions = {
  examplesOf: (version: Version) => AsyncIterable<readonly VersionExample[]>;
  /** Of all versions that are remembered. */
  maxPairs?: number;
  /** So many versions are remembered at most. */
  maxVersions?: number;
};

/** At most 64 MiB of them. */
const defaultMaxPairs = 2_900_000;
/** The smallest takes a few KiB. */
const defaultMaxVersions = 1_000;
/** Versions that are read at a time. */
const readAtOnce = 2;
const idleMs = 600_000;

/** A version that was read; null: it says more than is remembered. */
type Read = Promise<Pairs | null>;

/**
 * What is right for a query stands in any example of a version, so it takes a pass over all of them: three seconds for
 * 100,000. Versions never change, so what a pass has found stays true. It is remembered for the pages of a mining that follow, used
 * last and as much of it as the limit allows, and found anew by whichever server gets the next request. Of a version with more than the
 * limit, each page looks for its own queries.
 */
export function createKnownAnswers(options: KnownAnswersOptions): KnownAnswers {
  const { examplesOf, maxPairs = defaultMaxPairs, maxVersions = defaultMaxVersions } = options;
  const limit = pLimit(readAtOnce);
  /** Used least lately first. */
  const cached = new Map<string, { read: Read; size: number }>();
  let timer: NodeJS.Timeout | undefined;

  function load(name: string, version: Version): Read {
    // The caller may leave: the next one finds what is read meanwhile.
    const entry = { read: limit(() => readPairs(examplesOf(version), { atMost: maxPairs })), size: 0 };
    entry.read.then(
      (pairs) => {
        entry.size = pairs?.size ?? 0;
        evict();
      },
      () => {
        if (cached.get(name) === entry) cached.delete(name);
      },
    );
    return use(name, entry);
  }

  function use(name: string, entry: { read: Read; size: number }): Read {
    cached.delete(name);
    cached.set(name, entry);
    clearTimeout(timer);
    timer = setTimeout(() => cached.clear(), idleMs).unref();
    return entry.read;
  }

  function evict(): void {
    let total = [...cached.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [name, { size }] of cached) {
      if (total <= maxPairs && cached.size <= maxVersions) return;
      cached.delete(name);
      total -= size;
    }
  }

  return {
    async of(version, queries) {
      const name = `${version.datasetId} ${version.seq}`;
      const known = cached.get(name);
      const pairs = await (known ? use(name, known) : load(name, version));
      return pairs ?? limit(() => readOwn(examplesOf(version), queries));
    },
  };
}

async function readOwn(examples: ReturnType<KnownAnswersOptions['examplesOf']>, queries: readonly string[]) {
  const pairs = await readPairs(examples, { of: new Set(queries.map(queryKey)), atMost: Number.POSITIVE_INFINITY });
  if (pairs === null) throw new Error('There is no end of pairs. This is a bug.');
  return pairs;
}

async function readPairs(
  examples: AsyncIterable<readonly VersionExample[]>,
  { of: requested, atMost }: { of?: ReadonlySet<string>; atMost: number },
): Promise<Pairs | null> {
  const pairs = new Pairs();
  for await (const part of examples) {
    for (const { content } of part) {
      const { query, positives } = embeddingContent(content);
      const key = queryKey(query);
      if (requested?.has(key) === false) continue;
      for (const positive of positives) pairs.add(key, identityOf(positive));
    }
    if (pairs.size > atMost) return null;
  }
  return pairs;
}

/** Queries that differ only in case, width or spacing are one: that more is left out of the negatives does no harm. */
function queryKey(query: string): string {
  return hash('sha256', plainText(query));
}

class Pairs implements RelevanceIndex {
  readonly #seen = new SeenHashes();
  size = 0;

  add(key: string, { hash: text, documentId }: DocumentIdentity): void {
    if (this.#seen.add(digestOf(key, 'text', text))) this.size++;
    if (documentId !== null && this.#seen.add(digestOf(key, 'id', documentId))) this.size++;
  }

  isRight(query: string, { hash: text, documentId }: DocumentIdentity): boolean {
    const key = queryKey(query);
    return (
      this.#seen.has(digestOf(key, 'text', text)) ||
      (documentId !== null && this.#seen.has(digestOf(key, 'id', documentId)))
    );
  }
}

function digestOf(key: string, what: 'text' | 'id', name: string): Buffer {
  return hash('sha256', `${key} ${what} ${name}`, 'buffer');
}
