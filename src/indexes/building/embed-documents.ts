import type { Database } from '#db';
import type { EmbedInBackground } from '../background.ts';
import { type DocumentText, listTexts } from '../documents.store.ts';
import type { Embedder } from '../embedding.ts';
import { type Build, saveBatch } from './build.store.ts';
import { BuildSuperseded } from './build-end.ts';

export type BuildDeps = { database: Database; embed: EmbedInBackground };

/** Texts of one batch: what is lost when the process dies, and what a call of somebody waits for at most, in turns. */
const batch = { texts: 16, chars: 32_000 };
/** Read from the database at a time. */
const pageTexts = 512;

/** Embeds the documents that have no vector yet, in order; what is done is stored batch by batch, with what it took. */
export async function embedDocuments(
  deps: BuildDeps,
  { build, embedder, documents, signal }: { build: Build; embedder: Embedder; documents: number; signal: AbortSignal },
): Promise<void> {
  let next = build.embedded;
  while (next < documents) {
    const page = await listTexts(deps.database, { id: build.id, fromPosition: next, limit: pageTexts });
    if (page.length === 0) throw new Error(`The documents of ${build.id} end at position ${next}. This is a bug.`);
    for (const texts of batchesOf(page)) {
      await embedBatch(deps, { build, embedder, texts, signal });
      next += texts.length;
    }
  }
}

async function embedBatch(
  { database, embed }: BuildDeps,
  { build, embedder, texts, signal }: { build: Build; embedder: Embedder; texts: DocumentText[]; signal: AbortSignal },
): Promise<void> {
  const request = { embedder, role: 'document', texts: texts.map(({ text }) => text), truncate: true, signal } as const;
  const { vectors, ...spent } = await embed(request);
  const bytes = Buffer.concat(
    vectors.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  );
  const done = { firstPosition: texts[0]?.position ?? 0, count: texts.length, vectors: bytes, ...spent };
  if (!(await saveBatch(database, build, done))) throw new BuildSuperseded();
}

function* batchesOf(page: readonly DocumentText[]): Generator<DocumentText[]> {
  let texts: DocumentText[] = [];
  let chars = 0;
  for (const item of page) {
    if (texts.length > 0 && (texts.length >= batch.texts || chars + item.text.length > batch.chars)) {
      yield texts;
      texts = [];
      chars = 0;
    }
    texts.push(item);
    chars += item.text.length;
  }
  if (texts.length > 0) yield texts;
}
