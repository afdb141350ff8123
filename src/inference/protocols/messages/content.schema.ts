import Type, { type Static, type TSchema } from 'typebox';
import { expecting, nullable, said } from '#http';

/** A field that may be left out; null means the same. */
export const optional = <Value extends TSchema>(value: Value) => Type.Optional(nullable(value));

export const cacheControl = Type.Optional(
  Type.Unknown(
    said(
      'Accepted and not needed: what prompts begin with is always cached.',
      '可接受但无需设置：提示词的前缀总会被缓存。',
    ),
  ),
);

/** `words` tell what is expected in the place of kinds that are not known. */
const kind = <Name extends string>(name: Name, words?: string) =>
  Type.Literal(name, { ...said('Kind of block.', '内容块类型。'), ...(words === undefined ? {} : expecting(words)) });

const textBlock = Type.Object({
  type: kind('text'),
  text: Type.String(said('The text.', '文本内容。')),
  cache_control: cacheControl,
});

/** Text, as one string or in blocks. */
export const textContent = Type.Union([Type.String(), Type.Array(textBlock)], {
  ...said('Text, or blocks of text that are joined with line breaks.', '文本，或以换行连接的文本块列表。'),
  ...expecting('expected a string or a list of text blocks'),
});

const searchResult = Type.Object({
  type: kind('search_result'),
  source: Type.String(said('Where it is from.', '来源。')),
  title: Type.String(said('Its title.', '标题。')),
  content: Type.Array(textBlock, said('Its text.', '正文。')),
});

const documentBlock = Type.Object({
  type: kind('document'),
  title: optional(Type.String(said('Its title.', '标题。'))),
  context: optional(Type.String(said('What to know about it.', '背景说明。'))),
  source: Type.Union(
    [
      Type.Object({
        type: Type.Literal('text', {
          ...said('Plain text.', '纯文本。'),
          ...expecting('this service reads text only: expected a source of type "text" or "content"'),
        }),
        data: Type.String(said('The text.', '文本内容。')),
      }),
      Type.Object({ type: Type.Literal('content', said('Blocks.', '内容块。')), content: textContent }),
    ],
    said('The text of the document; files are not read.', '文档的文本；不读取文件。'),
  ),
});

const toolReference = Type.Object({
  type: kind('tool_reference', 'this service reads text only: expected blocks of type "text"'),
  tool_name: Type.String(said('Name of a tool that was found.', '所找到的工具名称。')),
});

const toolResult = Type.Object({
  type: kind('tool_result', 'this service reads text only: expected a block of type "text" or "tool_result"'),
  tool_use_id: Type.String({ ...said('The call that this answers.', '所回应的调用 ID。'), minLength: 1 }),
  content: optional(
    Type.Union([Type.String(), Type.Array(Type.Union([textBlock, searchResult, documentBlock, toolReference]))], {
      ...said('What the tool said; left out, nothing.', '工具返回的内容；省略表示没有内容。'),
      ...expecting('expected a string or a list of text blocks'),
    }),
  ),
  is_error: optional(Type.Boolean(said('The tool failed.', '工具执行失败。'))),
  cache_control: cacheControl,
});

const thinkingBlock = Type.Object({
  type: kind('thinking', 'expected a block of type "text", "thinking", "redacted_thinking" or "tool_use"'),
  thinking: Type.String(said('What the model thought.', '模型的推理内容。')),
  signature: optional(
    Type.String(
      said(
        'As it came; a block whose signature is not of this service is left out.',
        '收到时的签名；签名并非本服务所发时，该内容块会被忽略。',
      ),
    ),
  ),
});

const redactedThinking = Type.Object(
  { type: kind('redacted_thinking') },
  said('Left out: nobody can read it here.', '会被忽略：此处无法读取。'),
);

const toolUse = Type.Object({
  type: kind('tool_use'),
  id: Type.String({ ...said('Id of the call.', '调用的 ID。'), minLength: 1 }),
  name: Type.String({ ...said('Name of the tool.', '工具名称。'), minLength: 1 }),
  input: Type.Record(Type.String(), Type.Unknown(), said('Arguments of the call.', '调用参数。')),
  cache_control: cacheControl,
});

const compaction = Type.Object({
  type: kind('compaction'),
  content: optional(Type.String(said('What came before, in short.', '此前内容的摘要。'))),
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
    said('A tool of a server took part; left out.', '服务端工具的内容块；会被忽略。'),
  ),
});

const role = <Name extends string>(name: Name, english: string, chinese: string) =>
  Type.Literal(name, { ...said(english, chinese), ...expecting('expected "user", "assistant" or "system"') });

function contentOf<Block extends TSchema>(block: Block, expected: string) {
  return Type.Union([Type.String(), Type.Array(block)], {
    ...said('Text, or blocks.', '文本或内容块列表。'),
    'x-expected': expected,
  });
}

const userMessage = Type.Object(
  {
    role: role('user', 'The person, or what answers calls of tools.', '用户，或工具调用的结果。'),
    content: contentOf(
      Type.Union([textBlock, toolResult, searchResult, documentBlock]),
      'expected a string or a list of blocks',
    ),
  },
  said('What a person says, and the results of tools.', '用户消息及工具结果。'),
);

const assistantMessage = Type.Object(
  {
    role: role('assistant', 'The model.', '模型。'),
    content: contentOf(
      Type.Union([textBlock, thinkingBlock, redactedThinking, toolUse, compaction, serverBlock]),
      'expected a string or a list of blocks',
    ),
  },
  said('An earlier answer.', '先前的回答。'),
);

const systemMessage = Type.Object(
  {
    role: role('system', 'Instructions for the model.', '对模型的指令。'),
    content: optional(textContent),
  },
  said('Instructions within the conversation.', '对话中途的指令。'),
);

export const messageSchema = Type.Union([userMessage, assistantMessage, systemMessage]);

export type MessageParam = Static<typeof messageSchema>;
export type TextContent = Static<typeof textContent>;
export type UserBlock = Exclude<Static<typeof userMessage>['content'], string>[number];
export type AssistantBlock = Exclude<Static<typeof assistantMessage>['content'], string>[number];
export type ToolResult = Static<typeof toolResult>;
