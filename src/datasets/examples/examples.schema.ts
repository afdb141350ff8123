import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { parseExactJson, timeOfId } from '#kernel';
import type { ExampleContent, ExampleKind } from '../content/example-content.ts';
import type { Issue } from '../content/issues.ts';
import type { AddedExample } from './add-examples.ts';
import type { ListedExample } from './example-list.store.ts';

const splits = ['train', 'test'] as const;
const origins = ['import', 'manual', 'chat', 'inference', 'retrieval_event'] as const;

export const examplesQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      ...said(
        'Only examples that hold all these words; `word*` stands for all words that begin so, from three letters on. Upper and lower case are the same.',
        '只返回包含全部这些词的样本；`word*` 匹配以其开头的所有词（至少三个字母）。不区分大小写，中文可按任意片段查找。',
      ),
      maxLength: 500,
    }),
  ),
  version_id: Type.Optional(
    Type.String({
      ...said('The examples of this version instead of the present ones.', '返回该版本中的样本，而不是当前的样本。'),
      maxLength: 64,
    }),
  ),
  split: Type.Optional(Type.Enum([...splits], said('Only examples of this split.', '只返回此划分的样本。'))),
  origin: Type.Optional(Type.Enum([...origins], said('Only examples of this origin.', '只返回此来源的样本。'))),
  valid: Type.Optional(
    Type.Boolean(
      said(
        'True: only examples that versions take. False: only those that they do not.',
        'true 只返回可进入版本的样本，false 只返回不能进入版本的样本。',
      ),
    ),
  ),
});

const split = (options = {}) =>
  Type.Enum([...splits], {
    ...said('`train`: to learn from; `test`: to measure with.', '`train` 用于训练，`test` 用于评估。'),
    type: 'string',
    ...options,
  });

const message = Type.Object(
  {
    role: Type.Enum(['system', 'user', 'assistant', 'tool'], said('Who speaks.', '消息的角色。')),
    content: nullable(
      Type.String(),
      said('What is said; null beside tool calls.', '消息内容；仅有工具调用时为 null。'),
    ),
    reasoning_content: Type.Optional(
      Type.String(said('Of an assistant: what it thinks first.', '助手回答前的思考内容。')),
    ),
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object({}, { additionalProperties: true }),
        said('Of an assistant: its calls, in the OpenAI shape.', '助手发起的工具调用，格式与 OpenAI 一致。'),
      ),
    ),
    weight: Type.Optional(
      Type.Integer({
        ...said(
          'Of an assistant: 0 when what follows sees this answer and the model does not learn it; else 1, which is left out.',
          '助手消息的权重：0 表示仅作为后文的上下文而不参与训练；否则为 1，可省略。',
        ),
        ...{ minimum: 0, maximum: 1 },
      }),
    ),
    tool_call_id: Type.Optional(Type.String(said('Of a tool: the call that it answers.', '工具消息所回应的调用 ID。'))),
  },
  said('A message, as in chat completions.', '一条消息，格式与对话补全接口一致。'),
);

const passage = Type.Object({
  text: Type.String(said('The text.', '文本内容。')),
  document_id: nullable(Type.String(), said('Your name for it.', '调用方自己的文档标识。')),
});

const textContent = Type.Object(
  {
    messages: Type.Array(message, said('It ends with what the model is to learn.', '最后一条是模型要学习的回答。')),
    tools: nullable(
      Type.Array(Type.Object({}, { additionalProperties: true })),
      said(
        'Tools that may be called, in the OpenAI shape; null: none.',
        '可调用的工具，格式与 OpenAI 一致；为 null 表示没有。',
      ),
    ),
  },
  said('Of text projects: a conversation.', '文本项目：一段对话。'),
);

const embeddingContent = Type.Object(
  {
    query: Type.String(said('What is searched for.', '查询文本。')),
    positives: Type.Array(passage, said('What it should find.', '应检索到的文本。')),
    negatives: Type.Array(passage, said('What it should not find.', '不应检索到的文本。')),
  },
  said('Of embedding projects: a query with what it should find and what not.', '嵌入项目：查询及其正例与反例。'),
);

const sentMessage = Type.Object(
  { ...message.properties, content: Type.Optional(message.properties.content) },
  said('A message, as in chat completions.', '一条消息，格式与对话补全接口一致。'),
);

const sentPassage = Type.Union(
  [
    Type.Object({ text: passage.properties.text, document_id: Type.Optional(passage.properties.document_id) }),
    Type.String(),
  ],
  said('A text, or a passage.', '文本，或带标识的段落。'),
);

/** As callers may write them: what has one meaning only may be left out. */
const sentContent = {
  text: Type.Optional(
    Type.Object(
      {
        messages: Type.Array(
          sentMessage,
          said('It ends with what the model is to learn.', '最后一条是模型要学习的回答。'),
        ),
        tools: Type.Optional(textContent.properties.tools),
      },
      said('In text projects: the conversation.', '文本项目中的对话。'),
    ),
  ),
  embedding: Type.Optional(
    Type.Object(
      {
        query: embeddingContent.properties.query,
        positives: Type.Array(sentPassage, said('What it should find.', '应检索到的文本。')),
        negatives: Type.Optional(Type.Array(sentPassage, said('What it should not find.', '不应检索到的文本。'))),
      },
      said('In embedding projects: the query with its texts.', '嵌入项目中的查询及其文本。'),
    ),
  ),
};

