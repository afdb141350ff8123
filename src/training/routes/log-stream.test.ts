import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { bearer, seedKey } from '#test/accounts.ts';
import { seedSession } from '#test/sessions.ts';
import { openJobs } from '../jobs.fixture.ts';

const { server, close, ada, jobs, wanted, make } = await openJobs();
after(close);

test('a stream tells what was missed, in order, and ends with the job', async () => {
  const { id } = await make(4, 20);
  const read = async (headers: Record<string, string> = {}) => {
    const { text } = await ada.ask('GET', `${jobs}/${id}/logs`, undefined, { accept: 'text/event-stream', ...headers });
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    return { ids, events: [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name) };
  };
  const whole = await read();
  assert.deepEqual(
    whole.ids,
    whole.ids.map((_, index) => index + 1),
  );
  assert.equal(whole.events.at(-1), 'end');
  assert.ok(whole.events.includes('state') && whole.events.includes('progress'));
  const rest = await read({ 'last-event-id': '4' });
  assert.deepEqual(rest.ids, whole.ids.slice(4));
  assert.equal(rest.events.at(-1), 'end');
});

const revocations: {
  what: string;
  open: () => Promise<{ headers: Record<string, string>; revoke: () => Promise<boolean> }>;
}[] = [
  {
    what: 'its key was deactivated',
    open: async () => {
      const { key, keyId } = await seedKey(server.database, ada);
      return {
        headers: bearer(key),
        revoke: async () => (await ada.ask('PATCH', `/api/v1/keys/${keyId}/deactivate`)).status === 200,
      };
    },
  },
  {
    what: 'its key was deleted',
    open: async () => {
      const { key, keyId } = await seedKey(server.database, ada);
      return {
        headers: bearer(key),
        revoke: async () => (await ada.ask('DELETE', `/api/v1/keys/${keyId}`)).status === 204,
      };
    },
  },
  {
    what: 'its session was ended',
    open: async () => {
      const { headers } = await seedSession(server.database, ada);
      const signOut = () => fetch(`${server.app.origin}/api/v1/auth/sign-out`, { method: 'POST', headers });
      const revoke = async () => (await signOut()).status === 204;
      return { headers: { cookie: headers.cookie }, revoke };
    },
  },
];

test('a stream of a running job ends soon after what opened it was revoked', async (t) => {
  const { id } = await make(1, 100_000);
  await ada.until(id, 'running');
  for (const { what, open } of revocations)
    await t.test(what, async () => {
      const { headers, revoke } = await open();
      const path = `${server.app.origin}${jobs}/${id}/logs`;
      const signal = AbortSignal.timeout(180_000);
      const following = await fetch(path, { headers: { ...headers, accept: 'text/event-stream' }, signal });
      assert.equal(following.status, 200);
      assert.ok(await revoke());
      const text = await following.text();
      assert.ok(!text.includes('event: end'));
      assert.equal((await fetch(path, { headers, signal })).status, 401);
    });
  assert.equal((await ada.ok('GET', `${jobs}/${id}`)).state, 'running');
  await ada.ok('POST', `${jobs}/${id}/cancel`, {});
  await ada.until(id, 'canceled');
});

test('who asks for the head of a log that is followed does not wait for the job, nor does the next on its connection', async () => {
  const { id } = await ada.ok('POST', jobs, wanted({ max_steps: 100_000 }));
  await ada.until(id, 'running');

  const { host, port } = new URL(server.app.origin);
  const ask = (method: string, accept: string, connection: string) =>
    `${method} ${jobs}/${id}/logs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${ada.key}\r\n` +
    `Accept: ${accept}\r\nConnection: ${connection}\r\n\r\n`;
  const socket = addAbortSignal(AbortSignal.timeout(180_000), connect(Number(port), '127.0.0.1'));
  socket.write(ask('HEAD', 'text/event-stream', 'keep-alive') + ask('GET', 'application/json', 'close'));
  const [, head = '', page = ''] = (await textOf(socket)).split('HTTP/1.1 200 OK');
  assert.match(head, /\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/i);
  assert.doesNotMatch(head, /event: /);
  assert.match(page, /"total_count":[1-9]/);

  await ada.ok('POST', `${jobs}/${id}/cancel`, {});
  await ada.until(id, 'canceled');
});
