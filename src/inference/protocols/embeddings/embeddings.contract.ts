import Type from 'typebox';
import type { Contract } from '#http';
import { answeredModel } from '../openai/usage.schema.ts';
import { calledModel, optional, textCallFaults } from '../shared/call.contract.ts';

const text = Type.String({ minLength: 1 });

/** The body of P/embeddings. */
export const embeddingRequestSchema = Type.Object(
  {
    model: calledModel,
    input: Type.Union([text, Type.Array(text, { minItems: 1 })], {
      description: 'A text, or at most two. Together they must fit the token budget of the model, 512 by default.',
    }),
    encoding_format: optional(
      Type.Enum(['float', 'base64'], {
        description: '`base64`: the float32 values as little-endian bytes.',
        default: 'float',
      }),
    ),
    dimensions: optional(Type.Integer({ description: 'Must be the vector size of the model.' })),
    input_type: optional(
      Type.Enum(['query', 'document'], {
        description: 'A query gets the query instruction of the model, if it has one.',
        default: 'document',
      }),
    ),
    truncate: optional(
      Type.Boolean({
        description: 'Cut a longer input at its end. An input that is cut must be sent alone.',
        default: false,
      }),
    ),
  },
  { $id: 'EmbeddingRequest' },
);

const listSchema = Type.Object(
  {
    object: Type.Literal('list', { description: 'Kind of object.' }),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding', { description: 'Kind of object.' }),
        index: Type.Integer({ description: 'Position of the input.' }),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'The vector: numbers, or base64 text.',
        }),
        truncated: Type.Optional(Type.Literal(true, { description: 'The input was cut; absent otherwise.' })),
      }),
      { description: 'One vector for each input, in order.' },
    ),
    model: answeredModel,
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer({ description: 'Tokens of the inputs.' }),
        total_tokens: Type.Integer({ description: 'The same.' }),
      },
      { description: 'Token counts.' },
    ),
  },
  { $id: 'EmbeddingList' },
);

export const embeddingsContract: Contract = {
  tag: 'inference',
  summary: 'Create embeddings',
  description:
    'Makes one vector of unit length for each input. Works in embedding projects, and takes one or two inputs of 512 tokens together (more only with a model that was trained with more). Embedding calls are never kept as training data. Allow a minute: an idle model may be slow on the first request.',
  body: embeddingRequestSchema,
  bodyExample: { model: 'search', input: ['How do I reset my password?'], input_type: 'query' },
  answers: {
    200: {
      description: 'The vectors.',
      schema: listSchema,
      example: {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
        model: 'search',
        usage: { prompt_tokens: 8, total_tokens: 8 },
      },
    },
  },
  faults: [...textCallFaults, 'embeddings_not_enabled', 'invalid_shape'],
  idempotent: true,
};
