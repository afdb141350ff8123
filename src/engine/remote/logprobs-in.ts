import type { TokenLogprob, TokenProbability } from '../port.ts';
import { fieldsOf, textOf } from './wire.ts';

/** The log probabilities of a choice, in OpenAI's form, with the lengths of their texts. */
export function logprobsIn(choice: { logprobs?: unknown }): { logprob: TokenLogprob; length: number }[] {
  const { content } = fieldsOf(choice.logprobs);
  if (!Array.isArray(content)) return [];
  return content.map((entry: unknown) => {
    const { top_logprobs: top } = fieldsOf(entry);
    const own = probabilityIn(entry);
    return {
      logprob: { ...own, top: Array.isArray(top) ? top.map(probabilityIn) : [] },
      length: own.token.length,
    };
  });
}

function probabilityIn(entry: unknown): TokenProbability {
  const { token, logprob, bytes } = fieldsOf(entry);
  const text = textOf(token);
  return {
    token: text,
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : [...Buffer.from(text)],
  };
}
