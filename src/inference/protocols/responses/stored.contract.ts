import Type from 'typebox';
import { type Contract, nullable, said } from '#http';
import { itemExample, responseExample, streamExample } from './examples.ts';
import { countRequestSchema } from './request.schema.ts';
import { responseSchema } from './response.schema.ts';
import { streamOf } from './responses.contract.ts';

const tag = 'inference';
const missing = ['not_found'] as const;

export const retrieveQuery = Type.Object({
  stream: Type.Optional(Type.Boolean({ ...said('Stream it once more.', '再次以流式返回。'), default: false })),
  starting_after: Type.Optional(
    Type.Integer({ ...said('Events up to this number are left out.', '略去序号不大于此值的事件。'), minimum: 0 }),
  ),
});

export const retrieveContract: Contract = {
  tag,
  summary: said('Get a stored response', '获取已存储的回答'),
  description: said(
    'The response as it was answered, to the account that called, in the project of the call.',
    '返回当时的回答，仅限发起调用的账户在该项目中读取。',
  ),
  query: retrieveQuery,
  answers: {
    200: {
      description: said('The response; with `stream`, as events.', '回答；设置 `stream` 时为事件流。'),
      schema: responseSchema,
      example: responseExample,
      also: [streamOf(streamExample)],
    },
  },
  faults: missing,
};

export const deleteContract: Contract = {
  tag,
  summary: said('Delete a stored response', '删除已存储的回答'),
  description: said('Others that follow it cannot be followed any more.', '接续它的其他回答将无法再被接续。'),
  answers: {
    200: {
      description: said('It is gone.', '已删除。'),
      schema: Type.Object({
        id: Type.String(said('Its id.', '回答的 ID。')),
        object: Type.Literal('response', said('Kind of object.', '对象类型。')),
        deleted: Type.Literal(true, said('Always true.', '始终为 true。')),
      }),
      example: { id: responseExample.id, object: 'response', deleted: true },
    },
  },
  faults: missing,
};

export const itemsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ ...said('Items on a page.', '每页的条目数。'), minimum: 1, maximum: 100, default: 20 }),
  ),
  order: Type.Optional(
    Type.Enum(['asc', 'desc'], {
      ...said('`desc`: the last item first.', '`desc`：最后的条目在前。'),
      default: 'desc',
    }),
  ),
  after: Type.Optional(Type.String(said('Id of the last item of the page before.', '上一页最后一个条目的 ID。'))),
});

const itemId = nullable(Type.String(), said('Null where there are no items.', '没有条目时为 null。'));

export const itemsContract: Contract = {
  tag,
  summary: said('List the input of a stored response', '列出已存储回答的输入'),
  description: said(
    'What was sent with this response, without that of the ones it follows.',
    '随该回答发送的输入，不含其所接续的回答的输入。',
  ),
  query: itemsQuery,
  answers: {
    200: {
      description: said('The items.', '条目列表。'),
      schema: Type.Object({
        object: Type.Literal('list', said('Kind of object.', '对象类型。')),
        data: Type.Array(
          Type.Record(Type.String(), Type.Unknown()),
          said('The items as they were sent, each with an id.', '发送时的条目，均带有 ID。'),
        ),
        first_id: itemId,
        last_id: itemId,
        has_more: Type.Boolean(said('Whether another page follows.', '是否还有下一页。')),
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
  summary: said('Cancel a response', '取消回答'),
  description: said(
    'Always refused: only responses that are made in the background could be cancelled. Whoever closes the connection ends an answer.',
    '始终被拒绝：只有后台生成的回答才能取消。关闭连接即可结束回答。',
  ),
  answers: {},
  faults: missing,
};

export const countContract: Contract = {
  tag,
  summary: said('Count the tokens of an input', '计算输入的词元数'),
  description: said(
    'The tokens that the prompt of the same call would have. Free, and limited in number.',
    '相同调用的提示词所含的词元数。免费，但有次数限制。',
  ),
  body: countRequestSchema,
  bodyExample: { model: 'chat', input: 'What is the capital of France?' },
  answers: {
    200: {
      description: said('The count.', '词元数。'),
      schema: Type.Object({
        object: Type.Literal('response.input_tokens', said('Kind of object.', '对象类型。')),
        input_tokens: Type.Integer({ ...said('Tokens of the prompt.', '提示词的词元数。'), minimum: 0 }),
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
