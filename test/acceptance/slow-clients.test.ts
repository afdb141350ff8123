import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { newId } from '#kernel';
import { addModel } from '#models';
import { bearer } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Asked, callModel, inTurn, type ProtocolRow, pathOf, streamingRows, textRows } from '#test/protocols.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { isOver, openReader, type Reader, requestIdOf } from '#test/slow-reader.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';

/** Callers that leave, read slowly or send slowly, in every protocol: what becomes of their calls, and of everybody else's. */
let database: TestDatabase;
let server: ServerProcess;
let caller: Tenant;
const folder = mkdtempSync(join(tmpdir(), 'fanfold-slow-'));
const contextTokens = 16_384;
const longAnswer = 15_000;
/** As long as an alias can be: every frame repeats it, which makes a stream as large as possible. */
const endless = `endless-${'x'.repeat(55)}`;

before(async () => {
  database = await createTestDatabase();
  const ggufPath = join(folder, 'endless.gguf');
  const shape = { ...smallShape, contextTokens };
  writeRandomModel(ggufPath, { shape, seed: 7, kind: 'text', spread: 0.3, ends: false });
  await addModel(openShippedModels(folder), { id: 'random', kind: 'text', ggufPath, contextTokens });
  const models = openShippedModels(folder);
  caller = await seedTenant(database.database, models);
  const [project = assert.fail()] = await database.database.query<{ id: string }>(
    `select id from projects where account_id = $1 and slug = 'chat'`,
    [caller.accountId],
  );
  await seedAlias(database.database, models, { projectId: project.id, alias: endless, model: 'random' });
  server = await startServerProcess(database.url, {
    dataDir: folder,
    limits: { headersTimeoutMs: 1_500, requestTimeoutMs: 2_500 },
    // Two at a time, so that a sequence that is not given back is missed at once.
    settings: { FANFOLD_ENGINE_SEQUENCES: '2' },
  });
  for (const model of [endless, 'chat']) assert.equal((await short(model)).status, 200);
});

