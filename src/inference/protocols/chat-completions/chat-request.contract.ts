import Type, { type Static } from 'typebox';
import { expecting, expectingWithin, nullable, said } from '#http';
import { isFields } from '#kernel';
import { calledModel, notSupported, optional, samplingFields } from '../openai/sampling.contract.ts';

const textPart = Type.Object({
  type: Type.Literal('text', said('Only text is read.', '仅支持文本。')),
  text: Type.String(said('The text.', '文本内容。')),
});

const refusalPart = Type.Object({
  type: Type.Literal('refusal', said('Of an earlier answer.', '来自先前的回答。')),
  refusal: Type.String(said('Read as text.', '按文本读取。')),
});

const content = Type.Union([Type.String(), Type.Array(Type.Union([textPart, refusalPart]))], {
  ...said('Text, or text parts that are joined with line breaks.', '文本，或以换行连接的文本片段列表。'),
  ...expectingWithin(wordsOfContent),
});

/** Clients show these words to people, who have no use for the place of a part. */
function wordsOfContent(content: unknown): string {
  if (!Array.isArray(content)) return 'expected a string or a list of text parts';
  const part: unknown = content.find((each) => !isReadable(each));
  if (!isFields(part)) return 'expected text parts';
  if (part.type === 'text') return 'expected a string as text of a part';
  return `this model reads text only, not parts of type ${JSON.stringify(part.type ?? null).slice(0, 40)}`;
}

function isReadable(part: unknown): boolean {
  if (!isFields(part)) return false;
  return part.type === 'text'
    ? typeof part.text === 'string'
    : part.type === 'refusal' && typeof part.refusal === 'string';
}

const toolCall = Type.Object(
  {
    id: Type.String(said('Id of the call.', '调用的 ID。')),
    type: Type.Optional(Type.Literal('function', said('Only functions can be called.', '仅支持函数。'))),
    function: Type.Object(
      {
        name: Type.String({ ...said('Name of the function.', '函数名。'), minLength: 1 }),
        arguments: Type.String({
          ...said('Arguments as JSON text.', 'JSON 文本形式的参数。'),
          ...expecting('expected a string holding JSON'),
        }),
      },
      said('The function that is called.', '被调用的函数。'),
    ),
  },
  { $id: 'ToolCall', ...expecting('expected a function call') },
);

export const toolCalls = Type.Array(toolCall, said('Calls of tools.', '工具调用。'));

const role = <Name extends string>(name: Name, english: string, chinese: string) =>
  Type.Literal(name, { ...said(english, chinese), ...expecting(wordsOfRole) });

function wordsOfRole(sent: unknown): string {
  if (sent === 'function') return 'functions are deprecated, use tools';
  return 'expected "system", "developer", "user", "assistant" or "tool"';
}

const message = Type.Union(
  [
    Type.Object(
      { role: role('system', 'Instructions for the model.', '对模型的指令。'), content },
      said('Instructions.', '系统指令。'),
    ),
    Type.Object(
      { role: role('developer', 'The same as `system`.', '与 `system` 相同。'), content },
      said('Instructions, under their newer name.', '系统指令的新名称。'),
    ),
    Type.Object({ role: role('user', 'The person.', '用户。'), content }, said('What a person says.', '用户消息。')),
    Type.Object(
      {
        role: role('assistant', 'The model.', '模型。'),
        content: Type.Optional(nullable(content)),
        reasoning_content: Type.Optional(
          Type.Unknown(
            said(
              'Reasoning that came with an answer, sent back: text; anything else is ignored.',
              '随先前回答返回的推理内容：文本；其他值将被忽略。',
            ),
          ),
        ),
        reasoning: Type.Optional(Type.Unknown(said('Another name of the same.', '其别名。'))),
        refusal: Type.Optional(Type.Unknown(said('As it came with an answer.', '随先前回答返回的内容。'))),
        tool_calls: optional(toolCalls),
      },
      said('An earlier answer; it has `content` or `tool_calls`.', '先前的回答；须含 `content` 或 `tool_calls`。'),
    ),
    Type.Object(
      {
        role: role('tool', 'A tool.', '工具。'),
        content,
        tool_call_id: Type.String(said('The call that this answers.', '所回应的调用 ID。')),
      },
      said('The result of a tool.', '工具的结果。'),
    ),
  ],
  expecting('expected an object with role and content'),
);

const jsonSchema = (english: string, chinese: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    ...said(english, chinese),
    ...expecting('expected a JSON schema object'),
  });

