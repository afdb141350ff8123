import { type Fields, isFields, parseExactJson } from '#kernel';

/** Who speaks in a conversation of the ShareGPT family, in the words of the interface. */
const roles: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  system: 'system',
  tool: 'tool',
  function: 'tool',
  observation: 'tool',
  function_call: 'assistant',
};

/** `{from, value}` instead of `{role, content}`. */
export function isShareGptMessage(item: unknown): item is Fields & { from: string } {
  return isFields(item) && typeof item.from === 'string' && item.role === undefined;
}

/** Messages as the interface has them. Calls of tools get ids in the order in which they are made. */
export function fromShareGpt(items: readonly unknown[]): unknown[] {
  let calls = 0;
  return items.map((item) => {
    if (!isShareGptMessage(item)) return item;
    const role = roles[item.from.toLowerCase()] ?? item.from;
    const weight = item.weight === undefined ? {} : { weight: item.weight };
    if (item.from === 'function_call') {
      calls++;
      return {
        role,
        content: null,
        tool_calls: [{ id: `call_${calls}`, type: 'function', function: callOf(item.value) }],
        ...weight,
      };
    }
    return { role, content: item.value, ...(role === 'tool' ? { tool_call_id: `call_${calls}` } : {}), ...weight };
  });
}

/** A call written as JSON text: `{"name": ..., "arguments": {...}}`. */
function callOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseExactJson(value);
  } catch {
    return null;
  }
}
