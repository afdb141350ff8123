import { openAiErrors } from '#http';
import type { Protocol, RerankCall } from '../../protocol.ts';
import { rerankContract } from './rerank.contract.ts';
import { readRerankRequest } from './rerank-request.ts';
import { rerankedList } from './rerank-wire.ts';

/** POST P/rerank. */
const rerankCall: RerankCall = {
  kind: 'rerank',
  path: '/openai/v1/rerank',
  operation: 'rerank.create',
  contract: rerankContract,
  read: readRerankRequest,
  collect: rerankedList,
};

export const rerank: Protocol = { name: 'rerank', errors: openAiErrors, calls: [rerankCall] };

/** The same call for the playground, whose callers are signed in. */
export const tryRerank: RerankCall = {
  ...rerankCall,
  path: '/rerank',
  operation: 'rerank.try',
  contract: {
    ...rerankContract,
    tag: 'chats',
    summary: 'Rerank documents in the playground',
    description:
      'The same call as `P/rerank`, with the same answer and the same price, for a session as well as for a key.',
    faults: [...(rerankContract.faults ?? []), 'project_not_found', 'state_conflict'],
  },
};
