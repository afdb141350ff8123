import Type from 'typebox';
import { type Contract, nullable } from '#http';
import { itemExample, responseExample, streamExample } from './examples.ts';
import { countRequestSchema } from './request.schema.ts';
import { responseSchema } from './response.schema.ts';
import { streamOf } from './responses.contract.ts';

const tag = 'inference';
const missing = ['not_found'] as const;

export const retrieveQuery = Type.Object({
  stream: Type.Optional(Type.Boolean({ description: 'Stream it once more.', default: false })),
  starting_after: Type.Optional(Type.Integer({ description: 'Events up to this number are left out.', minimum: 0 })),
});

export const retrieveContract: Contract = {
  tag,
  summary: 'Get a stored response',
  description: 'The response as it was answered, to the account that called, in the project of the call.',
  query: retrieveQuery,
  answers: {
    200: {
      description: 'The response; with `stream`, as events.',
      schema: responseSchema,
      example: responseExample,
      also: [streamOf(streamExample)],
    },
  },
  faults: missing,
};

export const deleteContract: Contract = {
  tag,
  summary: 'Delete a stored response',
  description: 'Others that follow it cannot be followed any more.',
  answers: {
    200: {
      description: 'It is gone.',
      schema: Type.Object({
        id: Type.String({ description: 'Its id.' }),
        object: Type.Literal('response', { description: 'Kind of object.' }),
        deleted: Type.Literal(true, { description: 'Always true.' }),
      }),
      example: { id: responseExample.id, object: 'response', deleted: true },
    },
  },
  faults: missing,
};

export const itemsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ description: 'Items on a page.', minimum: 1, maximum: 100, default: 20 })),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      description: '`desc`: the last item first.',
      default: 'desc',
    }),
  ),
  after: Type.Optional(Type.String({ description: 'Id of the last item of the page before.' })),
});

const itemId = nullable(Type.String(), 'Null where there are no items.');

export const itemsContract: Contract = {
  tag,
  summary: 'List the input of a stored response',
  description: 'What was sent with this response, without that of the ones it follows.',
  query: itemsQuery,
  answers: {
    200: {
      description: 'The items.',
      schema: Type.Object({
        object: Type.Literal('list', { description: 'Kind of object.' }),
        data: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
          description: 'The items as they were sent, each with an id.',
        }),
        first_id: itemId,
        last_id: itemId,
        has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      }),
      example: {
        object: 'list',
        data: [itemExample],
        first_id: itemExample.id,
        last_id: itemExample.id,
        has_more: false,
      },
    },
  },
  faults: missing,
};

export const cancelContract: Contract = {
  tag,
  summary: 'Cancel a response',
  description:
    'Always refused: only responses that are made in the background could be cancelled. Whoever closes the connection ends an answer.',
  answers: {},
  faults: missing,
};

export const countContract: Contract = {
  tag,
  summary: 'Count the tokens of an input',
  description: 'The tokens that the prompt of the same call would have. Free, and limited in number.',
  body: countRequestSchema,
  bodyExample: { model: 'chat', input: 'What is the capital of France?' },
  answers: {
    200: {
      description: 'The count.',
      schema: Type.Object({
        object: Type.Literal('response.input_tokens', { description: 'Kind of object.' }),
        input_tokens: Type.Integer({ description: 'Tokens of the prompt.', minimum: 0 }),
      }),
      example: { object: 'response.input_tokens', input_tokens: 21 },
    },
  },
  faults: [
    'model_not_found',
    'model_not_installed',
    'owner_required',
    'rate_limited',
    'model_warming',
    'capacity_unavailable',
    'context_length_exceeded',
    'previous_response_not_found',
  ],
};
