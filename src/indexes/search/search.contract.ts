import type { Contract } from '#http';
import { foundSchema } from './search.schema.ts';

export const searchContract: Contract = {
  tag: 'datasets',
  summary: 'Search an index',
  description: 'Compares the query with every document, exactly. It is charged like a call of the embeddings route.',
  bodyExample: { query: 'how do I get my money back', top_k: 2 },
  answers: {
    200: {
      description: 'The nearest documents.',
      schema: foundSchema,
      example: {
        results: [
          { rank: 1, document_id: 'faq-12', text: 'Refunds are paid within five days.', score: 0.8312 },
          { rank: 2, document_id: 'faq-7', text: 'Parcels leave our house every evening.', score: 0.4127 },
        ],
        model_revision: 2,
        usage: { prompt_tokens: 21, total_tokens: 21 },
        credits: '0.000050',
      },
    },
  },
  faults: [
    'not_found',
    'owner_required',
    'state_conflict',
    'insufficient_credits',
    'rate_limited',
    'model_warming',
    'capacity_unavailable',
    'generation_failed',
    'ambiguous_transport',
  ],
  idempotent: true,
};
