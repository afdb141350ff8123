import type { ChatMessage, ToolChoice, ToolDefinition } from './port.ts';

/** A message in the shape of the OpenAI family, in which engines take it, calls are kept and examples come. */
export function messageToWire(message: ChatMessage): Record<string, unknown> {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
        ...(message.toolCalls.length === 0
          ? {}
          : {
              tool_calls: message.toolCalls.map(({ id, name, arguments: text }) => ({
                id,
                type: 'function',
                function: { name, arguments: text },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
    default:
      return { role: message.role, content: message.content };
  }
}

export function toolToWire({ name, description, parameters, strict }: ToolDefinition): Record<string, unknown> {
  return {
    type: 'function',
    function: {
      name,
      ...(description === null ? {} : { description }),
      ...(parameters === null ? {} : { parameters }),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

export function toolChoiceToWire(choice: ToolChoice): unknown {
  return choice.mode === 'named' ? { type: 'function', function: { name: choice.name } } : choice.mode;
}
