import { createHash } from 'node:crypto';
import type { EmbeddingContent, ExampleContent, Passage } from '#datasets';

/** What tells documents apart: the text. Passages of one `document_id` with other texts are other documents. */
export type DocumentIdentity = { hash: string; documentId: string | null };

export function identityOf({ text, document_id: documentId }: Passage): DocumentIdentity {
  return { hash: hashOf(text), documentId };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Datasets of embedding projects hold nothing else. */
export function embeddingContent(content: ExampleContent): EmbeddingContent {
  if ('query' in content) return content;
  throw new Error('A text example is in an embedding dataset. This is a bug.');
}

/** What a query should find: by text, and by the caller's own names where there are any. */
export type RelevantDocuments = {
  keyOfHash: ReadonlyMap<string, string>;
  documentIds: ReadonlySet<string>;
  count: number;
};

/** Several texts of one `document_id` are one thing to be found. */
export function relevantOf(positives: readonly DocumentIdentity[]): RelevantDocuments {
  const keyOfHash = new Map<string, string>();
  const documentIds = new Set<string>();
  for (const { hash, documentId } of positives) {
    if (documentId !== null) documentIds.add(documentId);
    if (documentId !== null || !keyOfHash.has(hash)) keyOfHash.set(hash, documentId ?? hash);
  }
  return { keyOfHash, documentIds, count: new Set(keyOfHash.values()).size };
}

/** Which of the relevant documents a document is; null: nothing. */
export function keyIn(
  { keyOfHash, documentIds }: RelevantDocuments,
  { hash, documentId }: DocumentIdentity,
): string | null {
  const key = keyOfHash.get(hash);
  if (key !== undefined) return key;
  return documentId !== null && documentIds.has(documentId) ? documentId : null;
}
