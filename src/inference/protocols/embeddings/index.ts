import { type Contract, openAiErrors } from '#http';
import type { EmbeddingCall, Protocol } from '../../protocol.ts';
import { readEmbeddingRequest } from './embedding-request.ts';
import { embeddingList } from './embedding-wire.ts';
import { embeddingsContract } from './embeddings.contract.ts';

/** POST P/embeddings. */
const embeddingCall: EmbeddingCall = {
  kind: 'embedding',
  path: '/openai/v1/embeddings',
  operation: 'embeddings.create',
  contract: embeddingsContract,
  read: readEmbeddingRequest,
  collect: embeddingList,
};

export const embeddings: Protocol = { name: 'embeddings', errors: openAiErrors, calls: [embeddingCall] };

const tryContract: Contract = {
  ...embeddingsContract,
  tag: 'chats',
  summary: 'Embed texts in the playground',
  description:
    'The same call as `P/embeddings`, with the same answer and the same price, for a session as well as for a key.',
  faults: [...(embeddingsContract.faults ?? []), 'project_not_found', 'state_conflict'],
};

/** The same call for the playground, whose callers are signed in. */
export const tryEmbeddings: EmbeddingCall = {
  ...embeddingCall,
  path: '/embeddings',
  operation: 'embeddings.try',
  contract: tryContract,
};
