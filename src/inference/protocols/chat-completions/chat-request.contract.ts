import Type, { type Static } from 'typebox';
import { expecting, expectingWithin, nullable } from '#http';
import { isFields } from '#kernel';
import { samplingFields } from '../openai/sampling.contract.ts';
import { calledModel, notSupported, optional } from '../shared/call.contract.ts';

const textPart = Type.Object({
  type: Type.Literal('text', { description: 'Only text is read.' }),
  text: Type.String({ description: 'The text.' }),
});

const refusalPart = Type.Object({
  type: Type.Literal('refusal', { description: 'Of an earlier answer.' }),
  refusal: Type.String({ description: 'Read as text.' }),
});

const content = Type.Union([Type.String(), Type.Array(Type.Union([textPart, refusalPart]))], {
  description: 'Text, or text parts that are joined with line breaks.',
  ...expectingWithin(wordsOfContent),
});

const imagePart = Type.Object(
  {
    type: Type.Literal('image_url', { description: 'An image, for models with vision.' }),
    image_url: Type.Object(
      {
        url: Type.String({
          description:
            'The image as a `data:` URL in base64: PNG, JPEG, WebP or GIF. Nothing is fetched: links are refused.',
        }),
        detail: optional(
          Type.Enum(['auto', 'low', 'high'], {
            description: 'How closely it is looked at, where the engine knows that.',
          }),
        ),
      },
      { description: 'The image.' },
    ),
  },
  { description: 'An image.' },
);

const userContent = Type.Union([Type.String(), Type.Array(Type.Union([textPart, imagePart, refusalPart]))], {
  description: 'Text, or parts: texts, which are joined with line breaks, and at most 8 images.',
  ...expectingWithin((sent) => wordsOfContent(sent, ['image_url'])),
});

/** Clients show these words to people, who have no use for the place of a part. */
function wordsOfContent(content: unknown, others: readonly string[] = []): string {
  if (!Array.isArray(content)) return 'expected a string or a list of text parts';
  const part: unknown = content.find(
    (each) => !isReadable(each) && !(isFields(each) && others.includes(String(each.type))),
  );
  if (part === undefined) return 'expected image_url with a url';
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
    id: Type.String({ description: 'Id of the call.' }),
    type: Type.Optional(Type.Literal('function', { description: 'Only functions can be called.' })),
    function: Type.Object(
      {
        name: Type.String({ description: 'Name of the function.', minLength: 1 }),
        arguments: Type.String({
          description: 'Arguments as JSON text.',
          ...expecting('expected a string holding JSON'),
        }),
      },
      { description: 'The function that is called.' },
    ),
  },
  { $id: 'ToolCall', ...expecting('expected a function call') },
);

export const toolCalls = Type.Array(toolCall, { description: 'Calls of tools.' });

const role = <Name extends string>(name: Name, description: string) =>
  Type.Literal(name, { description, ...expecting(wordsOfRole) });

function wordsOfRole(sent: unknown): string {
  if (sent === 'function') return 'functions are deprecated, use tools';
  return 'expected "system", "developer", "user", "assistant" or "tool"';
}

const message = Type.Union(
  [
    Type.Object({ role: role('system', 'Instructions for the model.'), content }, { description: 'Instructions.' }),
    Type.Object(
      { role: role('developer', 'The same as `system`.'), content },
      { description: 'Instructions, under their newer name.' },
    ),
    Type.Object({ role: role('user', 'The person.'), content: userContent }, { description: 'What a person says.' }),
    Type.Object(
      {
        role: role('assistant', 'The model.'),
        content: Type.Optional(nullable(content)),
        reasoning_content: Type.Optional(
          Type.Unknown({
            description: 'Reasoning that came with an answer, sent back: text; anything else is ignored.',
          }),
        ),
        reasoning: Type.Optional(Type.Unknown({ description: 'Another name of the same.' })),
        refusal: Type.Optional(Type.Unknown({ description: 'As it came with an answer.' })),
        tool_calls: optional(toolCalls),
      },
      { description: 'An earlier answer; it has `content` or `tool_calls`.' },
    ),
    Type.Object(
      {
        role: role('tool', 'A tool.'),
        content,
        tool_call_id: Type.String({ description: 'The call that this answers.' }),
      },
      { description: 'The result of a tool.' },
    ),
  ],
  expecting('expected an object with role and content'),
);

const jsonSchema = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description,
    ...expecting('expected a JSON schema object'),
  });

