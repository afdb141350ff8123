import type { Protocol } from '../protocol.ts';
import { chatCompletions } from './chat-completions/index.ts';
import { cohere } from './cohere/index.ts';
import { cohereRerank } from './cohere-rerank/index.ts';
import { completions } from './completions/index.ts';
import { embeddings } from './embeddings/index.ts';
import { createMessagesProtocol } from './messages/index.ts';
import { rerank } from './rerank/index.ts';
import { createResponsesProtocol } from './responses/index.ts';
import { tokens } from './tokens/index.ts';

/** What protocols are given. */
export type ProtocolSettings = {
  /** Signs what clients are to send back as it is. */
  secret: Buffer;
};

/** The protocols that are served; another one is a folder beside these, and a line here. */
export const createProtocols = (settings: ProtocolSettings): readonly Protocol[] => [
  chatCompletions,
  cohere,
  cohereRerank,
  completions,
  embeddings,
  createMessagesProtocol(settings),
  createResponsesProtocol(settings),
  rerank,
  tokens,
];
