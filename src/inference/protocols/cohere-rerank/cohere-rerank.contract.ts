import Type from 'typebox';
import type { Contract } from '#http';
import { rerankFaults, rerankQuestion, rerankRequestSchema, rerankResults } from '../rerank/rerank.contract.ts';

const answerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the request.' }),
    results: rerankResults,
    meta: Type.Object(
      {
        api_version: Type.Object(
          { version: Type.Literal('2', { description: 'Always 2.' }) },
          { description: 'Version of the interface.' },
        ),
        billed_units: Type.Object(
          { search_units: Type.Integer({ description: 'Always 1; what is charged is active time.' }) },
          { description: 'As Cohere counts.' },
        ),
        tokens: Type.Object(
          { input_tokens: Type.Integer({ description: 'Tokens of the query with each document.', minimum: 0 }) },
          { description: 'Token counts.' },
        ),
      },
      { description: 'About the answer.' },
    ),
  },
  { $id: 'CohereRerankAnswer' },
);

export const cohereRerankContract: Contract = {
  tag: 'inference',
  summary: 'Rerank documents for clients of Cohere',
  description:
    "The same as `P/rerank`, as Cohere's clients for version 2 ask for it: set their base URL to `/api/projects/{owner}/{project}/cohere`.",
  body: rerankRequestSchema,
  bodyExample: rerankQuestion,
  answers: {
    200: {
      description: 'The scores.',
      schema: answerSchema,
      example: {
        id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
        results: [{ index: 1, relevance_score: 0.9731 }],
        meta: { api_version: { version: '2' }, billed_units: { search_units: 1 }, tokens: { input_tokens: 41 } },
      },
    },
  },
  faults: rerankFaults,
  idempotent: true,
};
