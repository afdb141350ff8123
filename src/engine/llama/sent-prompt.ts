import { parseExactJson } from '#kernel';
import type { ChatPrompt } from '../port.ts';

type Exact = Pick<ChatPrompt, 'tools' | 'responseFormat'>;

/** A prompt on its way to the child: the channel loses digits of numbers and the order of keys, which schemas keep as JSON text. */
export type SentPrompt = Omit<ChatPrompt, keyof Exact> & { exact: string };

export function sentPrompt({ tools, responseFormat, ...prompt }: ChatPrompt): SentPrompt {
  const exact: Exact = { tools, responseFormat };
  return { ...prompt, exact: JSON.stringify(exact) };
}

export function receivedPrompt({ exact, ...prompt }: SentPrompt): ChatPrompt {
  // as: written by `sentPrompt`.
  return { ...prompt, ...(parseExactJson(exact) as Exact) };
}