after(async () => {
  server?.kill();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const chat = inTurn(textRows, 0);
const chatPath = () => pathOf(chat, { owner: caller.slug });

async function short(model: string): Promise<{ status: number; ms: number }> {
  const startedMs = performance.now();
  const to = { origin: server.origin, owner: caller.slug, key: caller.key };
  const response = await callModel(chat, to, { model, text: 'Go on', maxTokens: 1 });
  await response.text();
  return { status: response.status, ms: performance.now() - startedMs };
}

/** A connection of its own that has sent a call for a long answer. */
function openCall(row: ProtocolRow, asked: Asked): Reader {
  const wanted = { model: endless, text: 'Go on', maxTokens: longAnswer, extra: { temperature: 0 }, ...asked };
  return openReader(row, { origin: server.origin, owner: caller.slug, key: caller.key }, wanted);
}

async function until<T>(ask: () => Promise<T> | T, isGood: (answer: T) => boolean, limitMs = 60_000): Promise<T> {
  const deadlineMs = performance.now() + limitMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(100, pauseMs * 1.5)) {
    const answer = await ask();
    if (isGood(answer) || performance.now() > deadlineMs) return answer;
    await sleep(pauseMs);
  }
}

type Charge = { request_id: string; outcome: string; completion_tokens: number; active_ms: number };

const chargesOf = (requestId: string) =>
  database.database.query<Charge>('select * from ledger where request_id = $1', [requestId]);

/** All charges for long answers to calls that came after one of this id; those of calls before may still be on their way. */
const longCharges = (after: string) =>
  database.database.query<Charge>(
    "select * from ledger where model_requested = $1 and outcome <> 'succeeded' and request_id > $2",
    [endless, after],
  );

const leavers: Record<
  string,
  {
    rows: readonly ProtocolRow[];
    asked: Asked;
    leave: (reader: Reader, round: number) => Promise<unknown>;
    mayBeFree: boolean;
  }
> = {
  'in mid-stream': {
    rows: streamingRows,
    asked: { stream: true },
    leave: ({ text }) => until(text, (seen) => seen.split('\n\n').length > 20),
    mayBeFree: false,
  },
  'while it waits for an answer that is not streamed': {
    rows: textRows,
    asked: {},
    leave: (_, round) => sleep(150 * (1 + round / 4)),
    mayBeFree: true,
  },
  'before the first byte': {
    rows: streamingRows,
    asked: { stream: true, text: 'word '.repeat(1_500), maxTokens: 8_000 },
    // Later in later rounds: on a busy machine nothing has run after so short a time.
    leave: (_, round) => sleep(Math.random() * 30 * (1 + round)),
    mayBeFree: true,
  },
};

for (const [when, { rows: leaving, asked, leave, mayBeFree }] of Object.entries(leavers))
  test(`a caller that leaves ${when} frees its sequence at once and pays at most once`, async (t) => {
    const rounds = 5;
    const waits: number[] = [];
    // Holds one of the two sequences all the time, so that a third call has to wait for the leaver's.
    let begun = 0;
    const begin = async () => {
      const reader = openCall(inTurn(streamingRows, begun++), { stream: true });
      await until(reader.text, (seen) => seen.includes('data: '));
      return reader;
    };
    const start = newId('req');
    const made = async () => (await longCharges(start)).length;
    let other = await begin();
    let [charged, proved] = [0, 0];
    // One that has not come far when it leaves is not charged; some have.
    for (let round = 0; proved < rounds || charged === 0; round++) {
      assert.ok(round < 40, `${proved} rounds prove something, ${charged} charges`);
      if (isOver(other)) other = await begin();
      const leaver = openCall(inTurn(leaving, round), asked);
      await leave(leaver, round);
      leaver.socket.destroy();
      const { status, ms } = await short(endless);
      assert.equal(status, 200);
      waits.push(ms);
      if (mayBeFree) charged = await made();
      else charged = await until(made, (found) => found > round);
      assert.ok(charged <= round + 1 && (mayBeFree || charged === round + 1), `${charged} charges in round ${round}`);
      // Where the other stream has ended meanwhile, its own sequence may have been taken.
      if (!isOver(other)) proved += 1;
    }
    other.socket.destroy();
    t.diagnostic(`next call after ${waits.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    // The answer that was left would have kept the sequence for as long as the other stream goes on.
    await until(
      () => chargesOf(requestIdOf(other.text())),
      (rows) => rows.length > 0,
    );
    const rows = await longCharges(start);
    assert.equal(new Set(rows.map(({ request_id }) => request_id)).size, rows.length);
    for (const { outcome, completion_tokens, active_ms } of rows) {
      assert.equal(outcome, 'client_disconnected');
      assert.ok(completion_tokens < longAnswer && active_ms > 0);
    }
  });

function residentMb(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_024;
}

test('readers that stop reading pay once and take little memory, and others are served meanwhile', async (t) => {
  const before = residentMb();
  const readers: Reader[] = [];
  const startedMs = performance.now();
  for (let round = 0; round < 8; round++) {
    const reader = openCall(inTurn(streamingRows, round), { stream: true, maxTokens: 3_000 });
    await until(reader.text, (seen) => seen.includes('data: '));
    reader.socket.pause();
    readers.push(reader);
    assert.equal((await short('chat')).status, 200);
  }
  const ids = readers.map(({ text }) => requestIdOf(text()));
  const charges = await until(
    async () => (await Promise.all(ids.map(chargesOf))).map((rows) => rows.map(({ outcome }) => outcome)),
    (found) => found.every((outcomes) => outcomes.length > 0),
    60_000,
  );
  const grown = residentMb() - before;
  const seconds = (performance.now() - startedMs) / 1_000;
  t.diagnostic(`${charges.flat().join(', ')}; ${grown.toFixed(0)} MB more; ${seconds.toFixed(1)} s`);
  for (const outcomes of charges) assert.equal(outcomes.length, 1);
  assert.ok(grown < 160, `${grown} MB`);
  for (const { socket } of readers) socket.resume();
  await Promise.all(readers.map(({ closed }) => closed));
  for (const [index, reader] of readers.entries())
    assert.equal(isOver(reader), charges[index]?.[0] === 'succeeded', 'cut off means not ended');
});

test('a reader that is slow but steady gets the whole stream', async () => {
  for (const row of streamingRows) {
    const reader = openCall(row, { stream: true, maxTokens: 300 });
    const nap = setInterval(() => {
      reader.socket.pause();
      setTimeout(() => reader.socket.resume(), 15);
    }, 20);
    await reader.closed;
    clearInterval(nap);
    assert.ok(isOver(reader), row.name);
    const charges = await chargesOf(requestIdOf(reader.text()));
    assert.deepEqual(
      charges.map(({ outcome, completion_tokens }) => [outcome, completion_tokens]),
      [['succeeded', 300]],
    );
  }
});

async function latencies(calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const startedMs = performance.now();
    const response = await fetch(`${server.origin}/api/projects/${caller.slug}/chat/openai/v1/models`, {
      headers: bearer(caller.key),
    });
    await response.text();
    assert.equal(response.status, 200);
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b);
}

test('500 connections that send a byte now and then delay nobody and are closed', async (t) => {
  const quiet = await latencies(200);
  const head = `POST ${chatPath()} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.key}\r\n`;
  const drips = [`${head}x-drip: `, `${head}content-type: application/json\r\ncontent-length: 5000\r\n\r\n{"a":"`];
  let open = 0;
  const answers: Record<string, number> = {};
  const sockets = Array.from({ length: 500 }, (_, n) => {
    const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
    open += 1;
    socket.write(drips[n % 2] ?? '');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const status = data.toString().slice(9, 12);
      answers[status] = (answers[status] ?? 0) + 1;
    });
    socket.on('close', () => (open -= 1));
    return socket;
  });
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 100);
  const busy = await latencies(200);
  const left = await until(
    () => open,
    (count) => count === 0,
    120_000,
  );
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
  const p = (times: number[], share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const figures = [quiet, busy].map((times) => `p50 ${p(times, 0.5).toFixed(1)}, p99 ${p(times, 0.99).toFixed(1)} ms`);
  t.diagnostic(`alone ${figures[0]}; beside 500 slow connections ${figures[1]}; answers ${JSON.stringify(answers)}`);
  assert.equal(left, 0, 'the server closes them');
  // Who waited for the slow ones would wait for seconds, each time.
  assert.ok(p(busy, 0.5) < 20 * p(quiet, 0.5) + 500, figures.join('; '));
});

test('afterwards nothing is left running or held', async () => {
  const both = await Promise.all([short(endless), short(endless), short('chat')]);
  assert.ok(both.every(({ status }) => status === 200));
  const held = () => database.database.query('select 1 from calls where status is null');
  assert.deepEqual(await until(held, (rows) => rows.length === 0), []);
  assert.deepEqual(await doctor(database.database), []);
  const { stallMs, exitCode } = await server.stop();
  assert.ok(stallMs < 1_000, `${stallMs} ms`);
  assert.equal(exitCode, 0);
});
