import type { ChatMessage, ToolCall, UserPart } from '#engine';
import type { TextSeal } from '#kernel';
import { refuse } from '../openai/refuse.ts';
import { readImageUrl, userMessage } from '../shared/images.ts';
import {
  asReadItem,
  type ImagePart,
  type InputItem,
  type MessageContent,
  type ReadItem,
  textOf,
} from './input-items.schema.ts';
import { nameForModel, type UsedTools } from './tools.ts';

type Read = { tools: UsedTools; seal: TextSeal };

/** The messages that items stand for. What the model wrote in a row, in several items, is one message. */
export function messagesOf(items: readonly InputItem[], { tools, seal }: Read): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let answer = new Answer();

  function endAnswer(): void {
    const message = answer.message();
    if (message !== null) messages.push(message);
    answer = new Answer();
  }

  for (const [index, item] of items.map(asReadItem).entries()) {
    switch (item?.type) {
      case 'message':
        if (item.role !== 'user') refuseImages(item.content, `input[${index}].content`);
        if (item.role === 'assistant') {
          answer.texts.push(textOf(item.content));
          break;
        }
        endAnswer();
        messages.push(
          item.role === 'user'
            ? readUser(item.content, `input[${index}].content`)
            : { role: 'system', content: textOf(item.content) },
        );
        break;
      case 'reasoning':
        answer.reasoning.push(thoughtsOf(item, seal));
        break;
      case 'function_call':
      case 'custom_tool_call':
        answer.calls.push(callOf(item, tools));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        endAnswer();
        messages.push({ role: 'tool', content: textOf(item.output), toolCallId: item.call_id });
        break;
      default:
    }
  }
  endAnswer();
  return messages;
}

function refuseImages(content: MessageContent, path: string): void {
  const place = typeof content === 'string' ? -1 : content.findIndex(({ type }) => type === 'input_image');
  if (place >= 0) throw refuse(`${path}[${place}]`, 'images are read in messages of users only');
}

function readUser(content: MessageContent, path: string): ChatMessage {
  if (typeof content === 'string') return { role: 'user', content };
  return userMessage(
    content.map((part, index): UserPart => {
      if (part.type !== 'input_image') return { type: 'text', text: textOf([part]) };
      // as: parts of this type have the schema of images.
      const { image_url: url, detail } = part as ImagePart;
      const param = `${path}[${index}].image_url`;
      return { type: 'image', image: readImageUrl(url, { param, detail, refuse }) };
    }),
  );
}

/** What the model wrote in a row. */
class Answer {
  readonly reasoning: string[] = [];
  readonly texts: string[] = [];
  readonly calls: ToolCall[] = [];

  /** null: it has said nothing; what it only thought is of no use to what follows. */
  message(): ChatMessage | null {
    if (this.texts.length === 0 && this.calls.length === 0) return null;
    const reasoning = joined(this.reasoning);
    const content = joined(this.texts);
    return { role: 'assistant', content, reasoning: reasoning === '' ? null : reasoning, toolCalls: this.calls };
  }
}

const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

type Item<Type extends ReadItem['type']> = Extract<ReadItem, { type: Type }>;

function thoughtsOf({ encrypted_content: sealed, content, summary }: Item<'reasoning'>, seal: TextSeal): string {
  const opened = typeof sealed === 'string' ? seal.open(sealed) : null;
  if (opened !== null) return opened;
  const parts = content && content.length > 0 ? content : (summary ?? []);
  return joined(parts.map(({ text }) => text));
}

function callOf(item: Item<'function_call'> | Item<'custom_tool_call'>, tools: UsedTools): ToolCall {
  const { call_id: id, name, namespace = null } = item;
  if (item.type === 'function_call')
    return { id, name: nameForModel(tools, { kind: 'function', name, namespace }), arguments: item.arguments };
  const args = JSON.stringify({ input: item.input });
  return { id, name: nameForModel(tools, { kind: 'custom', name, namespace }), arguments: args };
}
