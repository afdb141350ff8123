import { readBody } from '#http';
import type { RerankRequest } from '../../model-request.ts';
import { rerankRequestSchema } from './rerank.contract.ts';

/** Reads the body of P/rerank. Unknown fields are ignored. */
export function readRerankRequest(sent: unknown): RerankRequest {
  const body = readBody(rerankRequestSchema, sent);
  return {
    model: body.model,
    query: body.query,
    documents: body.documents.map((document) => (typeof document === 'string' ? document : document.text)),
    topN: body.top_n ?? null,
    returnsDocuments: body.return_documents ?? false,
    truncate: body.truncate ?? false,
    maxDocumentTokens: body.max_tokens_per_doc ?? null,
  };
}