export const tools = Type.Array(
  Type.Object(
    {
      type: Type.Literal('function', { description: 'Only functions are supported.' }),
      function: Type.Object(
        {
          name: Type.String({
            description: 'A name that no other tool has.',
            pattern: '^[A-Za-z0-9_-]{1,64}$',
            ...expecting('expected 1 to 64 letters, digits, "_" or "-"'),
          }),
          description: optional(Type.String({ description: 'What it does, for the model.' })),
          parameters: optional(jsonSchema('JSON Schema of its arguments; left out, it has none.')),
          strict: Type.Optional(
            Type.Unknown({
              description:
                '`true`: arguments fit the schema also where the model chooses to call. Another value changes nothing.',
            }),
          ),
        },
        { description: 'The function.' },
      ),
    },
    expecting('expected a function tool'),
  ),
  {
    description: 'Functions that the model may call.',
    ...expecting((sent) => `expected ${Array.isArray(sent) ? 'at most 128 tools' : 'a list of function tools'}`),
    maxItems: 128,
  },
);

const toolChoice = Type.Union(
  [
    Type.Enum(['auto', 'none', 'required']),
    Type.Object({
      type: Type.Literal('function', { description: 'Only functions are supported.' }),
      function: Type.Object(
        { name: Type.String({ description: 'Name of a tool of the request.' }) },
        { description: 'The function that must be called.' },
      ),
    }),
  ],
  {
    description:
      'Whether tools are called: as the model likes (`auto`), never, at least once, or the one that is named.',
    ...expectingWithin('expected "auto", "none", "required" or {"type":"function","function":{"name":...}}'),
  },
);

export const responseFormat = Type.Union(
  [
    Type.Object({
      type: Type.Literal('text', {
        description: 'Any text.',
        ...expecting('expected "text", "json_object" or "json_schema"'),
      }),
    }),
    Type.Object({ type: Type.Literal('json_object', { description: 'A JSON object.' }) }),
    Type.Object({
      type: Type.Literal('json_schema', { description: 'JSON that fits a schema.' }),
      json_schema: Type.Object(
        {
          name: Type.Optional(Type.String({ description: 'A name, which is ignored.' })),
          schema: optional(jsonSchema('The schema; left out, any JSON object fits.')),
        },
        { description: 'The schema with its name.' },
      ),
    }),
  ],
  { description: 'Form of the answer; the model cannot leave it.' },
);

/** The body of P/chat/completions, as `readChatRequest` reads it. */
export const chatRequestSchema = Type.Object(
  {
    model: calledModel,
    messages: Type.Array(message, {
      description: 'The conversation so far.',
      ...expecting('expected a list with at least one message'),
      minItems: 1,
    }),
    functions: notSupported('functions are deprecated, use tools'),
    function_call: notSupported('functions are deprecated, use tools'),
    logprobs: optional(
      Type.Boolean({ description: 'The answer comes with the log probabilities of its tokens.', default: false }),
    ),
    top_logprobs: optional(
      Type.Integer({
        description: 'So many of the likeliest tokens at each place, with `logprobs`.',
        minimum: 0,
        maximum: 20,
        default: 0,
      }),
    ),
    suffix: notSupported(),
    audio: notSupported(),
    web_search_options: notSupported(),
    moderation: notSupported(),
    modalities: optional(
      Type.Array(Type.Literal('text'), {
        description: 'Only text is supported.',
        ...expectingWithin('only ["text"] is supported'),
        minItems: 1,
        maxItems: 1,
      }),
    ),
    ...samplingFields,
    n: optional(
      Type.Integer({
        description: 'Answers to the prompt, made one after the other. The prompt counts once.',
        minimum: 1,
        maximum: 8,
        default: 1,
      }),
    ),
    stream: optional(
      Type.Boolean({
        description: 'Answer with server-sent events as the text is made.',
        default: false,
      }),
    ),
    stream_options: optional(
      Type.Object(
        {
          include_usage: optional(Type.Boolean({ description: 'End the stream with a frame that holds `usage`.' })),
        },
        { description: 'Counts for streams only.' },
      ),
    ),
    tools: optional(tools),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(
      Type.Boolean({
        description: 'False: stop after the first call.',
        default: true,
      }),
    ),
    response_format: optional(responseFormat),
  },
  { $id: 'ChatCompletionRequest' },
);

export type ChatCompletionBody = Static<typeof chatRequestSchema>;
export type ChatMessageBody = Static<typeof message>;
export type ToolsBody = Static<typeof tools>;
