/** What stands at a path in something that was parsed; undefined: nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** What stands there, as a list. */
export const listAt = (value: unknown, ...path: (string | number)[]): unknown[] => [at(value, ...path) ?? []].flat();
export const numberAt = (value: unknown, ...path: (string | number)[]) => Number(at(value, ...path) ?? 0);
/** Those of them that are texts, as one. */
export const joined = (texts: unknown[]) => texts.filter((text) => typeof text === 'string').join('');

/** What was sent, in one piece or in the events of a stream: those that came whole, without the sentinel of chat completions. */
export function framesOf(answer: string): unknown[] {
  if (answer.startsWith('{')) return [JSON.parse(answer)];
  const lines = answer.split('\n\n').slice(0, -1).join('\n').split('\n');
  const data = lines.flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []));
  return data.filter((text) => text !== '[DONE]').map((text): unknown => JSON.parse(text));
}

/** The last event of a stream has this name. */
export const endsWith = (answer: string, event: string) =>
  answer.endsWith('\n\n') && answer.split('\n\n').at(-2)?.startsWith(`event: ${event}\n`) === true;

/** The code or type of the first error that is told. */
export const errorIn = (word: 'code' | 'type') => (answer: string) => {
  const told = framesOf(answer).flatMap((frame) => at(frame, 'error', word) ?? []);
  return told.length === 0 ? null : String(told[0]);
};

/** The id of an answer, in one piece or as a stream; undefined: it has none. */
export const answerId = (answer: string) =>
  framesOf(answer).flatMap(
    (frame) => at(frame, 'response', 'id') ?? at(frame, 'message', 'id') ?? at(frame, 'id') ?? [],
  )[0];

export type Counted = { promptTokens: number; completionTokens: number; cachedTokens: number };

export function countedByOpenAi(answer: string): Counted {
  const usage = framesOf(answer)
    .flatMap((frame) => at(frame, 'usage') ?? [])
    .at(-1);
  return {
    promptTokens: numberAt(usage, 'prompt_tokens'),
    completionTokens: numberAt(usage, 'completion_tokens'),
    cachedTokens: numberAt(usage, 'prompt_tokens_details', 'cached_tokens'),
  };
}

export function countedByResponses(answer: string): Counted {
  const usage = framesOf(answer)
    .flatMap((frame) => at(frame, 'response', 'usage') ?? at(frame, 'usage') ?? [])
    .at(-1);
  return {
    promptTokens: numberAt(usage, 'input_tokens'),
    completionTokens: numberAt(usage, 'output_tokens'),
    cachedTokens: numberAt(usage, 'input_tokens_details', 'cached_tokens'),
  };
}

export function countedByAnthropic(answer: string): Counted {
  const frames = framesOf(answer);
  const usages = frames.flatMap((frame) => at(frame, 'message', 'usage') ?? at(frame, 'usage') ?? []);
  // What comes later counts, and an event may tell a part of it.
  const usage: unknown = Object.assign({}, ...usages);
  const cachedTokens = numberAt(usage, 'cache_read_input_tokens');
  return {
    promptTokens: numberAt(usage, 'input_tokens') + cachedTokens,
    completionTokens: numberAt(usage, 'output_tokens'),
    cachedTokens,
  };
}

export function countedByCohere(answer: string): Counted {
  const usage = framesOf(answer)
    .flatMap((frame) => at(frame, 'usage') ?? at(frame, 'delta', 'usage') ?? [])
    .at(-1);
  return {
    promptTokens: numberAt(usage, 'tokens', 'input_tokens'),
    completionTokens: numberAt(usage, 'tokens', 'output_tokens'),
    cachedTokens: numberAt(usage, 'cached_tokens'),
  };
}
