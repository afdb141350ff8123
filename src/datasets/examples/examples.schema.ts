import Type, { type Static } from 'typebox';
import { nullable, pageQuery, pageSchema, timestamp } from '#http';
import { parseExactJson, timeOfId } from '#kernel';
import type { ExampleContent, ExampleKind } from '../content/example-content.ts';
import type { Issue } from '../content/issues.ts';
import type { AddedExample } from './add-examples.ts';
import { maxBulkExamples } from './bulk-change.ts';
import type { ListedExample } from './example-list.store.ts';

const splits = ['train', 'test'] as const;
const origins = ['import', 'manual', 'chat', 'inference', 'retrieval_event'] as const;

export const examplesQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      description:
        'Only examples that hold all these words; `word*` stands for all words that begin so, from three letters on. Upper and lower case are the same.',
      maxLength: 500,
    }),
  ),
  version_id: Type.Optional(
    Type.String({
      description: 'The examples of this version instead of the present ones.',
      maxLength: 64,
    }),
  ),
  split: Type.Optional(Type.Enum([...splits], { description: 'Only examples of this split.' })),
  origin: Type.Optional(Type.Enum([...origins], { description: 'Only examples of this origin.' })),
  valid: Type.Optional(
    Type.Boolean({ description: 'True: only examples that versions take. False: only those that they do not.' }),
  ),
});

const split = (options = {}) =>
  Type.Enum([...splits], {
    description: '`train`: to learn from; `test`: to measure with.',
    type: 'string',
    ...options,
  });

const message = Type.Object(
  {
    role: Type.Enum(['system', 'user', 'assistant', 'tool'], { description: 'Who speaks.' }),
    content: nullable(Type.String(), 'What is said; null beside tool calls.'),
    reasoning_content: Type.Optional(Type.String({ description: 'Of an assistant: what it thinks first.' })),
    tool_calls: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'Of an assistant: its calls, in the OpenAI shape.',
      }),
    ),
    weight: Type.Optional(
      Type.Integer({
        description:
          'Of an assistant: 0 when what follows sees this answer and the model does not learn it; else 1, which is left out.',
        minimum: 0,
        maximum: 1,
      }),
    ),
    tool_call_id: Type.Optional(Type.String({ description: 'Of a tool: the call that it answers.' })),
  },
  { description: 'A message, as in chat completions.' },
);

const passage = Type.Object({
  text: Type.String({ description: 'The text.' }),
  document_id: nullable(Type.String(), 'Your name for it.'),
});

const textContent = Type.Object(
  {
    messages: Type.Array(message, { description: 'It ends with what the model is to learn.' }),
    tools: nullable(
      Type.Array(Type.Object({}, { additionalProperties: true })),
      'Tools that may be called, in the OpenAI shape; null: none.',
    ),
  },
  { description: 'Of text projects: a conversation.' },
);

const embeddingContent = Type.Object(
  {
    query: Type.String({ description: 'What is searched for.' }),
    positives: Type.Array(passage, { description: 'What it should find.' }),
    negatives: Type.Array(passage, { description: 'What it should not find.' }),
  },
  { description: 'Of embedding projects: a query with what it should find and what not.' },
);

const sentMessage = Type.Object(
  { ...message.properties, content: Type.Optional(message.properties.content) },
  { description: 'A message, as in chat completions.' },
);

const sentPassage = Type.Union(
  [
    Type.Object({ text: passage.properties.text, document_id: Type.Optional(passage.properties.document_id) }),
    Type.String(),
  ],
  { description: 'A text, or a passage.' },
);

/** As callers may write them: what has one meaning only may be left out. */
const sentContent = {
  text: Type.Optional(
    Type.Object(
      {
        messages: Type.Array(sentMessage, { description: 'It ends with what the model is to learn.' }),
        tools: Type.Optional(textContent.properties.tools),
      },
      { description: 'In text projects: the conversation.' },
    ),
  ),
  embedding: Type.Optional(
    Type.Object(
      {
        query: embeddingContent.properties.query,
        positives: Type.Array(sentPassage, { description: 'What it should find.' }),
        negatives: Type.Optional(Type.Array(sentPassage, { description: 'What it should not find.' })),
      },
      { description: 'In embedding projects: the query with its texts.' },
    ),
  ),
};

