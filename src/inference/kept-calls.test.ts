import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Asked, callModel, type ProtocolRow, protocolRows, readingOf, streamingRows } from '#test/protocols.ts';
import { answerId, framesOf } from '#test/read-answer.ts';
import { readFrames } from '#test/sse.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** Calls of models with an `Idempotency-Key`, in every protocol, on the wired program. */
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

type Sent = Asked & { key?: string; signal?: AbortSignal; as?: Tenant };

function send(row: ProtocolRow, { key, signal, as = ada, ...asked }: Sent = {}) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const caller = { origin: app.origin, owner: as.slug, key: as.key, headers, ...(signal ? { signal } : {}) };
  return callModel(row, caller, { maxTokens: 8, ...asked });
}

async function ask(row: ProtocolRow, sent: Sent = {}) {
  const response = await send(row, sent);
  const { status, headers } = response;
  return { status, text: await response.text(), isReplay: headers.get('idempotent-replay') === 'true', headers };
}

const toldOf = (row: ProtocolRow, { status, text }: { status: number; text: string }) => [status, row.errorIn(text)];

async function chargesOf(requestId: string | null): Promise<{ operation: string; outcome: string }[]> {
  return pg.database.query('select operation, outcome from ledger where request_id = $1', [requestId]);
}

const ledgerSize = async () =>
  Number((await pg.database.query<{ n: bigint }>('select count(*) as n from ledger'))[0]?.n ?? 0);

const isBegun = async (key: string) =>
  (await pg.database.query('select from calls where idempotency_key = $1 and status is not null', [key])).length > 0;

for (const row of protocolRows)
  test(`a repeated ${row.operation} gets the same answer, is marked, and is charged once`, async () => {
    const key = randomUUID();
    const first = await ask(row, { key });
    assert.deepEqual([first.status, first.isReplay], [200, false]);
    const before = await ledgerSize();
    const again = await ask(row, { key });
    assert.deepEqual([again.status, again.isReplay, again.text], [200, true, first.text]);
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    assert.equal(again.headers.get('x-fnf-request-id'), first.headers.get('x-request-id'));
    assert.equal(await ledgerSize(), before);
    const [charge, ...more] = await chargesOf(first.headers.get('x-request-id'));
    assert.deepEqual([{ ...charge }, more.length], [{ operation: row.operation, outcome: 'succeeded' }, 0]);
    const fresh = await ask(row);
    assert.deepEqual([fresh.status, fresh.isReplay], [200, false]);
    assert.equal(await ledgerSize(), before + 1);
  });

/** How a stream ends, without the numbers of its events: a repeated one has fewer. */
const endOf = (stream: string) =>
  framesOf(stream)
    .slice(-2)
    .map((frame) => ({ ...Object(frame), sequence_number: null }));

