/**
 * Request fields that make an answer at least 1,500 characters long, whatever the model would say: its grammar leaves
 * no shorter one, and no other words (free text may drift into letters that take three tokens each, and end early).
 * For tests that must catch a stream in the middle.
 */
export const longAnswer = {
  stream: true,
  max_tokens: 3000,
  reasoning_effort: 'none',
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'long',
      schema: {
        type: 'object',
        properties: { words: { type: 'array', items: { enum: ['and so on'] }, minItems: 150, maxItems: 160 } },
        required: ['words'],
      },
    },
  },
} as const;
