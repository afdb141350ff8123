/** A chat call to the alias `chat` that ends soon. */
export const chatFields = (content: string, extra: object = {}) => ({
  model: 'chat',
  messages: [{ role: 'user', content }],
  max_tokens: 2,
  reasoning_effort: 'none',
  ...extra,
});

/** Bodies that are cheap to send and would be expensive to take at their word. */
export const bombs: Record<string, () => string> = {
  'half a million levels': () => `{"model":"chat","messages":${'['.repeat(500_000)}`,
  '64 levels too many in an ignored field': () => `{"model":"chat","x":${'['.repeat(65)}${']'.repeat(65)}}`,
  '100,000 fields': () => `{${Array.from({ length: 100_000 }, (_, i) => `"${i}":1`).join(',')}}`,
  'one field 100,000 times': () => `{${'"model":"x",'.repeat(80_000)}"model":"chat"}`,
  'a number of 900,000 digits': () => `{"model":"chat","seed":${'9'.repeat(900_000)}}`,
  '40,000 messages': () => `{"model":"chat","messages":[${'{},'.repeat(39_999)}{}]}`,
  'a prompt of 900,000 characters': () => JSON.stringify(chatFields('word '.repeat(180_000))),
  'a prompt of one character 900,000 times': () => JSON.stringify(chatFields('a'.repeat(900_000))),
  'a prompt of 900,000 spaces': () => JSON.stringify(chatFields(' '.repeat(900_000))),
  'more than a megabyte': () => JSON.stringify(chatFields('a'.repeat(1_100_000))),
  '129 tools': () =>
    JSON.stringify(
      chatFields('x', {
        tools: Array.from({ length: 129 }, (_, i) => ({ type: 'function', function: { name: `f${i}` } })),
      }),
    ),
  'stop strings without end': () => JSON.stringify(chatFields('x', { stop: Array(5_000).fill('a') })),
};

/** JSON schemas that a careless compiler would unfold. */
export const schemaBombs: Record<string, () => unknown> = {
  'alternatives in alternatives': () => nested(11, (inner) => ({ anyOf: [inner, inner] })),
  'a list of a billion': () => ({ type: 'array', items: { type: 'integer' }, minItems: 1e9 }),
  'a text of a billion characters': () => ({ type: 'string', minLength: 1e9, maxLength: 2e9 }),
  'a pattern that multiplies': () => ({ type: 'string', pattern: '^(((a{1,999}){1,999}){1,999}){1,999}$' }),
  'a pattern that backtracks': () => ({ type: 'string', pattern: '^(a+)+$' }),
  'a schema that is itself': () => ({ $ref: '#' }),
  'a reference to nowhere': () => ({ $ref: '#/$defs/none' }),
  '9,000 constants': () => ({ enum: Array.from({ length: 9_000 }, (_, i) => `value ${i}`) }),
  '4,000 properties': () => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`p${i}`, { type: 'string' }])),
  }),
  '40 optional properties in any number': () => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, { type: 'null' }])),
    minProperties: 20,
  }),
  'numbers at the edge': () => ({ type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }),
  'nonsense in every keyword': () => ({ type: 7, items: 'x', enum: {}, required: 5, pattern: '(', properties: [] }),
};

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = { type: 'string' };
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}
