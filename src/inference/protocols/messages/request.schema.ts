import Type, { type Static } from 'typebox';
import { expecting, said } from '#http';
import { chatDefaults } from '#models';
import { cacheControl, messageSchema, optional, textContent } from './content.schema.ts';

export const maxTools = 512;

const anyObject = (english: string, chinese: string) =>
  Type.Record(Type.String(), Type.Unknown(), said(english, chinese));

/** Of our own kind, or one of Anthropic's, which may lack any of these fields. */
const toolSchema = Type.Object({
  type: optional(
    Type.String(
      said(
        '`custom`, the default; or a client tool of Anthropic (`bash_*`, `text_editor_*`, `memory_*`). Tools that run on a server are left out.',
        '默认 `custom`；或 Anthropic 的客户端工具（`bash_*`、`text_editor_*`、`memory_*`）。在服务端运行的工具会被忽略。',
      ),
    ),
  ),
  name: optional(Type.String(said('A name that no other tool has.', '名称，不得重复。'))),
  description: optional(Type.String(said('What it does, for the model.', '向模型说明其用途。'))),
  input_schema: optional(anyObject('JSON Schema of its arguments.', '参数的 JSON Schema。')),
  strict: optional(
    Type.Boolean(
      said(
        '`true`: arguments fit the schema also where the model chooses to call.',
        '`true`：即使由模型自行决定调用，参数也符合 Schema。',
      ),
    ),
  ),
  cache_control: cacheControl,
});

const inTurn = {
  disable_parallel_tool_use: optional(
    Type.Boolean(said('The answer ends with the first call.', '回答在首个调用后结束。')),
  ),
};

const mode = <Name extends string>(name: Name, english: string, chinese: string) =>
  Type.Literal(name, said(english, chinese));

const toolChoice = Type.Union(
  [
    Type.Object({ type: mode('auto', 'As the model likes.', '由模型决定。'), ...inTurn }),
    Type.Object({ type: mode('any', 'At least one is called.', '至少调用一个。'), ...inTurn }),
    Type.Object({
      type: mode('tool', 'The one that is named.', '调用指定的工具。'),
      name: Type.String(said('Name of a tool of the request.', '请求中某个工具的名称。')),
      ...inTurn,
    }),
    Type.Object({ type: mode('none', 'None is called.', '不调用工具。') }),
  ],
  said('Whether tools are called.', '是否调用工具。'),
);

const thinking = Type.Union(
  [
    Type.Object({
      type: mode('enabled', 'The model thinks before it answers.', '模型在回答前推理。'),
      budget_tokens: optional(Type.Integer({ ...said('Most tokens of thinking.', '推理的最大词元数。'), minimum: 1 })),
      display: optional(
        Type.Enum(['summarized', 'omitted'], said('`omitted`: thoughts are not shown.', '`omitted`：不显示推理内容。')),
      ),
    }),
    Type.Object({ type: mode('disabled', 'It does not think.', '不推理。') }),
    Type.Object({
      type: Type.Enum(['adaptive', 'between_tools'], said('As the model likes.', '由模型决定。')),
      display: optional(Type.Enum(['summarized', 'omitted'], said('As above.', '同上。'))),
    }),
  ],
  said(
    'Whether the model thinks; left out, it does not, unless `output_config.effort` asks for it.',
    '模型是否推理；省略时不推理，除非设置了 `output_config.effort`。',
  ),
);

const jsonFormat = Type.Object(
  {
    type: Type.Literal('json_schema', said('JSON that fits a schema.', '符合给定 Schema 的 JSON。')),
    schema: anyObject('The schema.', '该 Schema。'),
  },
  said('Form of the answer; the model cannot leave it.', '回答的格式；由语法约束强制保证。'),
);

const outputConfig = Type.Object(
  {
    effort: optional(
      Type.Enum(
        ['low', 'medium', 'high', 'xhigh', 'max'],
        said('`low` keeps thoughts short, the others do not.', '`low` 使推理简短，其余不缩短推理。'),
      ),
    ),
    format: optional(jsonFormat),
  },
  said('How to answer.', '回答方式。'),
);

const countedFields = {
  model: Type.String({
    ...said(
      'A hosted model from the list of models, a base model, or `training-job#<id>` of a finished job.',
      '模型列表中的托管模型、基础模型，或已完成训练任务的 `training-job#<id>`。',
    ),
    minLength: 1,
  }),
  messages: Type.Array(messageSchema, {
    ...said(
      'The conversation so far. It ends with a message of the user; results of tools follow the calls that they answer.',
      '到目前为止的对话。最后一条须为用户消息；工具结果须紧随其所回应的调用。',
    ),
    minItems: 1,
    ...expecting('expected a list with at least one message'),
  }),
  system: optional(textContent),
  tools: optional(
    Type.Array(toolSchema, { ...said('Tools that the model may call.', '模型可以调用的工具。'), maxItems: maxTools }),
  ),
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
      ...said(
        'Most tokens of the answer, thoughts included. Where the context of the model has less room, the answer ends there with `model_context_window_exceeded`.',
        '回答的最大词元数，含推理部分。若模型上下文的剩余空间更小，回答在该处结束，原因为 `model_context_window_exceeded`。',
      ),
      minimum: 1,
    }),
    stream: optional(
      Type.Boolean({
        ...said('Answer with server-sent events as the text is made.', '以服务器发送事件的形式逐步返回。'),
        default: false,
      }),
    ),
    stop_sequences: optional(
      Type.Array(Type.String({ minLength: 1 }), {
        ...said('Texts that end the answer; they are not returned.', '遇到即结束回答的文本；不会出现在结果中。'),
        maxItems: 64,
      }),
    ),
    temperature: optional(
      Type.Number({
        ...said('Randomness; 0 always takes the likeliest.', '采样温度；0 表示总是选择概率最高的词元。'),
        minimum: 0,
        maximum: 1,
        default: chatDefaults.temperature,
      }),
    ),
    top_p: optional(
      Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Literal(-1)], {
        ...said(
          'Share of probability that tokens are chosen from; -1: as if it was left out.',
          '核采样的概率阈值；-1 等同于省略。',
        ),
        ...expecting('expected a number from 0 to 1'),
        default: chatDefaults.top_p,
      }),
    ),
    top_k: optional(
      Type.Integer({
        ...said(
          'Only so many of the likeliest tokens are chosen from; 0 and -1: all.',
          '仅从概率最高的若干词元中选择；0 和 -1 表示全部。',
        ),
        ...expecting('expected an integer of at least 0'),
        minimum: -1,
      }),
    ),
  },
  { $id: 'MessagesRequest' },
);

export type CountBody = Static<typeof countRequestSchema>;
export type MessagesBody = Static<typeof messagesRequestSchema>;
export type ToolBody = NonNullable<CountBody['tools']>[number];
