import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBody } from '../../web/src/api/problem.ts';
import { readFrames } from '../../web/src/rooms/playground/answer-stream.ts';

/** An answer of these pieces, after which the connection breaks with an error, or the server just ends. */
function answerOf(pieces: readonly string[], error?: Error): Response {
  const left = pieces.map((piece) => new TextEncoder().encode(piece));
  return new Response(
    new ReadableStream({
      pull: (stream) => {
        const piece = left.shift();
        if (piece) stream.enqueue(piece);
        else if (error) stream.error(error);
        else stream.close();
      },
    }),
  );
}

const frame = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
/** What Chromium, Firefox and Safari say of a broken connection, in this order. */
const broken = ['network error', 'Error in input stream', 'Load failed'].map((message) => new TypeError(message));

test('an answer that ends early is told as a broken connection, in the words of no browser', async () => {
  for (const error of [...broken, undefined]) {
    let text = '';
    const reading = readFrames(answerOf([frame('Half'), frame(' an ans'), 'data: {"choi'], error), ({ choices }) => {
      text += choices?.[0]?.delta?.content ?? '';
    });
    await assert.rejects(reading, {
      name: 'Problem',
      code: 'offline',
      message: 'The connection broke during the answer.',
    });
    assert.equal(text, 'Half an ans');
  }
});

test('a connection that breaks in the middle of any other answer is told as lost', async () => {
  const lost = { name: 'Problem', code: 'offline', status: 0 };
  for (const error of broken) await assert.rejects(readBody(answerOf(['{"data":'], error).json()), lost);
  const stopped = new DOMException('The operation was aborted.', 'AbortError');
  await assert.rejects(readBody(answerOf(['{"data":'], stopped).json()), { name: 'AbortError' });
  assert.deepEqual(await readBody(new Response('{"data":1}').json()), { data: 1 });
});

test('a success that is no whole JSON is told as a lost connection: WebKit lets a broken answer just end, and a proxy may say anything', async () => {
  for (const text of ['{"data":', '', '<html>'])
    await assert.rejects(readBody(answerOf([text]).json()), { name: 'Problem', code: 'offline', status: 0 }, text);
});
