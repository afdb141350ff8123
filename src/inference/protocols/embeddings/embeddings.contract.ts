import Type from 'typebox';
import { type Contract, said } from '#http';
import { calledModel, optional, textCallFaults } from '../openai/sampling.contract.ts';
import { answeredModel } from '../openai/usage.schema.ts';

const text = Type.String({ minLength: 1 });

/** The body of P/embeddings. */
export const embeddingRequestSchema = Type.Object(
  {
    model: calledModel,
    input: Type.Union(
      [text, Type.Array(text, { minItems: 1 })],
      said(
        'A text, or at most two. Together they must fit the token budget of the model, 512 by default.',
        '一段文本，或至多两段。词元总数不得超过模型的预算，默认 512。',
      ),
    ),
    encoding_format: optional(
      Type.Enum(['float', 'base64'], {
        ...said('`base64`: the float32 values as little-endian bytes.', '`base64`：float32 值的小端字节。'),
        default: 'float',
      }),
    ),
    dimensions: optional(Type.Integer(said('Must be the vector size of the model.', '必须等于模型的向量维数。'))),
    input_type: optional(
      Type.Enum(['query', 'document'], {
        ...said(
          'A query gets the query instruction of the model, if it has one.',
          '`query` 类输入会加上模型的查询指令（如有）。',
        ),
        default: 'document',
      }),
    ),
    truncate: optional(
      Type.Boolean({
        ...said(
          'Cut a longer input at its end. An input that is cut must be sent alone.',
          '在末尾截断过长的输入。被截断的输入必须单独发送。',
        ),
        default: false,
      }),
    ),
  },
  { $id: 'EmbeddingRequest' },
);

const listSchema = Type.Object(
  {
    object: Type.Literal('list', said('Kind of object.', '对象类型。')),
    data: Type.Array(
      Type.Object({
        object: Type.Literal('embedding', said('Kind of object.', '对象类型。')),
        index: Type.Integer(said('Position of the input.', '输入的位置。')),
        embedding: Type.Union(
          [Type.Array(Type.Number()), Type.String()],
          said('The vector: numbers, or base64 text.', '向量：数值列表或 base64 文本。'),
        ),
        truncated: Type.Optional(
          Type.Literal(true, said('The input was cut; absent otherwise.', '输入被截断；否则不出现。')),
        ),
      }),
      said('One vector for each input, in order.', '按输入顺序，每个输入一个向量。'),
    ),
    model: answeredModel,
    usage: Type.Object(
      {
        prompt_tokens: Type.Integer(said('Tokens of the inputs.', '输入的词元数。')),
        total_tokens: Type.Integer(said('The same.', '同上。')),
      },
      said('Token counts.', '词元计数。'),
    ),
  },
  { $id: 'EmbeddingList' },
);

export const embeddingsContract: Contract = {
  tag: 'inference',
  summary: said('Create embeddings', '创建嵌入向量'),
  description: said(
    'Makes one vector of unit length for each input. Works in embedding projects, and takes one or two inputs of 512 tokens together (more only with a model that was trained with more). Embedding calls are never kept as training data. Allow a minute: an idle model may be slow on the first request.',
    '为每个输入生成一个单位长度的向量。适用于嵌入项目；每次请求一至两个输入，合计不超过 512 个词元（以更大长度训练的模型除外）。嵌入调用绝不会保存为训练数据。请将客户端超时设为至少 60 秒：空闲模型的首次请求可能较慢。',
  ),
  body: embeddingRequestSchema,
  bodyExample: { model: 'search', input: ['How do I reset my password?'], input_type: 'query' },
  answers: {
    200: {
      description: said('The vectors.', '向量。'),
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
