import type { ChatMessage, ToolCall, UserPart } from '#engine';
import { readBase64Image, userMessage } from '../shared/images.ts';
import type { AssistantBlock, MessageParam, TextBlocks, ToolResult, UserBlock } from './content.schema.ts';
import { refuse } from './refuse.ts';
import type { ThinkingSignatures } from './thinking-signature.ts';
import { createToolUses } from './tool-uses.ts';

type Conversation = {
  system?: TextBlocks | null;
  messages: readonly MessageParam[];
};

/**
 * The conversation as a chat template takes it: results of tools stand directly behind the calls that they answer, whatever
 * else their messages say follows them.
 */
export function readConversation({ system, messages }: Conversation, signatures: ThinkingSignatures): ChatMessage[] {
  const read: ChatMessage[] = readSystem(system);
  const uses = createToolUses();
  /** What is said behind results of tools. */
  let behind: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    if (message.role === 'system') behind.push(...readSystem(message.content));
    else if (message.role === 'user') {
      uses.userSpoke();
      const { results, said } = readUser(message.content, {
        path: `${path}.content`,
        answered: (use, at) => uses.answered(use, `${path}.content.${at}`),
      });
      read.push(...results);
      behind.push(...said);
    } else {
      const answer = readAssistant(message.content, signatures);
      if (answer === null) continue;
      uses.called(answer.toolCalls, path);
      read.push(...behind, answer);
      behind = [];
    }
  }
  uses.end();
  // Templates begin a new message where a conversation ends: none can go on within an answer.
  if (behind.length === 0 && read.at(-1)?.role === 'assistant')
    throw refuse(
      `messages.${messages.length - 1}.role`,
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  return [...read, ...behind];
}

/** Claude Code says there which version of it asks, different with each call: no prompt would be cached. */
const attribution = /^x-anthropic-billing-header:/;

function readSystem(content: TextBlocks | null | undefined): ChatMessage[] {
  const texts = typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text);
  const said = texts.filter((text) => text !== '' && !attribution.test(text)).join('\n');
  return said === '' ? [] : [{ role: 'system', content: said }];
}

function readUser(
  content: string | UserBlock[],
  { path, answered }: { path: string; answered: (useId: string, at: number) => void },
) {
  const blocks: UserBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const results: ChatMessage[] = [];
  const parts: UserPart[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'image') parts.push(readImage(block, `${path}.${at}.source.data`));
    else if (block.type !== 'tool_result') parts.push({ type: 'text', text: textOf(block) });
    else {
      answered(block.tool_use_id, at);
      results.push({ role: 'tool', content: readResult(block), toolCallId: block.tool_use_id });
    }
  }
  const said: ChatMessage[] = parts.length > 0 || results.length === 0 ? [userMessage(parts)] : [];
  return { results, said };
}

function readImage({ source }: Extract<UserBlock, { type: 'image' }>, param: string): UserPart {
  const { media_type: mediaType, data } = source;
  return { type: 'image', image: readBase64Image({ mediaType, data }, { param, refuse }) };
}

/** Templates have no place for what became of a call but its text. */
function readResult({ content, is_error: isError }: ToolResult): string {
  const text = typeof content === 'string' ? content : (content ?? []).map(textOf).join('\n');
  return isError ? (text === '' ? 'Error' : `Error: ${text}`) : text;
}

type ReadBlock = Exclude<
  UserBlock | Exclude<ToolResult['content'], string | null | undefined>[number],
  ToolResult | { type: 'image' }
>;

function textOf(block: ReadBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_reference':
      return block.tool_name;
    case 'search_result':
      return [block.title, block.source, ...block.content.map(({ text }) => text)].join('\n');
    case 'document': {
      const { title, context, source } = block;
      const body = source.type === 'text' ? source.data : plainText(source.content);
      return [title, context, body].filter((text) => text).join('\n');
    }
  }
}

const plainText = (content: TextBlocks): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');

type Answer = Extract<ChatMessage, { role: 'assistant' }>;

/** null: nothing of it can be read here. */
function readAssistant(content: string | AssistantBlock[], signatures: ThinkingSignatures): Answer | null {
  const blocks: AssistantBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const toolCalls: ToolCall[] = [];
  let [text, reasoning] = ['', ''];
  for (const block of blocks) {
    if (block.type === 'text') text += block.text;
    else if (block.type === 'compaction') text += block.content ?? '';
    else if (block.type === 'thinking')
      reasoning += signatures.open({ thinking: block.thinking, signature: block.signature ?? '' }) ?? '';
    else if (block.type === 'tool_use')
      toolCalls.push({ id: block.id, name: block.name, arguments: JSON.stringify(block.input) });
  }
  if (text === '' && reasoning === '' && toolCalls.length === 0) return null;
  return { role: 'assistant', content: text, reasoning: reasoning === '' ? null : reasoning, toolCalls };
}
