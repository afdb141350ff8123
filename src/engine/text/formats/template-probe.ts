/** Renders conversations through a chat template, to see how it writes them. Variables beside `messages` are the template's own. */
export type TemplateProbe = {
  source: string;
  /** Whether the model has a control token with this text. */
  hasToken: (text: string) => boolean;
  /** The variable in which it reads tools. */
  tools: { name: string; form: 'list' | 'json' } | null;
  /** null where the template refuses. */
  render: (messages: readonly ProbeMessage[], options?: ProbeOptions) => string | null;
};

export type ProbeOptions = { tools?: boolean; prompt?: boolean; values?: Record<string, unknown> };

export type ProbeMessage = {
  role: 'user' | 'assistant' | 'tool' | 'system';
  content: string;
  tool_calls?: ProbeCall[];
  [field: string]: unknown;
};

export type ProbeCall = { id: string; type: 'function'; function: { name: string; arguments: unknown } };

/** Names and values of probes. They have no beginning and no end in common, so that texts differ exactly where they stand. */
export const probe = {
  question: 'Aq question',
  answer: 'Zx answer',
  thought: 'Vw thought',
  names: ['fn_alpha', 'Qz9_tool'],
  keys: ['key_one', 'Xk7_arg'],
  values: ['val_one', 'Wy8_data'],
  ids: ['call12345', 'Mr67890zz'],
} as const;

const parameters = {
  type: 'object',
  properties: Object.fromEntries(probe.keys.map((key) => [key, { type: 'string', description: 'An argument.' }])),
  required: [...probe.keys],
};

export const probeTools = probe.names.map((name) => ({
  type: 'function',
  function: { name, description: 'A function.', parameters },
}));

export const question: ProbeMessage = { role: 'user', content: probe.question };

export function probeAnswer(content: string, fields: Record<string, unknown> = {}): ProbeMessage {
  return { role: 'assistant', content, ...fields };
}

/** An answer that calls these functions, the first with the first id. */
export function probeCalls(calls: readonly { name: string; arguments: unknown }[]): ProbeMessage {
  const tool_calls = calls.map((call, at) => ({ id: probe.ids[at] ?? '', type: 'function' as const, function: call }));
  return { role: 'assistant', content: '', tool_calls };
}

/** How many units two texts have in common at their beginning. */
export function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

export function commonSuffix(one: string, other: string): number {
  let length = 0;
  const most = Math.min(one.length, other.length);
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

const opens = '<[';
const closes = '>]';

/** A place in front of the marker (`<..>`, `[..]`) that it would divide. */
export function beforeMarker(text: string, at: number): number {
  for (let place = at - 1; place >= Math.max(0, at - 60); place -= 1) {
    const unit = text.charAt(place);
    if (closes.includes(unit)) return at;
    if (opens.includes(unit)) return place;
  }
  return at;
}
