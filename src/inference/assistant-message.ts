import type { CollectedAnswer } from './collected-answer.ts';

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/** An answer as a message of a conversation (interface 2.2): text, reasoning and calls of tools, each in one piece. */
export function assistantMessage(answer: CollectedAnswer) {
  const content = answer.textOf('content');
  const reasoning = answer.textOf('reasoning');
  const toolCalls = answer.parts.flatMap((part): WireCall[] => {
    if (part.type !== 'tool_call') return [];
    return [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }];
  });
  return {
    role: 'assistant',
    content: toolCalls.length > 0 && content === '' ? null : content,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

export type AssistantMessage = ReturnType<typeof assistantMessage>;
