import Type from 'typebox';
import { type Contract, nullable } from '#http';

const modelSchema = Type.Object(
  {
    type: Type.Literal('model', { description: 'Kind of object.' }),
    id: Type.String({ description: 'Use it as `model` in calls.' }),
    display_name: Type.String({ description: 'Its name for people.' }),
    created_at: Type.String({ description: 'Since when it is there.', format: 'date-time' }),
  },
  { $id: 'MessagesModel' },
);

const example = { type: 'model', id: 'chat', display_name: 'Chat', created_at: '2026-01-02T03:04:05.000Z' };

export const modelsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ description: 'Models on a page.', minimum: 1, maximum: 1_000, default: 20 })),
  after_id: Type.Optional(Type.String({ description: 'Only models behind this one.' })),
  before_id: Type.Optional(Type.String({ description: 'Only models in front of this one.' })),
});

const edge = (description: string) => nullable(Type.String({ description }), 'Null where there is none.');

export const listContract: Contract = {
  tag: 'inference',
  summary: 'List the models for messages',
  description: 'The hosted models that the caller may call here, the newest first, as Anthropic lists them.',
  answers: {
    200: {
      description: 'The models.',
      schema: Type.Object({
        data: Type.Array(modelSchema, { description: 'The models.' }),
        has_more: Type.Boolean({ description: 'There are more in this direction.' }),
        first_id: edge('The first one.'),
        last_id: edge('The last one.'),
      }),
      example: { data: [example], has_more: false, first_id: 'chat', last_id: 'chat' },
    },
  },
};

export const retrieveContract: Contract = {
  tag: 'inference',
  summary: 'Get a model for messages',
  description: 'One of the models that the list shows.',
  answers: { 200: { description: 'The model.', schema: modelSchema, example } },
  faults: ['model_not_found'],
};

export const about = {
  type: 'api',
  name: 'Fanfold',
  description: 'The base URL of clients that speak the Messages API of Anthropic.',
  endpoints: ['POST v1/messages', 'POST v1/messages/count_tokens', 'GET v1/models'],
};

export const aboutContract: Contract = {
  tag: 'inference',
  summary: 'Say what is at this base URL',
  description: 'For clients that try their base URL first. It needs no key.',
  answers: {
    200: {
      description: 'What is served here.',
      schema: Type.Object({
        type: Type.Literal('api', { description: 'Kind of object.' }),
        name: Type.String({ description: 'Who serves it.' }),
        description: Type.String({ description: 'What the model is.' }),
        endpoints: Type.Array(Type.String(), { description: 'Paths below the base URL.' }),
      }),
      example: about,
    },
  },
};
