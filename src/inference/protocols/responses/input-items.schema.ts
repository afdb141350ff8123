import Type, { type Static } from 'typebox';
import { expecting, said } from '#http';
import { optional } from '../openai/sampling.contract.ts';

const id = optional(Type.String(said('Id of the item, as an answer or a list named it.', '条目的 ID。')));
const status = optional(Type.String(said('Ignored.', '忽略。')));
const callId = Type.String({
  ...said('Joins a call and its output.', '把调用与其输出关联起来。'),
  minLength: 1,
});

const text = Type.String(said('The text.', '文本内容。'));

const textTypes = ['input_text', 'output_text', 'text'] as const;

const outputPart = Type.Object({ type: Type.Enum(textTypes, said('Text.', '文本。')), text });

const textPart = Type.Object({
  type: Type.Enum(textTypes, {
    ...said('Only text is read.', '仅支持文本。'),
    ...expecting((type) => `only text is read here, not parts of type ${JSON.stringify(type ?? null).slice(0, 40)}`),
  }),
  text,
});

const refusalPart = Type.Object({
  type: Type.Literal('refusal', said('That the model refused.', '模型的拒绝。')),
  refusal: Type.String(said('The text.', '文本内容。')),
});

const content = Type.Union(
  [Type.String(), Type.Array(Type.Union([textPart, refusalPart]))],
  said('Text, or text parts that are joined with line breaks.', '文本，或以换行连接的文本片段列表。'),
);

const unreadPart = Type.Object(
  { type: Type.String({ ...said('Such as `input_image`.', '例如 `input_image`。'), not: { enum: textTypes } }) },
  said('The model is told that it was left out.', '会告知模型该部分已被略去。'),
);

const output = Type.Union(
  [Type.String(), Type.Array(Type.Union([outputPart, unreadPart]))],
  said('What the tool gave: text, or text parts.', '工具的结果：文本或文本片段列表。'),
);

const message = Type.Object(
  {
    type: Type.Optional(Type.Literal('message', said('May be left out.', '可省略。'))),
    role: Type.Enum(
      ['user', 'assistant', 'system', 'developer'],
      said('Who says it; `developer` is the same as `system`.', '发言者；`developer` 与 `system` 相同。'),
    ),
    content,
    id,
    status,
  },
  said('A message.', '消息。'),
);

const namespace = optional(
  Type.String(said('Namespace of the tool, where it has one.', '工具所在的命名空间（如有）。')),
);
const toolName = Type.String({ ...said('Name of the tool.', '工具名称。'), minLength: 1 });

const functionCall = Type.Object(
  {
    type: Type.Literal('function_call', said('A call of a function.', '函数调用。')),
    call_id: callId,
    name: toolName,
    namespace,
    arguments: Type.String(said('Arguments as JSON text.', 'JSON 文本形式的参数。')),
    id,
    status,
  },
  said('A call of a function in an earlier answer.', '先前回答中的函数调用。'),
);

const customCall = Type.Object(
  {
    type: Type.Literal('custom_tool_call', said('A call of a custom tool.', '自定义工具调用。')),
    call_id: callId,
    name: toolName,
    namespace,
    input: Type.String(said('What the tool was given.', '传给工具的输入。')),
    id,
    status,
  },
  said('A call of a custom tool in an earlier answer.', '先前回答中的自定义工具调用。'),
);

const callOutput = Type.Object(
  {
    type: Type.Enum(['function_call_output', 'custom_tool_call_output'], said('The result of a call.', '调用的结果。')),
    call_id: callId,
    output,
    id,
    status,
  },
  said('What a tool gave for a call.', '工具对某次调用给出的结果。'),
);

const thoughts = (english: string, chinese: string) =>
  optional(Type.Array(Type.Object({ type: Type.String(said('Ignored.', '忽略。')), text }), said(english, chinese)));

const reasoning = Type.Object(
  {
    type: Type.Literal('reasoning', said('What the model thought.', '模型的推理。')),
    summary: thoughts('Read where there is no `content`.', '没有 `content` 时读取。'),
    content: thoughts('What the model thought.', '推理内容。'),
    encrypted_content: optional(
      Type.String(
        said(
          'As an answer of this installation had it; anything else is passed over.',
          '由本服务的回答给出；其他内容会被忽略。',
        ),
      ),
    ),
    id,
    status,
  },
  said('Reasoning of an earlier answer. It belongs to the items behind it.', '先前回答中的推理，属于其后的条目。'),
);

const itemReference = Type.Object(
  {
    type: optional(Type.Literal('item_reference', said('May be left out.', '可省略。'))),
    id: Type.String(said('Id of an item of a stored response.', '已存储回答中某个条目的 ID。')),
    role: Type.Optional(Type.Null(said('What has a role is a message.', '带有角色的是消息。'))),
  },
  said('Stands for an item of a stored response.', '引用已存储回答中的一个条目。'),
);

const readTypes = [
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'item_reference',
] as const;

const other = Type.Object(
  {
    type: Type.String({
      ...said('Such as `web_search_call`.', '例如 `web_search_call`。'),
      not: { enum: readTypes },
    }),
  },
  said(
    'Items of hosted tools are passed over. Of `additional_tools`, the `tools` are used like those of the request.',
    '托管工具的条目会被忽略。`additional_tools` 条目中的 `tools` 与请求的工具同样使用。',
  ),
);

/** What a model is given, and what it gave before. */
export const inputItem = Type.Union([message, functionCall, callOutput, customCall, reasoning, other, itemReference]);

type Item = Static<typeof message | typeof functionCall | typeof callOutput | typeof customCall | typeof reasoning>;
export type ItemReference = Static<typeof itemReference>;
export type InputItem = Static<typeof inputItem>;

/** An item that is read, with its type. */
export type ReadItem = (Static<typeof message> & { type: 'message' }) | Exclude<Item, { type?: 'message' }>;

/** null for items that are passed over, and for references. */
export function asReadItem(item: InputItem): ReadItem | null {
  if (isReference(item)) return null;
  if ('role' in item && (item.type === undefined || item.type === 'message')) return { ...item, type: 'message' };
  const isRead = readTypes.some((type) => type === item.type);
  // as: an item of a type that is read was checked by the schema of that type.
  return isRead ? (item as ReadItem) : null;
}

export function isReference(item: InputItem): item is ItemReference {
  if (item.type === 'item_reference') return true;
  return (item.type === undefined || item.type === null) && !('role' in item) && 'id' in item;
}

/** The text of a message, or of the output of a tool. What else a tool gave stays in the history of an agent, which must be able to go on. */
export function textOf(value: Static<typeof content> | Static<typeof output>): string {
  return typeof value === 'string' ? value : value.map(textOfPart).join('\n');
}

function textOfPart(part: Exclude<Static<typeof content> | Static<typeof output>, string>[number]): string {
  if ('refusal' in part && typeof part.refusal === 'string') return part.refusal;
  const isText = textTypes.some((type) => type === part.type);
  return isText && 'text' in part ? part.text : `[${part.type.slice(0, 40)} left out: this model reads text only]`;
}
