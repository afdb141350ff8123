import Type, { type Static } from 'typebox';
import { type Contract, expecting, expectingWithin } from '#http';
import { answeredModel } from '../openai/usage.schema.ts';
import { calledModel, notSupported, optional, textCallFaults } from '../shared/call.contract.ts';

const text = Type.String({ description: 'The text.', minLength: 1 });
const document = Type.Union([text, Type.Object({ text }, { description: 'A document in its own object.' })], {
  description: 'A text, or an object with one as `text`.',
  ...expectingWithin('expected a non-empty string, or an object with one as "text"'),
});

/** The body of P/rerank. */
export const rerankRequestSchema = Type.Object(
  {
    model: calledModel,
    query: Type.String({ description: 'What the documents are scored for.', minLength: 1 }),
    documents: Type.Array(document, {
      description:
        'At most 100 documents. Each fills the context of the model together with the query, all of them with it 16,384 tokens at most.',
      ...expecting('expected a list with at least one document'),
      minItems: 1,
    }),
    top_n: optional(
      Type.Integer({ description: 'How many results are returned, the best first; left out: all.', minimum: 1 }),
    ),
    return_documents: optional(Type.Boolean({ description: 'Each result has its document, too.', default: false })),
    truncate: optional(
      Type.Boolean({
        description: 'Cut a document at its end where it is too long together with the query.',
        default: false,
      }),
    ),
    max_tokens_per_doc: optional(
      Type.Integer({ description: 'Longer documents are cut to so many tokens.', minimum: 1 }),
    ),
    rank_fields: notSupported('not supported; send documents as texts'),
    max_chunks_per_doc: notSupported('not supported; a document is scored as a whole'),
  },
  { $id: 'RerankRequest' },
);

export type RerankBody = Static<typeof rerankRequestSchema>;

export const rerankResults = Type.Array(
  Type.Object({
    index: Type.Integer({ description: 'Place of the document in the request.', minimum: 0 }),
    relevance_score: Type.Number({
      description:
        'How well the document fits the query: from 0 to 1, or, of a remote engine that returns raw scores, any number. Higher is better.',
    }),
    document: Type.Optional(
      Type.Object({ text: Type.String({ description: 'Its text.' }) }, { description: 'With `return_documents`.' }),
    ),
  }),
  { description: 'The best first.' },
);

export const rerankQuestion = {
  model: 'rerank',
  query: 'How do I reset my password?',
  documents: ['Our office is open from nine to five.', 'Choose "Forgot password" on the sign-in page.'],
  top_n: 1,
};

const answerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the request.' }),
    object: Type.Literal('list', { description: 'Kind of object.' }),
    model: answeredModel,
    results: rerankResults,
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ description: 'Tokens of the query with each document.', minimum: 0 }),
        total_tokens: Type.Integer({ description: 'The same.', minimum: 0 }),
      },
      { description: 'Token counts.' },
    ),
  },
  { $id: 'RerankAnswer' },
);

export const rerankFaults = [...textCallFaults, 'embeddings_not_enabled'] as const;

export const rerankContract: Contract = {
  tag: 'inference',
  summary: 'Rerank documents',
  description:
    'Scores documents by how well they fit a query, with a reranker. Works in embedding projects, in the form of Jina and vLLM. Calls are never kept as training data. Fields that are not listed are ignored.',
  body: rerankRequestSchema,
  bodyExample: rerankQuestion,
  answers: {
    200: {
      description: 'The scores.',
      schema: answerSchema,
      example: {
        id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
        object: 'list',
        model: 'rerank',
        results: [{ index: 1, relevance_score: 0.9731 }],
        usage: { prompt_tokens: 41, total_tokens: 41 },
      },
    },
  },
  faults: rerankFaults,
  idempotent: true,
};
