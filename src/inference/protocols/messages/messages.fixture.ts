import type { Finished } from '#engine';
import { createThinkingSignatures } from './thinking-signature.ts';

export const signatures = createThinkingSignatures(Buffer.from('a secret of thirty-two bytes, .'));

const usage = { promptTokens: 30, completionTokens: 9, reasoningTokens: 4, cachedTokens: 12 };

export const finished = (how: Partial<Finished> = {}): Finished => ({ reason: 'stop', usage, activeMs: 12, ...how });

export const head = {
  id: 'msg_7f3a',
  model: 'a "quoted" model',
  maxTokens: 100,
  hidesThinking: false,
  signatures,
};

/** The JSON of each event; each is named as its JSON says. */
export function eventsIn(stream: string): { type: string; [field: string]: unknown }[] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map((text) => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? [];
      const event = JSON.parse(data);
      if (event.type !== name) throw new Error(`${name} is ${data}`);
      return event;
    });
}
