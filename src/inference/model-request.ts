import type { ChatPrompt, Embedded, Sampling } from '#engine';

/** What a call asks of a text model. */
export type TextRequest = {
  model: string;
  prompt: Omit<ChatPrompt, 'target' | 'maxTokens' | 'scope'>;
  /** `maxTokens` null: the rest of the context. */
  sampling: Omit<Sampling, 'maxTokens'> & { maxTokens: number | null };
  /** `maxTokens` is a bound: where the context has less room, the answer ends there. */
  fitsContext?: boolean;
  /** Answers to the prompt; left out: one. */
  choices?: number;
  stream: boolean;
  /** Bytes that the prompt has beyond those of the body; left out: none. */
  addedBytes?: number;
  /** The oldest turns are left out of a prompt that is too long. */
  dropsOldestTurns?: boolean;
};

/** What a call asks of an embedding model. */
export type EmbeddingsRequest = {
  model: string;
  inputs: string[];
  encoding: 'float' | 'base64';
  /** Must equal the model's vector size when given. */
  dimensions: number | null;
  role: 'query' | 'document';
  truncate: boolean;
};

export type EmbeddingAnswer = Embedded & { truncated: boolean[] };

/** What a call asks of a reranker. */
export type RerankRequest = {
  model: string;
  query: string;
  documents: string[];
  /** How many of the best are returned; null: all. */
  topN: number | null;
  returnsDocuments: boolean;
  truncate: boolean;
  /** Longer documents are cut; null: they are not. */
  maxDocumentTokens: number | null;
};

/** Scores in the order of the documents. */
export type RerankAnswer = { id: string; scores: number[]; promptTokens: number; activeMs: number };
