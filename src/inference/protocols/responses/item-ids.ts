/** Where an item of a stored response is. */
export type ItemPlace = { responseId: string; list: 'input' | 'output'; index: number };

const prefixes = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
} as const;

export type IdentifiedType = keyof typeof prefixes;

const pattern = /^[a-z]{2,4}_([A-Za-z0-9]{1,64})_(i?)(\d{1,6})$/;

/** The id of an item, from that of its response and its place there: the same however often it is made. */
export function itemId(type: IdentifiedType, { responseId, list, index }: ItemPlace): string {
  return `${prefixes[type]}_${responseId.slice('resp_'.length)}_${list === 'input' ? 'i' : ''}${index}`;
}

/** The place that an id names; null for ids that are not ours. */
export function placeOf(id: string): ItemPlace | null {
  const [, response, isInput, index] = pattern.exec(id) ?? [];
  if (response === undefined || index === undefined) return null;
  return { responseId: `resp_${response}`, list: isInput === 'i' ? 'input' : 'output', index: Number(index) };
}

export const isIdentifiedType = (type: unknown): type is IdentifiedType =>
  typeof type === 'string' && Object.hasOwn(prefixes, type);