const newExample = Type.Object({ ...sentContent, split: Type.Optional(split({ default: 'train' })) });

const dedupe = Type.Optional(
  Type.Enum(['exact', 'none'], {
    ...said('`exact`: what the dataset has already is left out.', '`exact` 表示跳过数据集中已有的相同样本。'),
    type: 'string',
    default: 'exact',
  }),
);

/** What is documented. Contents are checked by what reads them, which knows more: each item gets its own result. */
export const createExamplesDocumented = Type.Object({
  examples: Type.Array(newExample, {
    ...said('1 to 100 examples.', '1 到 100 个样本。'),
    minItems: 1,
    maxItems: 100,
  }),
  dedupe,
});

export const createExamplesBody = Type.Object({
  examples: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 }),
  dedupe,
});

export const updateExampleDocumented = Type.Object({ ...sentContent, split: Type.Optional(split()) });

export const updateExampleBody = Type.Object({
  text: Type.Optional(Type.Unknown()),
  embedding: Type.Optional(Type.Unknown()),
  split: Type.Optional(split()),
});

const issue = Type.Object({
  code: Type.String(said('What is wrong, as a word.', '问题代码。')),
  pointer: Type.String(said('Where, as a JSON pointer.', '问题所在的 JSON 指针。')),
  message: Type.String(said('What is wrong, in English.', '问题说明（英文）。')),
  hint: nullable(Type.String(), said('What to do about it.', '处理建议。')),
});

const issues = Type.Array(issue, said('What is wrong with it, or worth a look.', '存在的问题或值得注意之处。'));

export const addedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ ...said('Place in the request.', '在请求中的位置。'), minimum: 0 }),
      status: Type.Enum(['created', 'duplicate', 'rejected'], said('What became of it.', '处理结果。')),
      id: nullable(Type.String(), said('Its id; null unless it was created.', '样本的 ID，未创建时为 null。')),
      issues,
    }),
    said('One per example, in their order.', '与请求中的样本一一对应。'),
  ),
});

export const exampleSchema = Type.Object(
  {
    id: Type.String(said('Id of the example; it stays when the content changes.', '样本的 ID，修改内容后不变。')),
    dataset_id: Type.String(said('Id of its dataset.', '所属数据集的 ID。')),
    kind: Type.Enum(['text', 'embedding'], said('The kind of its project.', '与所属项目的类型相同。')),
    text: nullable(textContent, said('Null in embedding projects.', '嵌入项目中为 null。')),
    embedding: nullable(embeddingContent, said('Null in text projects.', '文本项目中为 null。')),
    split: split(),
    origin: Type.Enum([...origins], said('How it came into the dataset.', '样本的来源。')),
    origin_id: nullable(Type.String(), said('Id of what it was made of.', '来源对象的 ID。')),
    tokens: nullable(
      Type.Integer({ minimum: 0 }),
      said('Tokens of all of it; null: no model could count.', '样本的词元总数；为 null 表示没有可用于统计的模型。'),
    ),
    valid: Type.Boolean(said('Whether versions take it.', '是否会进入版本。')),
    issues,
    content_hash: Type.String(said('SHA-256 of the content as canonical JSON.', '内容的规范 JSON 的 SHA-256。')),
    created_at: timestamp(said('When it was added.', '添加时间。')),
    updated_at: timestamp(said('When it last changed.', '最后修改时间。')),
  },
  { $id: 'Example', ...said('An example.', '一个样本。') },
);

export type ExampleWire = Static<typeof exampleSchema>;

export function exampleToWire(example: ListedExample, kind: ExampleKind): ExampleWire {
  // Written by this room, in the shape of what was checked.
  const content = parseExactJson(example.json) as ExampleContent;
  const createdAt = new Date(timeOfId('ex', example.id) ?? 0);
  return {
    id: example.id,
    dataset_id: example.datasetId,
    kind,
    text: 'query' in content ? null : content,
    embedding: 'query' in content ? content : null,
    split: example.split,
    origin: example.origin,
    origin_id: example.originId,
    tokens: example.tokens,
    valid: example.valid,
    issues: example.issues,
    content_hash: example.hash.toString('hex'),
    created_at: createdAt.toISOString(),
    updated_at: (example.updatedAt ?? createdAt).toISOString(),
  };
}

export function addedToWire(added: readonly AddedExample[]): Static<typeof addedSchema> {
  const results = added.map(({ status, id, issues: found }, index) => ({
    ...{ index, status, id },
    issues: found.map(({ code, pointer, message, hint }: Issue) => ({ code, pointer, message, hint })),
  }));
  return { results };
}
