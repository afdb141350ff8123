import type { ChatPrompt } from './port.ts';

/** Characters that are read at once where steps run: it takes some milliseconds. */
const mostAtOnce = 8_192;
/** What a template may write around a message. */
const charactersOfMessage = 64;

export function charactersOf({ messages, tools }: ChatPrompt): number {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const ofCalls = calls.reduce((sum, call) => sum + call.arguments.length, 0);
  const ofTools = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  return messages.reduce((sum, { content }) => sum + content.length, ofCalls + ofTools);
}

/** Whether reading a prompt of so many characters would keep others waiting. */
export function isLarge(characters: number, { messages }: Pick<ChatPrompt, 'messages'> = { messages: [] }): boolean {
  const reasoning = messages.reduce((sum, each) => sum + ('reasoning' in each ? (each.reasoning?.length ?? 0) : 0), 0);
  return characters + reasoning + messages.length * charactersOfMessage > mostAtOnce;
}
