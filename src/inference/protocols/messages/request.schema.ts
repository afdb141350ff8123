import Type, { type Static } from 'typebox';
import { expecting } from '#http';
import { chatDefaults } from '#models';
import { cacheControl, messageSchema, optional, textContent } from './content.schema.ts';

export const maxTools = 512;

const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** Of our own kind, or one of Anthropic's, which may lack any of these fields. */
const toolSchema = Type.Object({
  type: optional(
    Type.String({
      description:
        '`custom`, the default; or a client tool of Anthropic (`bash_*`, `text_editor_*`, `memory_*`). Tools that run on a server are left out.',
    }),
  ),
  name: optional(Type.String({ description: 'A name that no other tool has.' })),
  description: optional(Type.String({ description: 'What it does, for the model.' })),
  input_schema: optional(anyObject('JSON Schema of its arguments.')),
  strict: optional(
    Type.Boolean({ description: '`true`: arguments fit the schema also where the model chooses to call.' }),
  ),
  cache_control: cacheControl,
});

const inTurn = {
  disable_parallel_tool_use: optional(Type.Boolean({ description: 'The answer ends with the first call.' })),
};

const mode = <Name extends string>(name: Name, description: string) => Type.Literal(name, { description });

const toolChoice = Type.Union(
  [
    Type.Object({ type: mode('auto', 'As the model likes.'), ...inTurn }),
    Type.Object({ type: mode('any', 'At least one is called.'), ...inTurn }),
    Type.Object({
      type: mode('tool', 'The one that is named.'),
      name: Type.String({ description: 'Name of a tool of the request.' }),
      ...inTurn,
    }),
    Type.Object({ type: mode('none', 'None is called.') }),
  ],
  { description: 'Whether tools are called.' },
);

const thinking = Type.Union(
  [
    Type.Object({
      type: mode('enabled', 'The model thinks before it answers.'),
      budget_tokens: optional(Type.Integer({ description: 'Most tokens of thinking.', minimum: 1 })),
      display: optional(Type.Enum(['summarized', 'omitted'], { description: '`omitted`: thoughts are not shown.' })),
    }),
    Type.Object({ type: mode('disabled', 'It does not think.') }),
    Type.Object({
      type: Type.Enum(['adaptive', 'between_tools'], { description: 'As the model likes.' }),
      display: optional(Type.Enum(['summarized', 'omitted'], { description: 'As above.' })),
    }),
  ],
  { description: 'Whether the model thinks; left out, it does not, unless `output_config.effort` asks for it.' },
);

const jsonFormat = Type.Object(
  {
    type: Type.Literal('json_schema', { description: 'JSON that fits a schema.' }),
    schema: anyObject('The schema.'),
  },
  { description: 'Form of the answer; the model cannot leave it.' },
);

const outputConfig = Type.Object(
  {
    effort: optional(
      Type.Enum(['low', 'medium', 'high', 'xhigh', 'max'], {
        description: '`low` keeps thoughts short, the others do not.',
      }),
    ),
    format: optional(jsonFormat),
  },
  { description: 'How to answer.' },
);

const countedFields = {
  model: Type.String({
    description: 'A hosted model from the list of models, a base model, or `training-job#<id>` of a finished job.',
    minLength: 1,
  }),
  messages: Type.Array(messageSchema, {
    description:
      'The conversation so far. It ends with a message of the user; results of tools follow the calls that they answer.',
    minItems: 1,
    ...expecting('expected a list with at least one message'),
  }),
  system: optional(textContent),
  tools: optional(Type.Array(toolSchema, { description: 'Tools that the model may call.', maxItems: maxTools })),
  tool_choice: optional(toolChoice),
  thinking: optional(thinking),
  output_config: optional(outputConfig),
  output_format: optional(jsonFormat),
};

/** The body of messages/count_tokens. */
export const countRequestSchema = Type.Object(countedFields, { $id: 'CountTokensRequest' });

/** The body of messages. */
export const messagesRequestSchema = Type.Object(
  {
    ...countedFields,
    max_tokens: Type.Integer({
      description:
        'Most tokens of the answer, thoughts included. Where the context of the model has less room, the answer ends there with `model_context_window_exceeded`.',
      minimum: 1,
    }),
    stream: optional(
      Type.Boolean({
        description: 'Answer with server-sent events as the text is made.',
        default: false,
      }),
    ),
    stop_sequences: optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Texts that end the answer; they are not returned.',
        maxItems: 64,
      }),
    ),
    temperature: optional(
      Type.Number({
        description: 'Randomness; 0 always takes the likeliest.',
        minimum: 0,
        maximum: 1,
        default: chatDefaults.temperature,
      }),
    ),
    top_p: optional(
      Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Literal(-1)], {
        description: 'Share of probability that tokens are chosen from; -1: as if it was left out.',
        ...expecting('expected a number from 0 to 1'),
        default: chatDefaults.top_p,
      }),
    ),
    top_k: optional(
      Type.Integer({
        description: 'Only so many of the likeliest tokens are chosen from; 0 and -1: all.',
        ...expecting('expected an integer of at least 0'),
        minimum: -1,
      }),
    ),
  },
  { $id: 'MessagesRequest' },
);

export type CountTokensBody = Static<typeof countRequestSchema>;
export type MessagesBody = Static<typeof messagesRequestSchema>;
export type AnthropicTool = NonNullable<CountTokensBody['tools']>[number];
