/**
 * Request fields that make an answer at least 1,500 characters long, whatever the model would say: its grammar leaves
 * no shorter one, and no other words (free text may drift into letters that take three tokens each, and end early).
 */
export const longAnswer = answerOf(150);

/** Longer still, for tests that must catch an answer in the middle: it lasts while this process is kept from running. */
export const longestAnswer = answerOf(400);

/** Schema of an answer that says "and so on" at least so many times. */
export function longList(words: number): object {
  const list = { type: 'array', items: { enum: ['and so on'] }, minItems: words, maxItems: words + 10 };
  return { type: 'object', properties: { words: list }, required: ['words'] };
}

function answerOf(words: number) {
  return {
    stream: true,
    max_tokens: 3_900,
    reasoning_effort: 'none',
    response_format: { type: 'json_schema', json_schema: { name: 'long', schema: longList(words) } },
  };
}
