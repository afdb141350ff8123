import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';
import type { Principal } from './auth-hook.ts';
import { type CallerLoss, lossOf, watchCaller } from './callers.ts';
import { createServer } from './server.ts';
import { type NamedEvents, openNamedEvents } from './sse.ts';

type KeyState = 'good' | 'worthless' | 'suspended' | 'unavailable';

let app: FastifyInstance;
/** What is said of a key; one that is not in here was never issued. */
const states = new Map<string, KeyState>();
/** Keys that were asked for, by the turn they were asked in. */
let turns: string[][] = [];
let turn: string[] | null = null;
type Opened = { stream: NamedEvents; loss: () => CallerLoss | null };
const opened = new Map<string, Opened>();

function ask(key: string): void {
  if (turn === null) {
    turn = [];
    turns.push(turn);
    setImmediate(() => {
      turn = null;
    });
  }
  turn.push(key);
}

before(async () => {
  app = await listening();
});

async function listening(): Promise<FastifyInstance> {
  const made = createServer({
    authenticator: async ({ authorization: key = '' }) => {
      ask(key);
      const state = states.get(key) ?? 'worthless';
      if (state === 'suspended') throw fault('account_suspended');
      if (state === 'unavailable') throw fault('service_unavailable');
      // as: the route looks at nothing of it.
      return state === 'good' ? ({ accountId: key } as Principal) : null;
    },
    probe: async () => {},
  });
  made.get('/events', { config: { operation: 'events', access: 'account' } }, (request, reply) => {
    const caller = watchCaller(reply);
    const stream = openNamedEvents(reply, caller);
    opened.set(String(request.headers.authorization), { stream, loss: () => lossOf(caller.signal) });
  });
  await made.listen({ host: '127.0.0.1', port: 0 });
  return made;
}

after(() => app.close());

async function open(key: string, { listeningOrigin } = app) {
  states.set(key, 'good');
  const response = await fetch(`${listeningOrigin}/events`, { headers: { authorization: key } });
  assert.equal(response.status, 200);
  const here = opened.get(key);
  assert.ok(here);
  return { ...here, text: response.text() };
}

/** Resolves when open streams were asked for once more, from the beginning. */
async function anotherLook(): Promise<void> {
  const before = turns.length;
  while (turns.length <= before) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const state of ['worthless', 'suspended'] as const)
  test(`a stream ends soon after its key is ${state}, and others go on`, async () => {
    const [first, second] = [await open('first'), await open('second')];
    first.stream.send([{ event: 'said', data: 'before' }]);
    states.set('first', state);
    assert.equal(await first.text, 'event: said\ndata: "before"\n\n');
    assert.equal(first.loss(), 'revoked');
    assert.equal(first.stream.send([{ event: 'said', data: 'behind' }]), false);
    await anotherLook();
    assert.equal(second.loss(), null);
    assert.ok(second.stream.send([{ event: 'said', data: 'still' }]));
    second.stream.end();
    assert.equal(await second.text, 'event: said\ndata: "still"\n\n');
  });

test('a database that cannot tell ends no stream, and what it tells afterwards counts', async () => {
  const { text, loss } = await open('patient');
  states.set('patient', 'unavailable');
  await anotherLook();
  await anotherLook();
  assert.equal(loss(), null);
  states.set('patient', 'worthless');
  assert.equal(await text, '');
});

test('all open streams are asked for at once, and nothing is asked without one', async () => {
  const keys = Array.from({ length: 40 }, (_, n) => `reader ${n}`);
  const streams = await Promise.all(keys.map((key) => open(key)));
  turns = [];
  await anotherLook();
  assert.deepEqual(turns[0]?.toSorted(), keys.toSorted());
  for (const { stream } of streams) stream.end();
  await Promise.all(streams.map(({ text }) => text));
  // A look that was due when the last one left finds nobody to ask for.
  turns = [];
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  assert.deepEqual(turns, []);
});

test('a server that stops waits for no stream that has no end: its reader has what was sent, and comes back elsewhere', async () => {
  const stopping = await listening();
  const { stream, text, loss } = await open('far away', stopping);
  stream.send([{ event: 'said', data: 'before' }]);
  const begun = performance.now();
  await stopping.drain({ graceMs: 300_000 });
  assert.ok(performance.now() - begun < 60_000);
  assert.deepEqual([await text, loss()], ['event: said\ndata: "before"\n\n', 'shutdown']);
});

test('a stream that opens when its server has begun to stop ends at once', async () => {
  const stopping = await listening();
  const { text, loss } = await open('in time', stopping);
  stopping.readers.dismiss();
  assert.deepEqual([await text, loss()], ['', 'shutdown']);
  const late = await open('too late', stopping);
  assert.deepEqual([await late.text, late.loss()], ['', 'shutdown']);
  await stopping.close();
});
