import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import type { Finished } from '#engine';
import { fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { CollectedAnswer, type NamedDelta } from '../../collected-answer.ts';
import { eventsOfMessage, writeMessageStream } from './message-stream.ts';
import { messageBody } from './message-wire.ts';
import { finished, head } from './messages.fixture.ts';

/** What a real client makes of a stream that comes in pieces of any size. */
async function read(stream: string, pieceBytes: number) {
  const bytes = Buffer.from(stream);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async () => new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } }),
  });
  const asked = { model: 'chat', max_tokens: 100, messages: [{ role: 'user' as const, content: 'x' }] };
  // What the client itself adds for answers in a format of their own.
  const { parsed_output: _, ...message } = await client.messages.stream(asked).finalMessage();
  return JSON.parse(JSON.stringify(message));
}

type Piece = { type: 'reasoning' | 'content'; text: string } | { type: 'tool_call'; arguments: string };

const text = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\n', 'é', '\u2028', '😀'), maxLength: 12 });
const piece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('reasoning' as const, 'content' as const), text }) },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(
        fc.string({ maxLength: 3 }).filter((name) => name !== '__proto__'),
        fc.jsonValue({ maxDepth: 1 }),
      )
      .map((value) => ({ type: 'tool_call' as const, arguments: JSON.stringify(value) })),
  },
);

/** Texts in parts, some of them empty; the ids of calls are those of their places. */
function deltasOf(pieces: readonly Piece[], cuts: readonly number[]): NamedDelta[] {
  return pieces.flatMap((each, index): NamedDelta[] => {
    if (each.type === 'tool_call') return [{ ...each, index, callId: `toolu_${index}`, name: `f${index}` }];
    const characters = [...each.text];
    const size = 1 + (cuts[index % Math.max(1, cuts.length)] ?? 0);
    const parts = Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
      characters.slice(at * size, (at + 1) * size).join(''),
    );
    return ['', ...parts, ''].map((part) => ({ type: each.type, text: part }));
  });
}

const answers = fc.record({
  pieces: fc.array(piece, { maxLength: 6 }),
  cuts: fc.array(fc.nat(4), { maxLength: 4 }),
  otherCuts: fc.array(fc.nat(4), { maxLength: 4 }),
  pieceBytes: fc.integer({ min: 1, max: 400 }),
  hidesThinking: fc.boolean(),
  reason: fc.constantFrom<Finished['reason']>('stop', 'length', 'tool_calls'),
});

test('however the text is split, the stream adds up to the collected answer, and so does its repetition', async () => {
  await fc.assert(
    fc.asyncProperty(answers, async ({ pieces, cuts, otherCuts, pieceBytes, hidesThinking, reason }) => {
      const how = { ...head, hidesThinking };
      const end = finished({ reason });
      const answer = new CollectedAnswer();
      for (const delta of deltasOf(pieces, otherCuts)) answer.add(delta);
      const body = messageBody(how, answer, end);
      const writer = writeMessageStream(how);
      const deltas = deltasOf(pieces, cuts);
      const stream = writer.begin({ promptTokens: 30 }) + deltas.map(writer.delta).join('') + writer.end(end);
      const wanted = JSON.parse(JSON.stringify(body));
      assert.deepEqual(await read(stream, pieceBytes), wanted);
      assert.deepEqual(await read(eventsOfMessage(body), pieceBytes), wanted);
    }),
    { numRuns: 60 },
  );
});

test('no stream that broke or failed looks complete', async () => {
  await fc.assert(
    fc.asyncProperty(answers, fc.nat(1_000), async ({ pieces, cuts, pieceBytes }, cutAt) => {
      const deltas = deltasOf(pieces, cuts);
      const writer = writeMessageStream(head);
      const begun = writer.begin({ promptTokens: null }) + deltas.map(writer.delta).join('');
      const failed = begun + writer.fail(fault('generation_failed'), 'req_1');
      await assert.rejects(read(failed, pieceBytes), /api_error.*The model stopped unexpectedly/s);
      const whole = begun + writer.end(finished());
      const broken = whole.slice(0, Math.floor(((whole.length - 2) * cutAt) / 1_001));
      await assert.rejects(read(broken, pieceBytes));
    }),
    { numRuns: 60 },
  );
});
