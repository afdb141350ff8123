import type { Finished } from '#engine';
import { createTextSeal } from '#kernel';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import { answerResponse } from './answer.ts';
import { readResponsesRequest } from './request.ts';

export const seal = createTextSeal(Buffer.alloc(32, 1), 'reasoning');
const usage = { promptTokens: 12, completionTokens: 7, reasoningTokens: 3, cachedTokens: 4 };

export type Ended = Finished['reason'];

/** The answer to a body, as a stream and in one piece. */
export function answered(body: object) {
  const wanted = readResponsesRequest({ model: 'm', input: 'Hi', ...body }, seal);
  const answer = answerResponse(wanted, { nowMs: 1_767_323_045_678, stores: true, seal });
  return {
    answer,
    collected(deltas: readonly NamedDelta[], reason: Ended) {
      const collected = new CollectedAnswer();
      for (const delta of deltas) collected.add(delta);
      return answer.collect(collected, { reason, usage, activeMs: 1 });
    },
    streamed(deltas: readonly NamedDelta[], reason: Ended): string {
      const writer = answer.stream();
      const texts = [writer.begin({ promptTokens: null }), ...deltas.map(writer.delta)];
      return texts.join('') + writer.end({ reason, usage, activeMs: 1 });
    },
  };
}

export type Event = { type: string; sequence_number: number; [field: string]: unknown };

/** The events of a stream, each of which names itself twice. */
export function eventsIn(stream: string): Event[] {
  const texts = stream.split('\n\n');
  if (texts.pop() !== '') throw new Error('A stream ends with an empty line.');
  return texts.map((text) => {
    const [, name, data = ''] = /^event: (.+)\ndata: (.+)$/.exec(text) ?? [];
    const event: Event = JSON.parse(data);
    if (event.type !== name) throw new Error(`${name} is a ${event.type}`);
    return event;
  });
}
