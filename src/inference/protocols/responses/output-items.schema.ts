import Type from 'typebox';
import { said } from '#http';

const id = Type.String(said('Id of the item.', '条目的 ID。'));
const status = Type.Enum(
  ['in_progress', 'completed', 'incomplete'],
  said('`incomplete`: the answer ended within it.', '`incomplete`：回答在此条目中途结束。'),
);
const text = Type.String(said('The text.', '文本内容。'));
const callId = Type.String(said('Joins a call and its output.', '把调用与其输出关联起来。'));
const name = Type.String(said('Name of the tool.', '工具名称。'));
const namespace = Type.Optional(Type.String(said('Namespace of the tool.', '工具所在的命名空间。')));
const nothing = (english: string, chinese: string) =>
  Type.Array(Type.Unknown(), { ...said(english, chinese), maxItems: 0 });

export const outputTextSchema = Type.Object({
  type: Type.Literal('output_text', said('Text.', '文本。')),
  annotations: nothing('Always empty.', '始终为空。'),
  logprobs: nothing('Always empty.', '始终为空。'),
  text,
});

const messageItem = Type.Object(
  {
    id,
    type: Type.Literal('message', said('A message.', '消息。')),
    status,
    role: Type.Literal('assistant', said('The model.', '模型。')),
    content: Type.Array(outputTextSchema, said('Its text.', '消息的文本。')),
  },
  said('What the model said.', '模型的回答。'),
);

const reasoningItem = Type.Object(
  {
    id,
    type: Type.Literal('reasoning', said('Reasoning.', '推理。')),
    status,
    summary: Type.Array(
      Type.Object({ type: Type.Literal('summary_text', said('Text.', '文本。')), text }),
      said('The reasoning, where `reasoning.summary` was asked for.', '请求了 `reasoning.summary` 时的推理内容。'),
    ),
    content: Type.Optional(
      Type.Array(
        Type.Object({ type: Type.Literal('reasoning_text', said('Text.', '文本。')), text }),
        said('The reasoning.', '推理内容。'),
      ),
    ),
    encrypted_content: Type.Optional(
      Type.String(
        said('The same, to be sent back, where `include` asks for it.', '供发回的密文，仅在 `include` 请求时返回。'),
      ),
    ),
  },
  said('What the model thought.', '模型的推理。'),
);

const functionCallItem = Type.Object(
  {
    id,
    type: Type.Literal('function_call', said('A call of a function.', '函数调用。')),
    status,
    call_id: callId,
    name,
    namespace,
    arguments: Type.String(said('Arguments as JSON text.', 'JSON 文本形式的参数。')),
  },
  said('The model calls a function.', '模型调用函数。'),
);

const customCallItem = Type.Object(
  {
    id,
    type: Type.Literal('custom_tool_call', said('A call of a custom tool.', '自定义工具调用。')),
    status,
    call_id: callId,
    name,
    namespace,
    input: Type.String(said('What the tool is given.', '传给工具的输入。')),
  },
  said('The model calls a custom tool.', '模型调用自定义工具。'),
);

export const outputItemSchema = Type.Union([messageItem, reasoningItem, functionCallItem, customCallItem], {
  $id: 'ResponseOutputItem',
  ...said('A piece of an answer.', '回答的一部分。'),
});
