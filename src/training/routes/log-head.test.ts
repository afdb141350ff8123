import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { startScripted, type TrainingServer } from '../training.fixture.ts';

let server: TrainingServer;

before(async () => {
  server = await startScripted();
});

after(() => server?.stop());

const examples = Array.from({ length: 12 }, (_, n) => ({
  text: {
    messages: [
      { role: 'user', content: `Say ${n}` },
      { role: 'assistant', content: `It is ${n}.` },
    ],
  },
  split: 'train',
}));

test('who asks for the head of a log that is followed does not wait for the job, nor does the next on its connection', async () => {
  const ada = await server.person();
  const jobs = `${ada.project}/training-jobs`;
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: await ada.dataset(examples) };
  const { id } = await ada.ok('POST', jobs, { ...asked, hyperparameters: { max_steps: 100_000 } });
  await ada.until(id, 'running');

  const { host, port } = new URL(server.app.origin);
  const ask = (method: string, accept: string, connection: string) =>
    `${method} ${jobs}/${id}/logs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ada.key}\r\n` +
    `Accept: ${accept}\r\nConnection: ${connection}\r\n\r\n`;
  const socket = addAbortSignal(AbortSignal.timeout(180_000), connect(Number(port), '127.0.0.1'));
  socket.write(ask('HEAD', 'text/event-stream', 'keep-alive') + ask('GET', 'application/json', 'close'));
  const [, head = '', page = ''] = (await text(socket)).split('HTTP/1.1 200 OK');
  assert.match(head, /\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/i);
  assert.doesNotMatch(head, /event: /);
  assert.match(page, /"total_count":[1-9]/);

  await ada.ok('POST', `${jobs}/${id}/cancel`, {});
  await ada.until(id, 'canceled');
});
