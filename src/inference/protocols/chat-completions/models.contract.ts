import Type from 'typebox';
import type { Contract } from '#http';
import { created } from '../openai/usage.schema.ts';

const tag = 'inference';

const modelSchema = Type.Object(
  {
    id: Type.String({ description: 'Use it as `model` in calls.' }),
    object: Type.Literal('model', { description: 'Kind of object.' }),
    created,
    owned_by: Type.String({ description: 'Slug of the owner of the project.' }),
  },
  { $id: 'Model' },
);

const example = { id: 'chat', object: 'model', created: 1_767_323_045, owned_by: 'acme' };

export const listContract: Contract = {
  tag,
  summary: 'List the models of a project',
  description: 'The hosted models that the caller may call here: no base models, no training jobs.',
  answers: {
    200: {
      description: 'The models.',
      schema: Type.Object({
        object: Type.Literal('list', { description: 'Kind of object.' }),
        data: Type.Array(modelSchema, { description: 'The models.' }),
      }),
      example: { object: 'list', data: [example] },
    },
  },
};

export const retrieveContract: Contract = {
  tag,
  summary: 'Get a model of a project',
  description:
    'One of the models that the list shows, by the name that calls say. Slashes in the name may be encoded or stand as they are.',
  answers: { 200: { description: 'The model.', schema: modelSchema, example } },
  faults: ['model_not_found'],
};
