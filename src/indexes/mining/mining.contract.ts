import type { Contract } from '#http';
import { minedSchema } from './mining.schema.ts';

export const mineContract: Contract = {
  tag: 'datasets',
  summary: 'Mine hard negatives',
  description:
    'Looks for documents that are near to the queries of examples and that no example of the version calls right for them, and adds them to the negatives of those examples in the present state of the dataset. Negatives that are there stay; what scores like a positive is left out. Examples that were changed since the version stay as they are. Freeze a version afterwards to train with them.',
  bodyExample: { limit: 25, dry_run: true },
  answers: {
    200: {
      description: 'What was found, by example.',
      schema: minedSchema,
      example: {
        results: [
          {
            example_id: 'ex_01KAXR8B2D4F6H8K0M2P4R6T8W',
            status: 'mined',
            negatives: [
              { document_id: 'faq-7', text: 'Parcels leave our house every evening.', rank: 2, score: 0.4127 },
            ],
            too_similar: 1,
          },
        ],
        written: 0,
        next_after: null,
        usage: { prompt_tokens: 21, total_tokens: 21 },
        credits: '0.000050',
      },
    },
  },
  faults: [
    'not_found',
    'owner_required',
    'state_conflict',
    'in_use',
    'insufficient_credits',
    'rate_limited',
    'model_warming',
    'capacity_unavailable',
    'generation_failed',
    'ambiguous_transport',
  ],
  idempotent: true,
};
