import Type from 'typebox';
import { type Contract, said } from '#http';
import { created } from '../openai/usage.schema.ts';

const tag = 'inference';

const modelSchema = Type.Object(
  {
    id: Type.String(said('Use it as `model` in calls.', '调用时作为 `model` 使用。')),
    object: Type.Literal('model', said('Kind of object.', '对象类型。')),
    created,
    owned_by: Type.String(said('Slug of the owner of the project.', '项目所有者的标识。')),
  },
  { $id: 'Model' },
);

const example = { id: 'chat', object: 'model', created: 1_767_323_045, owned_by: 'acme' };

export const listContract: Contract = {
  tag,
  summary: said('List the models of a project', '列出项目的模型'),
  description: said(
    'The hosted models that the caller may call here: no base models, no training jobs.',
    '调用者在此项目中可调用的托管模型，不含基础模型和训练任务。',
  ),
  answers: {
    200: {
      description: said('The models.', '模型列表。'),
      schema: Type.Object({
        object: Type.Literal('list', said('Kind of object.', '对象类型。')),
        data: Type.Array(modelSchema, said('The models.', '模型。')),
      }),
      example: { object: 'list', data: [example] },
    },
  },
};

export const retrieveContract: Contract = {
  tag,
  summary: said('Get a model of a project', '获取项目的模型'),
  description: said(
    'One of the models that the list shows, by the name that calls say. Slashes in the name may be encoded or stand as they are.',
    '按调用时使用的名称查询模型列表中的一个模型。名称中的斜杠可以编码，也可以原样写出。',
  ),
  answers: { 200: { description: said('The model.', '模型。'), schema: modelSchema, example } },
  faults: ['model_not_found'],
};
