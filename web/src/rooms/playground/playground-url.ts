const texts = ['chat', 'chat_b', 'model', 'model_b', 'reasoning_effort'] as const;
const numbers = [
  ...(['max_tokens', 'temperature', 'top_p', 'top_k', 'seed'] as const),
  ...(['presence_penalty', 'frequency_penalty'] as const),
];

/**
 * `chat`: an existing conversation; none: a new one. `model`: its model. With `compare`, `chat_b` and `model_b` are those of
 * the other side. The others are settings that differ from the model's or the conversation's.
 */
export type PlaygroundSearch = {
  [Name in (typeof texts)[number]]?: string | undefined;
} & { [Name in (typeof numbers)[number]]?: number | undefined } & { compare?: true | undefined };

export function readPlaygroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  return {
    ...pick<string>(search, texts, 'string'),
    ...pick<number>(search, numbers, 'number'),
    compare: search['compare'] === true || undefined,
  };
}

function pick<Value>(search: Record<string, unknown>, names: readonly string[], type: string) {
  // as: the type was checked.
  return Object.fromEntries(
    names.map((name) => [
      name,
      typeof search[name] === type && search[name] !== '' ? (search[name] as Value) : undefined,
    ]),
  );
}