const newExample = Type.Object({ ...sentContent, split: Type.Optional(split({ default: 'train' })) });

const dedupe = Type.Optional(
  Type.Enum(['exact', 'none'], {
    description: '`exact`: what the dataset has already is left out.',
    type: 'string',
    default: 'exact',
  }),
);

/** What is documented. Contents are checked by what reads them, which knows more: each item gets its own result. */
export const createExamplesDocumented = Type.Object({
  examples: Type.Array(newExample, {
    description: '1 to 100 examples.',
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

const filterFields = {
  q: examplesQuery.properties.q,
  split: Type.Optional(split({ description: 'Only examples of this split.' })),
  origin: Type.Optional(Type.Enum([...origins], { description: 'Only examples of this origin.', type: 'string' })),
  valid: examplesQuery.properties.valid,
};

export const bulkExamplesBody = Type.Object({
  action: Type.Enum(['move', 'delete'], {
    description: '`move`: the examples come into `split`. `delete`: they leave the dataset; versions keep them.',
    type: 'string',
  }),
  split: Type.Optional(split({ description: 'Of `move`: where to.' })),
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: 'Which examples. Send this or `filter`.',
      minItems: 1,
      maxItems: maxBulkExamples,
    }),
  ),
  filter: Type.Optional(
    Type.Object(filterFields, {
      description: 'All examples that match, as in the list; an empty filter matches all.',
      additionalProperties: false,
    }),
  ),
});

export const bulkResultSchema = Type.Object({
  changed: Type.Integer({ description: 'Examples that were moved or deleted.', minimum: 0 }),
  ids: Type.Array(Type.String(), { description: 'Their ids.' }),
  unchanged: Type.Integer({ description: 'Examples that were in the split already.', minimum: 0 }),
  missing: Type.Integer({ description: 'Ids that are not in the dataset.', minimum: 0 }),
  remaining: Type.Integer({ description: 'Examples that the filter still matches: send it again.', minimum: 0 }),
});

const issue = Type.Object({
  code: Type.String({ description: 'What is wrong, as a word.' }),
  pointer: Type.String({ description: 'Where, as a JSON pointer.' }),
  message: Type.String({ description: 'What is wrong, in English.' }),
  hint: nullable(Type.String(), 'What to do about it.'),
});

const issues = Type.Array(issue, { description: 'What is wrong with it, or worth a look.' });

export const addedSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Place in the request.', minimum: 0 }),
      status: Type.Enum(['created', 'duplicate', 'rejected'], { description: 'What became of it.' }),
      id: nullable(Type.String(), 'Its id; null unless it was created.'),
      issues,
    }),
    { description: 'One per example, in their order.' },
  ),
});

export const exampleSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the example; it stays when the content changes.' }),
    dataset_id: Type.String({ description: 'Id of its dataset.' }),
    kind: Type.Enum(['text', 'embedding'], { description: 'The kind of its project.' }),
    text: nullable(textContent, 'Null in embedding projects.'),
    embedding: nullable(embeddingContent, 'Null in text projects.'),
    split: split(),
    origin: Type.Enum([...origins], { description: 'How it came into the dataset.' }),
    origin_id: nullable(Type.String(), 'Id of what it was made of.'),
    tokens: nullable(Type.Integer({ minimum: 0 }), 'Tokens of all of it; null: no model could count.'),
    valid: Type.Boolean({ description: 'Whether versions take it.' }),
    issues,
    content_hash: Type.String({ description: 'SHA-256 of the content as canonical JSON.' }),
    created_at: timestamp('When it was added.'),
    updated_at: timestamp('When it last changed.'),
  },
  { $id: 'Example', description: 'An example.' },
);

export const examplesPageSchema = Type.Object({
  ...pageSchema(exampleSchema).properties,
  total_count_is_exact: Type.Boolean({
    description: 'False: there are more examples than `total_count`, or may be. Only searches answer it.',
  }),
});

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
    index,
    status,
    id,
    issues: found.map(({ code, pointer, message, hint }: Issue) => ({ code, pointer, message, hint })),
  }));
  return { results };
}