export const tools = Type.Array(
  Type.Object(
    {
      type: Type.Literal('function', said('Only functions are supported.', '仅支持函数。')),
      function: Type.Object(
        {
          name: Type.String({
            ...said('A name that no other tool has.', '名称，不得重复。'),
            pattern: '^[A-Za-z0-9_-]{1,64}$',
            ...expecting('expected 1 to 64 letters, digits, "_" or "-"'),
          }),
          description: optional(Type.String(said('What it does, for the model.', '向模型说明其用途。'))),
          parameters: optional(
            jsonSchema(
              'JSON Schema of its arguments; left out, it has none.',
              '参数的 JSON Schema；省略表示没有参数。',
            ),
          ),
          strict: Type.Optional(
            Type.Unknown(
              said(
                '`true`: arguments fit the schema also where the model chooses to call. Another value changes nothing.',
                '`true`：即使由模型自行决定调用，参数也符合 Schema。其他值不产生影响。',
              ),
            ),
          ),
        },
        said('The function.', '函数定义。'),
      ),
    },
    expecting('expected a function tool'),
  ),
  {
    ...said('Functions that the model may call.', '模型可以调用的函数。'),
    ...expecting((sent) => `expected ${Array.isArray(sent) ? 'at most 128 tools' : 'a list of function tools'}`),
    maxItems: 128,
  },
);

const toolChoice = Type.Union(
  [
    Type.Enum(['auto', 'none', 'required']),
    Type.Object({
      type: Type.Literal('function', said('Only functions are supported.', '仅支持函数。')),
      function: Type.Object(
        { name: Type.String(said('Name of a tool of the request.', '请求中某个工具的名称。')) },
        said('The function that must be called.', '必须调用的函数。'),
      ),
    }),
  ],
  {
    ...said(
      'Whether tools are called: as the model likes (`auto`), never, at least once, or the one that is named.',
      '是否调用工具：由模型决定（`auto`）、从不、至少一次，或指定的函数。',
    ),
    ...expectingWithin('expected "auto", "none", "required" or {"type":"function","function":{"name":...}}'),
  },
);

const responseFormat = Type.Union(
  [
    Type.Object({
      type: Type.Literal('text', {
        ...said('Any text.', '任意文本。'),
        ...expecting('expected "text", "json_object" or "json_schema"'),
      }),
    }),
    Type.Object({ type: Type.Literal('json_object', said('A JSON object.', 'JSON 对象。')) }),
    Type.Object({
      type: Type.Literal('json_schema', said('JSON that fits a schema.', '符合给定 Schema 的 JSON。')),
      json_schema: Type.Object(
        {
          name: Type.Optional(Type.String(said('A name, which is ignored.', '名称，将被忽略。'))),
          schema: optional(
            jsonSchema('The schema; left out, any JSON object fits.', 'Schema；省略时接受任意 JSON 对象。'),
          ),
        },
        said('The schema with its name.', 'Schema 及其名称。'),
      ),
    }),
  ],
  said('Form of the answer; the model cannot leave it.', '回答的格式；由语法约束强制保证。'),
);

/** The body of P/chat/completions, as `readChatRequest` reads it. */
export const chatRequestSchema = Type.Object(
  {
    model: calledModel,
    messages: Type.Array(message, {
      ...said('The conversation so far.', '到目前为止的对话。'),
      ...expecting('expected a list with at least one message'),
      minItems: 1,
    }),
    functions: notSupported('functions are deprecated, use tools'),
    function_call: notSupported('functions are deprecated, use tools'),
    logprobs: notSupported('not supported', false),
    top_logprobs: notSupported('not supported', 0),
    audio: notSupported(),
    web_search_options: notSupported(),
    moderation: notSupported(),
    modalities: optional(
      Type.Array(Type.Literal('text'), {
        ...said('Only text is supported.', '仅支持文本。'),
        ...expectingWithin('only ["text"] is supported'),
        ...{ minItems: 1, maxItems: 1 },
      }),
    ),
    ...samplingFields,
    stream: optional(
      Type.Boolean({
        ...said('Answer with server-sent events as the text is made.', '以服务器发送事件的形式逐步返回。'),
        default: false,
      }),
    ),
    stream_options: optional(
      Type.Object(
        {
          include_usage: optional(
            Type.Boolean(said('End the stream with a frame that holds `usage`.', '在流末尾附加含 `usage` 的帧。')),
          ),
        },
        said('Counts for streams only.', '仅对流式响应有效。'),
      ),
    ),
    tools: optional(tools),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(
      Type.Boolean({
        ...said('False: stop after the first call.', '为 false 时在首个调用后停止。'),
        default: true,
      }),
    ),
    response_format: optional(responseFormat),
  },
  { $id: 'ChatCompletionRequest' },
);

export type ChatBody = Static<typeof chatRequestSchema>;
export type MessageBody = Static<typeof message>;
export type ToolsBody = Static<typeof tools>;
