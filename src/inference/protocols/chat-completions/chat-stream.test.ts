import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finished } from '#engine';
import { fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import type { ChatCompletion } from './index.ts';
import { chatCall } from './index.ts';

const texts = fc.record({
  type: fc.constantFrom('content' as const, 'reasoning' as const),
  text: fc.string({ unit: 'grapheme', minLength: 1 }),
});
const call = fc.record({ name: fc.string({ minLength: 1 }), args: fc.json(), callId: fc.uuid() });
const usage = { promptTokens: 9, completionTokens: 5, reasoningTokens: 2, cachedTokens: 3 };

const answers = fc.record({
  pieces: fc.array(texts, { maxLength: 6 }),
  calls: fc.array(call, { maxLength: 3 }),
  reason: fc.constantFrom('stop' as const, 'length' as const, 'tool_calls' as const),
});

function deltasOf({
  pieces,
  calls,
}: {
  pieces: readonly NamedDelta[];
  calls: readonly { name: string; args: string; callId: string }[];
}) {
  return [
    ...pieces,
    ...calls.map(({ name, args, callId }, index): NamedDelta => {
      return { type: 'tool_call', index, name, arguments: args, callId };
    }),
  ];
}

const request = chatCall.read({
  model: 'chat',
  messages: [{ role: 'user', content: 'Hi' }],
  stream: true,
  stream_options: { include_usage: true },
});

function written(deltas: readonly NamedDelta[], finished: Finished) {
  const answer = chatCall.answer(request, { nowMs: 1_760_000_000_000, stores: false });
  const collected = new CollectedAnswer();
  const writer = answer.stream();
  const events = [writer.begin({ promptTokens: null })];
  for (const delta of deltas) {
    collected.add(delta);
    events.push(writer.delta(delta));
  }
  // as: the body is that of this protocol.
  const body = answer.collect(collected, finished) as ChatCompletion;
  return { body, events, last: writer.end(finished), failed: writer.fail(fault('generation_failed'), 'req_1') };
}

/** Adds the frames up as clients do. */
function addUp(stream: string) {
  const frames = stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => event.replace(/^data: /, ''));
  assert.equal(frames.pop(), '[DONE]');
  const message = { content: '', reasoning: '', calls: [] as { id: string; name: string; arguments: string }[] };
  let [reason, counts, id]: [string | null, unknown, string] = [null, null, ''];
  for (const frame of frames.map((json) => JSON.parse(json))) {
    id = frame.id;
    counts = frame.usage ?? counts;
    const [choice] = frame.choices;
    if (choice === undefined) continue;
    reason = choice.finish_reason ?? reason;
    message.content += choice.delta.content ?? '';
    message.reasoning += choice.delta.reasoning_content ?? '';
    for (const piece of choice.delta.tool_calls ?? []) {
      const known = message.calls[piece.index];
      if (known) known.arguments += piece.function.arguments;
      else
        message.calls[piece.index] = { id: piece.id, name: piece.function.name, arguments: piece.function.arguments };
    }
  }
  return { id, message, reason, usage: counts };
}

/** The same of the answer in one piece. */
function ofBody({ id, choices, usage: counts }: ChatCompletion) {
  const [choice] = choices;
  const message = {
    content: choice?.message.content ?? '',
    reasoning: choice?.message.reasoning_content ?? '',
    calls: (choice?.message.tool_calls ?? []).map(({ id: callId, function: called }) => ({ id: callId, ...called })),
  };
  return { id, message, reason: choice?.finish_reason, usage: counts };
}

test('however the text is split, a stream adds up to the answer in one piece, and so does one that is sent again', () => {
  fc.assert(
    fc.property(answers, ({ reason, ...answer }) => {
      const deltas = deltasOf(answer);
      const split = deltas.flatMap((delta): NamedDelta[] =>
        delta.type === 'tool_call' ? [delta] : [...delta.text].map((text) => ({ ...delta, text })),
      );
      for (const each of [deltas, split]) {
        const { body, events, last } = written(each, { reason, usage, activeMs: 1 });
        assert.deepEqual(addUp(events.join('') + last), ofBody(body));
        assert.deepEqual(addUp(chatCall.replay(JSON.parse(JSON.stringify(body)), request)), ofBody(body));
      }
    }),
  );
});

test('a stream that breaks, wherever that is, has neither a reason to finish nor the mark of its end', () => {
  fc.assert(
    fc.property(answers, fc.nat(), ({ reason, ...answer }, cut) => {
      const { events, failed } = written(deltasOf(answer), { reason, usage, activeMs: 1 });
      const broken = events.slice(0, 1 + (cut % events.length)).join('') + failed;
      const frames = broken.split('\n\n').slice(0, -1);
      assert.ok(!frames.includes('data: [DONE]'));
      const parsed = frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
      assert.ok(parsed.every((frame) => !frame.choices?.[0]?.finish_reason));
      assert.equal(parsed.at(-1).error.code, 'generation_failed');
    }),
  );
});
