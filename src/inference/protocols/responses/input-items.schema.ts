import Type, { type Static } from 'typebox';
import { expecting } from '#http';
import { optional } from '../shared/call.contract.ts';

const id = optional(Type.String({ description: 'Id of the item, as an answer or a list named it.' }));
const status = optional(Type.String({ description: 'Ignored.' }));
const callId = Type.String({
  description: 'Joins a call and its output.',
  minLength: 1,
});

const text = Type.String({ description: 'The text.' });

const textTypes = ['input_text', 'output_text', 'text'] as const;

const outputPart = Type.Object({ type: Type.Enum(textTypes, { description: 'Text.' }), text });

const textPart = Type.Object({
  type: Type.Enum(textTypes, {
    description: 'Only text is read.',
    ...expecting((type) => `only text is read here, not parts of type ${JSON.stringify(type ?? null).slice(0, 40)}`),
  }),
  text,
});

const refusalPart = Type.Object({
  type: Type.Literal('refusal', { description: 'That the model refused.' }),
  refusal: Type.String({ description: 'The text.' }),
});

const imagePart = Type.Object(
  {
    type: Type.Literal('input_image', { description: 'An image of a user, for models with vision.' }),
    image_url: Type.String({
      description:
        'The image as a `data:` URL in base64: PNG, JPEG, WebP or GIF. Nothing is fetched: links are refused.',
      ...expecting('expected the image as a data: URL; files are not stored here'),
    }),
    detail: optional(
      Type.Enum(['auto', 'low', 'high'], { description: 'How closely it is looked at, where the engine knows that.' }),
    ),
  },
  { description: 'An image.' },
);

const content = Type.Union([Type.String(), Type.Array(Type.Union([textPart, imagePart, refusalPart]))], {
  description: 'Text, or parts: texts, which are joined with line breaks, and, of a user, at most 8 images.',
});

const unreadPart = Type.Object(
  { type: Type.String({ description: 'Such as `input_image`.', not: { enum: textTypes } }) },
  { description: 'The model is told that it was left out.' },
);

const output = Type.Union([Type.String(), Type.Array(Type.Union([outputPart, unreadPart]))], {
  description: 'What the tool gave: text, or text parts.',
});

const message = Type.Object(
  {
    type: Type.Optional(Type.Literal('message', { description: 'May be left out.' })),
    role: Type.Enum(['user', 'assistant', 'system', 'developer'], {
      description: 'Who says it; `developer` is the same as `system`.',
    }),
    content,
    id,
    status,
  },
  { description: 'A message.' },
);

const namespace = optional(Type.String({ description: 'Namespace of the tool, where it has one.' }));
const toolName = Type.String({ description: 'Name of the tool.', minLength: 1 });

const functionCall = Type.Object(
  {
    type: Type.Literal('function_call', { description: 'A call of a function.' }),
    call_id: callId,
    name: toolName,
    namespace,
    arguments: Type.String({ description: 'Arguments as JSON text.' }),
    id,
    status,
  },
  { description: 'A call of a function in an earlier answer.' },
);

const customCall = Type.Object(
  {
    type: Type.Literal('custom_tool_call', { description: 'A call of a custom tool.' }),
    call_id: callId,
    name: toolName,
    namespace,
    input: Type.String({ description: 'What the tool was given.' }),
    id,
    status,
  },
  { description: 'A call of a custom tool in an earlier answer.' },
);

const callOutput = Type.Object(
  {
    type: Type.Enum(['function_call_output', 'custom_tool_call_output'], { description: 'The result of a call.' }),
    call_id: callId,
    output,
    id,
    status,
  },
  { description: 'What a tool gave for a call.' },
);

const thoughts = (description: string) =>
  optional(Type.Array(Type.Object({ type: Type.String({ description: 'Ignored.' }), text }), { description }));

const reasoning = Type.Object(
  {
    type: Type.Literal('reasoning', { description: 'What the model thought.' }),
    summary: thoughts('Read where there is no `content`.'),
    content: thoughts('What the model thought.'),
    encrypted_content: optional(
      Type.String({ description: 'As an answer of this installation had it; anything else is passed over.' }),
    ),
    id,
    status,
  },
  { description: 'Reasoning of an earlier answer. It belongs to the items behind it.' },
);

const itemReference = Type.Object(
  {
    type: optional(Type.Literal('item_reference', { description: 'May be left out.' })),
    id: Type.String({ description: 'Id of an item of a stored response.' }),
    role: Type.Optional(Type.Null({ description: 'What has a role is a message.' })),
  },
  { description: 'Stands for an item of a stored response.' },
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
      description: 'Such as `web_search_call`.',
      not: { enum: readTypes },
    }),
  },
  {
    description:
      'Items of hosted tools are passed over. Of `additional_tools`, the `tools` are used like those of the request.',
  },
);

/** What a model is given, and what it gave before. */
export const inputItem = Type.Union([message, functionCall, callOutput, customCall, reasoning, other, itemReference]);

type Item = Static<typeof message | typeof functionCall | typeof callOutput | typeof customCall | typeof reasoning>;
export type ImagePart = Static<typeof imagePart>;
export type MessageContent = Static<typeof content>;
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
