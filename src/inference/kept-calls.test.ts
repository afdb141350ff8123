import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longAnswer } from '#test/long-answer.ts';
import { readFrames } from '#test/sse.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** Calls of models with an `Idempotency-Key`, on the wired program. */
let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(pg.database);
  ada = await seedTenant(pg.database, app.models);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

const chatBody = {
  model: 'chat',
  messages: [{ role: 'user', content: 'Hello!' }],
  max_tokens: 8,
  reasoning_effort: 'none',
};

const paths = {
  chat: 'chat/openai/v1/chat/completions',
  completions: 'chat/openai/v1/completions',
  embeddings: 'search/openai/v1/embeddings',
};

function send(path: string, body: object, options: { key?: string; signal?: AbortSignal; as?: Tenant } = {}) {
  const { key, as = ada, signal = AbortSignal.timeout(180_000) } = options;
  return fetch(`${app.origin}/api/projects/${ada.slug}/${path}`, {
    method: 'POST',
    headers: {
      ...bearer(as.key),
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
    signal,
  });
}

async function read(response: Response) {
  const { status, headers } = response;
  return { status, text: await response.text(), isReplay: headers.get('idempotent-replay') === 'true', headers };
}

const codeOf = ({ text }: { text: string }) => JSON.parse(text).error?.code;

async function chargesOf(requestId: string | null): Promise<{ operation: string; outcome: string }[]> {
  return pg.database.query('select operation, outcome from ledger where request_id = $1', [requestId]);
}

const ledgerSize = async () =>
  Number((await pg.database.query<{ n: bigint }>('select count(*) as n from ledger'))[0]?.n ?? 0);

const isBegun = async (key: string) =>
  (await pg.database.query('select from idempotent_requests where key = $1', [key])).length > 0;

for (const [operation, path, body] of [
  ['chat.create', paths.chat, chatBody],
  ['completions.create', paths.completions, { model: 'chat', prompt: 'Hello!', max_tokens: 8 }],
  ['embeddings.create', paths.embeddings, { model: 'search', input: ['lamp', 'chair'] }],
] as const)
  test(`a repeated ${operation} gets the same answer, is marked, and is charged once`, async () => {
    const key = randomUUID();
    const first = await read(await send(path, body, { key }));
    assert.deepEqual([first.status, first.isReplay], [200, false]);
    const before = await ledgerSize();
    const again = await read(await send(path, body, { key }));
    assert.deepEqual([again.status, again.isReplay, again.text], [200, true, first.text]);
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    assert.equal(again.headers.get('x-fnf-request-id'), first.headers.get('x-request-id'));
    assert.equal(await ledgerSize(), before);
    const [charge, ...more] = await chargesOf(first.headers.get('x-request-id'));
    assert.deepEqual([{ ...charge }, more.length], [{ operation, outcome: 'succeeded' }, 0]);
    const fresh = await read(await send(path, body));
    assert.deepEqual([fresh.status, fresh.isReplay], [200, false]);
    assert.equal(await ledgerSize(), before + 1);
  });

/** What a reader of the stream ends up with. */
function textOf(stream: string) {
  const frames = readFrames(stream);
  const deltas = frames.flatMap(({ choices }) => choices);
  return {
    head: new Set(frames.map(({ id, created, model }) => `${id} ${created} ${model}`)),
    content: deltas.map(({ delta }) => delta.content ?? '').join(''),
    finish: deltas.flatMap(({ finish_reason: reason }) => reason ?? []),
    usage: frames.at(-1)?.usage,
    isDone: stream.endsWith('data: [DONE]\n\n'),
  };
}

test('a repeated stream has the same id, text, finish and usage, in a stream', async () => {
  const key = randomUUID();
  const body = { ...chatBody, stream: true, stream_options: { include_usage: true } };
  const first = await read(await send(paths.chat, body, { key }));
  const again = await read(await send(paths.chat, body, { key }));
  assert.equal(again.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.deepEqual([first.isReplay, again.isReplay], [false, true]);
  assert.deepEqual(textOf(again.text), textOf(first.text));
  assert.ok(textOf(again.text).isDone && textOf(again.text).content.length > 0);
});

test('calls of tools keep their ids when they are streamed again', async () => {
  const key = randomUUID();
  const tool = { name: 'get_weather', parameters: { type: 'object', properties: { city: { enum: ['Paris'] } } } };
  const body = {
    ...chatBody,
    max_tokens: 100,
    stream: true,
    tools: [{ type: 'function', function: tool }],
    tool_choice: 'required',
    parallel_tool_calls: false,
  };
  const callsOf = (text: string) =>
    readFrames(text).flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
  const first = await read(await send(paths.chat, body, { key }));
  const again = await read(await send(paths.chat, body, { key }));
  assert.ok(again.isReplay);
  assert.equal(callsOf(first.text).length, 2);
  assert.deepEqual(callsOf(again.text), callsOf(first.text));
});

test('a key stands for one body on one route, for one account', async () => {
  const key = randomUUID();
  assert.equal((await read(await send(paths.chat, chatBody, { key }))).status, 200);
  const other = await read(await send(paths.chat, { ...chatBody, max_tokens: 9 }, { key }));
  assert.deepEqual([other.status, codeOf(other)], [409, 'idempotency_conflict']);
  assert.equal(other.headers.get('x-should-retry'), 'false');
  const elsewhere = await read(await send(paths.completions, chatBody, { key }));
  assert.equal(elsewhere.status, 400, 'what is wrong with the body is told first');
  const bob = await seedTenant(pg.database, app.models);
  const path = paths.chat;
  const ofBob = await fetch(`${app.origin}/api/projects/${bob.slug}/${path}`, {
    method: 'POST',
    headers: { ...bearer(bob.key), 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(chatBody),
  });
  assert.deepEqual([ofBob.status, ofBob.headers.get('idempotent-replay')], [200, null]);
});

test('a call that failed may be sent again with its key', async () => {
  const key = randomUUID();
  for (const [body, status] of [
    [{ ...chatBody, model: 'unknown' }, 404],
    [{ ...chatBody, max_tokens: 100_000 }, 400],
    [chatBody, 200],
  ] as const) {
    const answer = await read(await send(paths.chat, body, { key }));
    assert.deepEqual([answer.status, answer.isReplay], [status, false]);
  }
});

test('a call whose caller left goes on, is charged once, and is there when he comes back', async () => {
  for (const body of [
    { ...chatBody, ...longAnswer, stream: false },
    { ...chatBody, ...longAnswer, stream: true },
  ]) {
    const key = randomUUID();
    const leave = new AbortController();
    const before = await ledgerSize();
    const response = send(paths.chat, body, { key, signal: leave.signal });
    if (body.stream) await (await response).body?.getReader().read();
    else while (!(await isBegun(key))) await sleep(5);
    leave.abort();
    await response.catch(() => {});
    let answer = await read(await send(paths.chat, body, { key }));
    for (let tries = 0; answer.status === 409 && tries < 1_200; tries++) {
      assert.equal(codeOf(answer), 'idempotency_in_progress');
      assert.equal(answer.headers.get('x-should-retry'), null);
      await sleep(50);
      answer = await read(await send(paths.chat, body, { key }));
    }
    assert.deepEqual([answer.status, answer.isReplay], [200, true]);
    const content = body.stream ? textOf(answer.text).content : JSON.parse(answer.text).choices[0].message.content;
    assert.ok(content.length >= 1_500);
    assert.equal(await ledgerSize(), before + 1);
    const [charge] = await chargesOf(answer.headers.get('x-fnf-request-id'));
    assert.equal(charge?.outcome, 'succeeded');
  }
});

test('an answer that was kept but not paid is paid, once, by whoever asks for it again', async () => {
  const key = randomUUID();
  const first = await read(await send(paths.chat, chatBody, { key }));
  const id = first.headers.get('x-request-id');
  // As if the process had died between keeping the answer and charging for it.
  await pg.database.transaction(async (tx) => {
    await tx.query('alter table ledger disable trigger ledger_is_insert_only');
    await tx.query(
      `with gone as (delete from ledger where request_id = $1 returning account_id, micro)
       update accounts set balance_micro = balance_micro - gone.micro from gone where accounts.id = gone.account_id`,
      [id],
    );
    await tx.query('alter table ledger enable trigger ledger_is_insert_only');
    await tx.query('delete from ledger_once where request_id = $1', [id]);
  });
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => read(await send(paths.chat, chatBody, { key }))),
  );
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, first.text]);
  assert.equal((await chargesOf(id)).length, 1);
});

test('a key that is no key is refused before the model runs', async () => {
  const before = await ledgerSize();
  const answer = await read(await send(paths.chat, chatBody, { key: 'k'.repeat(129) }));
  assert.deepEqual([answer.status, JSON.parse(answer.text).error.param], [400, 'Idempotency-Key']);
  assert.equal(await ledgerSize(), before);
});
