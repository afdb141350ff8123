import type { Protocol, RerankCall } from '../../protocol.ts';
import { cohereErrors } from '../cohere/cohere-errors.ts';
import { readRerankRequest } from '../rerank/rerank-request.ts';
import { rerankedResults } from '../rerank/rerank-wire.ts';
import { cohereRerankContract } from './cohere-rerank.contract.ts';

/** POST P/cohere/v2/rerank. */
const rerankCall: RerankCall = {
  kind: 'rerank',
  path: '/cohere/v2/rerank',
  operation: 'cohere_rerank.create',
  contract: cohereRerankContract,
  read: readRerankRequest,
  collect: (input, answer) => ({
    id: answer.id,
    results: rerankedResults(input, answer),
    meta: {
      api_version: { version: '2' },
      billed_units: { search_units: 1 },
      tokens: { input_tokens: answer.promptTokens },
    },
  }),
};

/** The rerank API of Cohere, version 2. */
export const cohereRerank: Protocol = { name: 'cohere-rerank', errors: cohereErrors, calls: [rerankCall] };
