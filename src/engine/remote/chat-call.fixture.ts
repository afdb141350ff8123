import type { ChatPrompt, Sampling } from '../port.ts';

/** A call of the model `big`, which says no more than it must. */
export const prompt: ChatPrompt = {
  target: { baseModelId: 'big', adapter: null },
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  toolChoice: { mode: 'auto' },
  parallelToolCalls: true,
  responseFormat: { type: 'text' },
  reasoningEffort: null,
};

export const sampling: Sampling = {
  maxTokens: 10,
  temperature: 0,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: null,
  stop: [],
};
