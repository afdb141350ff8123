/** A constant of the size of the instant engine's answer, about 1.2 kB. */
export function answerOf(): string {
  const content = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
  return JSON.stringify({
    id: 'chatcmpl-000000000000000000000000',
    object: 'chat.completion',
    created: 1760000000,
    model: 'chat',
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 400, completion_tokens: 200, total_tokens: 600, reasoning_tokens: 0, cached_tokens: 0 },
  });
}
