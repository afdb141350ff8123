import type { ToolChoice, ToolDefinition } from '#engine';
import { refuse } from '../openai/refuse.ts';
import type { ChatBody, ToolsBody } from './chat-request.contract.ts';

/** Reads `tools`: functions with unique names; an empty list is the same as none. */
export function readTools(sent: ToolsBody): ToolDefinition[] {
  const names = new Set<string>();
  return sent.map(({ function: { name, description, parameters, strict } }, index) => {
    if (names.has(name)) throw refuse(`tools[${index}].function.name`, 'two tools have this name');
    names.add(name);
    return {
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      ...(typeof strict === 'boolean' ? { strict } : {}),
    };
  });
}

/** Reads `tool_choice`; what it forces must be possible with the tools that were sent. */
export function readToolChoice(
  choice: NonNullable<ChatBody['tool_choice']>,
  tools: readonly ToolDefinition[],
): ToolChoice {
  if (choice === 'required' && tools.length === 0) throw refuse('tool_choice', '"required" needs tools');
  if (typeof choice === 'string') return { mode: choice };
  const { name } = choice.function;
  if (!tools.some((tool) => tool.name === name)) throw refuse('tool_choice', 'names a tool that was not sent');
  return { mode: 'named', name };
}
