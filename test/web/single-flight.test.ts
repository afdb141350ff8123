import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singleFlight } from '../../web/src/api/single-flight.ts';

test('a creation in flight is not sent twice, and may be sent again once it has ended, however it has', async () => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    await new Promise((resolve) => setImmediate(resolve));
    if (sent === 1) throw new Error('no connection');
    return sent;
  };
  const both = await Promise.allSettled([singleFlight('a', send), singleFlight('a', send)]);
  assert.deepEqual([both.map(({ status }) => status), sent], [['rejected', 'rejected'], 1]);
  assert.deepEqual(await Promise.all([singleFlight('a', send), singleFlight('a', send)]), [2, 2]);
});

test('what has no name, or another one, is sent each time', async () => {
  let sent = 0;
  const send = async () => (sent += 1);
  await Promise.all([singleFlight(undefined, send), singleFlight(undefined, send), singleFlight('b', send)]);
  assert.equal(sent, 3);
});
