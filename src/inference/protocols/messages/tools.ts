import type { ToolChoice, ToolDefinition } from '#engine';
import { clientTool } from './client-tools.ts';
import { refuse } from './refuse.ts';
import type { AnthropicTool, CountTokensBody } from './request.schema.ts';

const namePattern = /^[A-Za-z0-9_-]{1,128}$/;

/** Tools that run on a server are left out: nobody runs them here. */
export function readTools(tools: readonly AnthropicTool[]): ToolDefinition[] {
  const names = new Set<string>();
  return tools.flatMap((body, index) => {
    const tool = readTool(body, `tools.${index}`);
    if (tool === null) return [];
    if (names.has(tool.name)) throw refuse(`tools.${index}.name`, 'two tools have this name');
    names.add(tool.name);
    return [tool];
  });
}

function readTool(tool: AnthropicTool, path: string): ToolDefinition | null {
  const { type, name, description, input_schema: parameters, strict } = tool;
  const isCustom = (type ?? 'custom') === 'custom';
  const known = isCustom ? null : clientTool(type ?? '', name ?? null);
  // Of an unknown type, but described as one of our own kind.
  if (!isCustom && !known && !(name && parameters)) return null;
  const definition = known ?? { name: name ?? '', description: description ?? null, parameters: parameters ?? null };
  if (!namePattern.test(definition.name)) throw refuse(`${path}.name`, 'expected 1 to 128 letters, digits, "_" or "-"');
  if (definition.parameters === null) throw refuse(`${path}.input_schema`, 'expected a JSON schema object');
  return typeof strict === 'boolean' ? { ...definition, strict } : definition;
}

/** What it forces must be possible with the tools that were sent. One that was left out cannot be forced: then the model chooses. */
export function readToolChoice(
  { tool_choice: choice, tools: sent }: Pick<CountTokensBody, 'tool_choice' | 'tools'>,
  tools: readonly ToolDefinition[],
): ToolChoice {
  switch (choice?.type) {
    case 'any':
      if (!sent?.length) throw refuse('tool_choice.type', '"any" needs tools');
      return { mode: tools.length > 0 ? 'required' : 'auto' };
    case 'tool': {
      const { name } = choice;
      if (tools.some((tool) => tool.name === name)) return { mode: 'named', name };
      if (!sent?.some((tool) => tool.name === name)) throw refuse('tool_choice.name', 'names a tool that was not sent');
      return { mode: 'auto' };
    }
    case 'none':
      return { mode: 'none' };
    default:
      return { mode: 'auto' };
  }
}

export function allowsParallelCalls({ tool_choice: choice }: Pick<CountTokensBody, 'tool_choice'>): boolean {
  return !(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true);
}
