import Type, { type Static, type TSchema } from 'typebox';
import { expecting, nullable } from '#http';

/** A field that may be left out; null means the same. */
export const optional = <Value extends TSchema>(value: Value) => Type.Optional(nullable(value));

export const cacheControl = Type.Optional(
  Type.Unknown({ description: 'Accepted and not needed: what prompts begin with is always cached.' }),
);

/** `words` tell what is expected in the place of kinds that are not known. */
const kind = <Name extends string>(name: Name, words?: string) =>
  Type.Literal(name, { description: 'Kind of block.', ...(words === undefined ? {} : expecting(words)) });

const textBlock = Type.Object({
  type: kind('text'),
  text: Type.String({ description: 'The text.' }),
  cache_control: cacheControl,
});

/** Text, as one string or in blocks. */
export const textContent = Type.Union([Type.String(), Type.Array(textBlock)], {
  description: 'Text, or blocks of text that are joined with line breaks.',
  ...expecting('expected a string or a list of text blocks'),
});

const searchResult = Type.Object({
  type: kind('search_result'),
  source: Type.String({ description: 'Where it is from.' }),
  title: Type.String({ description: 'Its title.' }),
  content: Type.Array(textBlock, { description: 'Its text.' }),
});

const documentBlock = Type.Object({
  type: kind('document'),
  title: optional(Type.String({ description: 'Its title.' })),
  context: optional(Type.String({ description: 'What to know about it.' })),
  source: Type.Union(
    [
      Type.Object({
        type: Type.Literal('text', {
          description: 'Plain text.',
          ...expecting('this service reads text only: expected a source of type "text" or "content"'),
        }),
        data: Type.String({ description: 'The text.' }),
      }),
      Type.Object({ type: Type.Literal('content', { description: 'Blocks.' }), content: textContent }),
    ],
    { description: 'The text of the document; files are not read.' },
  ),
});

const imageBlock = Type.Object({
  type: kind('image'),
  source: Type.Object(
    {
      type: Type.Literal('base64', {
        description: 'The image itself.',
        ...expecting('images are not fetched: expected a source of type "base64"'),
      }),
      media_type: Type.String({ description: '`image/png`, `image/jpeg`, `image/webp` or `image/gif`.' }),
      data: Type.String({ description: 'The image in base64.' }),
    },
    { description: 'The image.' },
  ),
  cache_control: cacheControl,
});

const toolReference = Type.Object({
  type: kind('tool_reference', 'this service reads text only: expected blocks of type "text"'),
  tool_name: Type.String({ description: 'Name of a tool that was found.' }),
});

const toolResult = Type.Object({
  type: kind('tool_result', 'this service reads text only: expected a block of type "text", "image" or "tool_result"'),
  tool_use_id: Type.String({ description: 'The call that this answers.', minLength: 1 }),
  content: optional(
    Type.Union([Type.String(), Type.Array(Type.Union([textBlock, searchResult, documentBlock, toolReference]))], {
      description: 'What the tool said; left out, nothing.',
      ...expecting('expected a string or a list of text blocks'),
    }),
  ),
  is_error: optional(Type.Boolean({ description: 'The tool failed.' })),
  cache_control: cacheControl,
});

const thinkingBlock = Type.Object({
  type: kind('thinking', 'expected a block of type "text", "thinking", "redacted_thinking" or "tool_use"'),
  thinking: Type.String({ description: 'What the model thought.' }),
  signature: optional(
    Type.String({ description: 'As it came; a block whose signature is not of this service is left out.' }),
  ),
});

const redactedThinking = Type.Object(
  { type: kind('redacted_thinking') },
  { description: 'Left out: nobody can read it here.' },
);

const toolUse = Type.Object({
  type: kind('tool_use'),
  id: Type.String({ description: 'Id of the call.', minLength: 1 }),
  name: Type.String({ description: 'Name of the tool.', minLength: 1 }),
  input: Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments of the call.' }),
  cache_control: cacheControl,
});

const compaction = Type.Object({
  type: kind('compaction'),
  content: optional(Type.String({ description: 'What came before, in short.' })),
});

/** Calls of tools that run on a server, and what goes with them: left out, as those tools are. */
const serverBlock = Type.Object({
  type: Type.Enum(
    [
      'server_tool_use',
      'web_search_tool_result',
      'web_fetch_tool_result',
      'code_execution_tool_result',
      'bash_code_execution_tool_result',
      'text_editor_code_execution_tool_result',
      'tool_search_tool_result',
      'mcp_tool_use',
      'mcp_tool_result',
      'mcp_tool_listing',
      'advisor_tool_result',
      'container_upload',
      'fallback',
    ],
    { description: 'A tool of a server took part; left out.' },
  ),
});

const role = <Name extends string>(name: Name, description: string) =>
  Type.Literal(name, { description, ...expecting('expected "user", "assistant" or "system"') });

function contentOf<Block extends TSchema>(block: Block, expected: string) {
  return Type.Union([Type.String(), Type.Array(block)], {
    description: 'Text, or blocks.',
    'x-expected': expected,
  });
}

const userMessage = Type.Object(
  {
    role: role('user', 'The person, or what answers calls of tools.'),
    content: contentOf(
      Type.Union([textBlock, imageBlock, toolResult, searchResult, documentBlock]),
      'expected a string or a list of blocks',
    ),
  },
  { description: 'What a person says, and the results of tools.' },
);

const assistantMessage = Type.Object(
  {
    role: role('assistant', 'The model.'),
    content: contentOf(
      Type.Union([textBlock, thinkingBlock, redactedThinking, toolUse, compaction, serverBlock]),
      'expected a string or a list of blocks',
    ),
  },
  { description: 'An earlier answer.' },
);

const systemMessage = Type.Object(
  {
    role: role('system', 'Instructions for the model.'),
    content: optional(textContent),
  },
  { description: 'Instructions within the conversation.' },
);

export const messageSchema = Type.Union([userMessage, assistantMessage, systemMessage]);

export type MessageParam = Static<typeof messageSchema>;
export type TextBlocks = Static<typeof textContent>;
export type UserBlock = Exclude<Static<typeof userMessage>['content'], string>[number];
export type AssistantBlock = Exclude<Static<typeof assistantMessage>['content'], string>[number];
export type ToolResult = Static<typeof toolResult>;
