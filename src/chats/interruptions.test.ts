import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { readFrames } from '#test/sse.ts';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';
import { lost } from './live-answer.ts';
import { beginAgain, endAnswer, endLostAnswers, keepAnswer, renewAnswer } from './turns.store.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer({ chats: { tidyMs: 200 } });
});

after(() => server?.stop());

type Someone = Awaited<ReturnType<typeof someone>>;

/** The answer once it is over. */
async function whenOver({ messages }: Someone, chatId: string) {
  for (let tries = 0; tries < 1_200; tries++) {
    const answer = (await messages(chatId)).at(-1);
    if (answer.state !== 'queued' && answer.state !== 'streaming') return answer;
    await sleep(50);
  }
  throw new Error('The answer does not end.');
}

async function balanceOf({ accountId }: Someone): Promise<bigint> {
  const [row] = await server.db.database.query<{ balance: bigint }>(
    'select balance_micro as balance from accounts where id = $1',
    [accountId],
  );
  return row?.balance ?? 0n;
}

/** The balance once something was charged: an answer is kept before it is paid. */
async function balanceAfter(person: Someone, before: bigint): Promise<bigint> {
  for (let tries = 0; tries < 1_200; tries++) {
    const balance = await balanceOf(person);
    if (balance !== before) return balance;
    await sleep(50);
  }
  throw new Error('Nothing is charged.');
}

test('an answer is stopped from another server, keeps what it has come to and ends like a finished one', async () => {
  const person = await someone(server);
  const replica = await startApp(server.db.database, { dataDir: server.dataDir, watched: false });
  try {
    const { chatId, messageId, response } = await person.beginEndless();
    const text = response.text();
    const busy = await person.say(chatId, 'And?');
    assert.equal(busy.json.error.code, 'state_conflict');
    const path = `chats/${chatId}/messages/${messageId}/stop`;
    const stopped = await person.ask('POST', path, undefined, { origin: replica.origin });
    assert.equal(stopped.status, 200, stopped.text);
    const { state, content, finish_reason: reason, credits, error } = stopped.json;
    assert.deepEqual([state, reason, error], ['stopped', null, null]);
    assert.ok(content.length > 0);
    const frames = readFrames(await text);
    assert.ok((await text).endsWith('data: [DONE]\n\n'));
    const streamed = frames.map((frame) => frame.choices[0]?.delta.content ?? '').join('');
    // This model says NULs, too, and the database cannot store one.
    assert.equal(streamed.replaceAll('\0', ''), content);
    assert.notEqual(credits, '0.000000');
    const again = await person.ask('POST', path);
    assert.deepEqual([again.status, again.json], [200, stopped.json]);
  } finally {
    await replica.stop();
  }
});

test('who leaves stops the answer, and pays for what was made until then', async () => {
  const person = await someone(server);
  const before = await balanceOf(person);
  const { chatId, response, leave } = await person.beginEndless();
  await response.body?.getReader().read();
  leave();
  const answer = await whenOver(person, chatId);
  assert.equal(answer.state, 'stopped');
  assert.ok(answer.content.length > 0);
  const paid = before - (await balanceAfter(person, before));
  assert.equal(Number(paid), Math.round(Number(answer.credits) * 1_000_000));
});

test('an answer whose chat is deleted ends, and is paid', async () => {
  const person = await someone(server);
  const before = await balanceOf(person);
  const { chatId, response } = await person.beginEndless();
  const text = response.text();
  assert.equal((await person.ask('DELETE', `chats/${chatId}`)).status, 204);
  await text;
  assert.ok((await balanceAfter(person, before)) < before);
});

test('an answer whose server died fails, keeps its text, and does not hold up the chat', async () => {
  const person = await someone(server);
  const chatId = await person.newChat();
  const { message } = (await person.say(chatId, 'What is 2 + 2?')).json;
  const die = () =>
    server.db.database.query(
      `update chat_messages set state = 'streaming', content = 'Half an', lease_until = now() - interval '1 second'
        where id = $1`,
      [message.id],
    );
  await die();
  const lost = await whenOver(person, chatId);
  assert.deepEqual(
    [lost.state, lost.content, lost.error.code, lost.error.retryable],
    ['failed', 'Half an', 'generation_failed', true],
  );
  await die();
  const next = await person.say(chatId, 'Go on.');
  assert.equal(next.status, 201, next.text);
  assert.equal(next.json.message.request.messages[1].content, 'Half an');
});

test('what is said again under its Idempotency-Key after its server died stands once, and is answered', async () => {
  const person = await someone(server);
  const { database } = server.db;
  const chatId = await person.newChat();
  const headers = { ...bearer(person.key), 'idempotency-key': 'said once' };
  const say = (content: string) =>
    person.ask('POST', `chats/${chatId}/messages`, { content, stream: false }, { headers });
  const first = (await say('What is 2 + 2?')).json;
  // What a server leaves behind that dies in the middle of its answer.
  await database.query(
    `update chat_messages set state = 'streaming', content = 'Half an', lease_until = now() - interval '1 second'
      where id = $1`,
    [first.message.id],
  );
  await database.query(`update calls set server_id = 'ins_dead', status = null, body = null where account_id = $1`, [
    person.accountId,
  ]);
  const { status, text, json } = await say('What is 2 + 2?');
  assert.equal(status, 201, text);
  assert.deepEqual([json.user_message.id, json.message.id], [first.user_message.id, first.message.id]);
  assert.deepEqual([json.message.state, json.message.content], ['complete', first.message.content]);
  assert.equal((await person.messages(chatId)).length, 2);
  await database.query('delete from calls where account_id = $1', [person.accountId]);
  assert.equal((await say('And 3 + 3?')).status, 201);
  assert.equal((await person.messages(chatId)).length, 4);
});

test('a slow process writes nothing into a later try, though both have the number of the answer that came back between', async () => {
  const person = await someone(server);
  const { database } = server.db;
  const { message } = (await person.say(await person.newChat(), 'What is 2 + 2?')).json;
  const again = (lease: string) =>
    database.transaction(async (tx) => {
      const begun = await beginAgain(tx, message.id, { request: '{}', requestId: newId('req') });
      await tx.query(`update chat_messages set lease_until = now() + $2::interval where id = $1`, [message.id, lease]);
      return begun;
    });
  const slow = await again('-1 second');
  await endLostAnswers(database, lost, null);
  const later = await again('1 hour');
  assert.equal(later.attempt, slow.attempt);
  const said = { content: 'Late', reasoning: null, toolCalls: null, request: '{}', requestId: newId('req') };
  const how = { modelRevision: null, finishReason: 'stop', usage: '{}', activeMs: 1, creditsMicro: 1n };
  assert.equal(await renewAnswer(database, slow, null), null);
  assert.equal(await renewAnswer(database, slow, { ...said, modelRevision: null }), null);
  assert.equal(await keepAnswer(database, slow, { ...said, ...how, state: 'complete' }), null);
  assert.equal(await endAnswer(database, slow, { state: 'failed', error: lost, text: said }), null);
  assert.deepEqual(await renewAnswer(database, later, null), { stopRequested: false });
  const ended = await endAnswer(database, later, { state: 'stopped', error: null, text: null });
  assert.deepEqual([ended?.state, ended?.content], ['complete', message.content]);
});