test('a repeated stream has the same id, text, finish and usage, in a stream', async () => {
  for (const row of streamingRows) {
    const key = randomUUID();
    const first = await ask(row, { key, stream: true });
    const again = await ask(row, { key, stream: true });
    assert.equal(again.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.deepEqual([first.isReplay, again.isReplay], [false, true]);
    const { said, counted, isWhole } = row.stream;
    assert.ok(isWhole(first.text) && isWhole(again.text), row.name);
    assert.ok(said(first.text).length > 0 && typeof answerId(first.text) === 'string', row.name);
    for (const read of [said, counted, answerId, endOf]) assert.deepEqual(read(again.text), read(first.text), row.name);
    assert.equal((await chargesOf(first.headers.get('x-request-id'))).length, 1);
    assert.deepEqual(await chargesOf(again.headers.get('x-request-id')), []);
  }
});

test('calls of tools keep their ids when they are streamed again', async () => {
  const key = randomUUID();
  const tool = { name: 'get_weather', parameters: { type: 'object', properties: { city: { enum: ['Paris'] } } } };
  const extra = {
    tools: [{ type: 'function', function: tool }],
    tool_choice: 'required',
    parallel_tool_calls: false,
  };
  const callsOf = (text: string) =>
    readFrames(text).flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
  const chat = protocolRows.find(({ operation }) => operation === 'chat.create') ?? assert.fail();
  const asked = { key, stream: true, maxTokens: 100, extra };
  const [first, again] = [await ask(chat, asked), await ask(chat, asked)];
  assert.ok(again.isReplay);
  assert.equal(callsOf(first.text).length, 2);
  assert.deepEqual(callsOf(again.text), callsOf(first.text));
});

test('a key stands for one body on one route, for one account', async () => {
  const bob = await seedTenant(pg.database, app.models);
  for (const row of protocolRows) {
    const key = randomUUID();
    assert.equal((await ask(row, { key })).status, 200);
    const forms = row.stream ? [{ text: 'Other' }, { stream: true }] : [{ text: 'Other' }];
    const others = [
      ...forms.map((asked) => ({ to: row, ...asked })),
      ...protocolRows.filter((each) => each !== row).map((to) => ({ to })),
    ];
    for (const { to, ...asked } of others) {
      const other = await ask(to, { key, ...asked });
      assert.deepEqual(toldOf(to, other), to.refusal('idempotency_conflict'), `${row.name}, then ${to.name}`);
      assert.equal(other.headers.get('x-should-retry'), 'false');
    }
    const ofBob = await ask(row, { key, as: bob });
    assert.deepEqual([ofBob.status, ofBob.isReplay], [200, false]);
  }
});

test('what is wrong with a body is told before its key is looked for', async () => {
  for (const row of protocolRows) {
    const key = randomUUID();
    assert.equal((await ask(row, { key })).status, 200);
    const wrong = await ask(row, { key, extra: { temperature: 9, encoding_format: 'words' } });
    assert.equal(row.errorIn(wrong.text), row.refusal('invalid_request')[1], row.name);
  }
});

test('a call that failed may be sent again with its key', async () => {
  for (const row of protocolRows) {
    const key = randomUUID();
    for (const [asked, status] of [
      [{ model: 'unknown' }, 404],
      [{ text: 'lamp '.repeat(20_000) }, 400],
      [{}, 200],
    ] as const) {
      const answer = await ask(row, { key, ...asked });
      assert.deepEqual([answer.status, answer.isReplay], [status, false], row.name);
    }
  }
});

test('a call whose caller left goes on, is charged once, and is there when he comes back', async () => {
  for (const row of protocolRows.filter(({ keepsLong }) => keepsLong))
    for (const stream of [false, true]) {
      const asked = { key: randomUUID(), stream, longFor: 150, maxTokens: 3_900 };
      const leave = new AbortController();
      const before = await ledgerSize();
      const response = send(row, { ...asked, signal: leave.signal });
      if (stream) await (await response).body?.getReader().read();
      else while (!(await isBegun(asked.key))) await sleep(5);
      leave.abort();
      await response.catch(() => {});
      let answer = await ask(row, asked);
      for (let tries = 0; answer.status === 409 && tries < 1_200; tries++) {
        assert.deepEqual(toldOf(row, answer), row.refusal('idempotency_in_progress'));
        assert.equal(answer.headers.get('x-should-retry'), null);
        await sleep(50);
        answer = await ask(row, asked);
      }
      assert.deepEqual([answer.status, answer.isReplay], [200, true]);
      const { isWhole, said } = readingOf(row, asked);
      assert.ok(isWhole(answer.text) && said(answer.text).length >= 1_500, row.name);
      assert.equal(await ledgerSize(), before + 1);
      const [charge] = await chargesOf(answer.headers.get('x-fnf-request-id'));
      assert.equal(charge?.outcome, 'succeeded');
    }
});

test('a key that is no key is refused before the model runs', async () => {
  const before = await ledgerSize();
  for (const row of protocolRows) {
    const answer = await ask(row, { key: 'k'.repeat(129) });
    assert.deepEqual(toldOf(row, answer), row.refusal('invalid_request'));
    assert.match(answer.text, /Idempotency-Key/);
  }
  assert.equal(await ledgerSize(), before);
});
