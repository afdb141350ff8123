import { type Fields, isFields } from '#kernel';
import type { InputItem } from './input-items.schema.ts';
import type { ResponsesTool } from './tools.schema.ts';

/**
 * Tools that stand among the items of the input: Codex sends all of its own so, for models that it knows by their names.
 * As with tools of namespaces nothing of them is refused, and of two with one name the first counts.
 */
export function additionalTools(items: readonly InputItem[], before: readonly ResponsesTool[]): ResponsesTool[] {
  const names = new Set(before.flatMap((tool) => (tool.type === 'function' ? [nameOf(tool)] : [])));
  return items.flatMap(toolsIn).flatMap((tool): ResponsesTool[] => {
    const { type, name } = tool;
    if (type === 'namespace' || type === 'custom') return [{ ...tool, type }];
    if (type !== 'function' || typeof name !== 'string' || name === '' || names.has(name)) return [];
    names.add(name);
    const { description, parameters, strict } = tool;
    return [
      {
        type,
        name,
        strict,
        description: typeof description === 'string' ? description : null,
        parameters: isFields(parameters) ? parameters : null,
      },
    ];
  });
}

const nameOf = (tool: ResponsesTool) => ('name' in tool ? tool.name : null);

function toolsIn(item: InputItem): Fields[] {
  return item.type === 'additional_tools' && 'tools' in item && Array.isArray(item.tools)
    ? item.tools.filter(isFields)
    : [];
}
