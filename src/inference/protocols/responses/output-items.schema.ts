import Type from 'typebox';

const id = Type.String({ description: 'Id of the item.' });
const status = Type.Enum(['in_progress', 'completed', 'incomplete'], {
  description: '`incomplete`: the answer ended within it.',
});
const text = Type.String({ description: 'The text.' });
const callId = Type.String({ description: 'Joins a call and its output.' });
const name = Type.String({ description: 'Name of the tool.' });
const namespace = Type.Optional(Type.String({ description: 'Namespace of the tool.' }));
const nothing = (description: string) => Type.Array(Type.Unknown(), { description, maxItems: 0 });

export const outputTextSchema = Type.Object({
  type: Type.Literal('output_text', { description: 'Text.' }),
  annotations: nothing('Always empty.'),
  logprobs: nothing('Always empty.'),
  text,
});

const messageItem = Type.Object(
  {
    id,
    type: Type.Literal('message', { description: 'A message.' }),
    status,
    role: Type.Literal('assistant', { description: 'The model.' }),
    content: Type.Array(outputTextSchema, { description: 'Its text.' }),
  },
  { description: 'What the model said.' },
);

const reasoningItem = Type.Object(
  {
    id,
    type: Type.Literal('reasoning', { description: 'Reasoning.' }),
    status,
    summary: Type.Array(Type.Object({ type: Type.Literal('summary_text', { description: 'Text.' }), text }), {
      description: 'The reasoning, where `reasoning.summary` was asked for.',
    }),
    content: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal('reasoning_text', { description: 'Text.' }), text }), {
        description: 'The reasoning.',
      }),
    ),
    encrypted_content: Type.Optional(
      Type.String({ description: 'The same, to be sent back, where `include` asks for it.' }),
    ),
  },
  { description: 'What the model thought.' },
);

const functionCallItem = Type.Object(
  {
    id,
    type: Type.Literal('function_call', { description: 'A call of a function.' }),
    status,
    call_id: callId,
    name,
    namespace,
    arguments: Type.String({ description: 'Arguments as JSON text.' }),
  },
  { description: 'The model calls a function.' },
);

const customCallItem = Type.Object(
  {
    id,
    type: Type.Literal('custom_tool_call', { description: 'A call of a custom tool.' }),
    status,
    call_id: callId,
    name,
    namespace,
    input: Type.String({ description: 'What the tool is given.' }),
  },
  { description: 'The model calls a custom tool.' },
);

export const outputItemSchema = Type.Union([messageItem, reasoningItem, functionCallItem, customCallItem], {
  $id: 'ResponseOutputItem',
  description: 'A piece of an answer.',
});
