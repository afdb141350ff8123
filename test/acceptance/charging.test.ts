import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longestAnswer } from '#test/long-answer.ts';
import { childrenOf, commandOf } from '#test/processes.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';

/** What a call costs, and that everything which is not a success costs nothing. */
let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  for (const ask of [() => chat(), () => post('search/openai/v1/embeddings', { model: 'search', input: 'lamp' })])
    await (await patiently(ask)).text();
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

type Row = {
  micro: bigint;
  active_ms: number;
  units: bigint;
  rate_micro_per_minute: bigint;
  outcome: string;
  model_requested: string;
};

async function ledgerOf(requestId: string | null): Promise<Row[]> {
  return database.database.query<Row>("select * from ledger where type = 'inference' and request_id = $1", [requestId]);
}

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${program.url}/api/projects/local/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.key}` },
    body: JSON.stringify(body),
    signal: signal ?? AbortSignal.timeout(180_000),
  });
}

const chat = (extra: object = {}) =>
  post('chat/openai/v1/chat/completions', { model: 'chat', messages: [{ role: 'user', content: 'Hello!' }], ...extra });

test('a success is in the ledger exactly once, with the published price, when its answer arrives', async () => {
  for (const response of [
    await chat(),
    await chat({ stream: true }),
    await post('search/openai/v1/embeddings', { model: 'search', input: 'lamp' }),
  ]) {
    assert.equal(response.status, 200);
    await response.text();
    const [row, ...more] = await ledgerOf(response.headers.get('x-request-id'));
    assert.ok(row && more.length === 0);
    assert.ok(row.active_ms > 0);
    const units = BigInt(Math.max(1, Math.ceil(row.active_ms / 100)));
    assert.equal(row.units, units);
    assert.equal(-row.micro, (units * row.rate_micro_per_minute + 300n) / 600n);
    assert.equal(row.outcome, 'succeeded');
  }
});

test('a refused call leaves no trace in the ledger', async () => {
  for (const extra of [{ model: 'nothing' }, { max_tokens: 99_999 }, { temperature: 9 }]) {
    const response = await chat(extra);
    await response.text();
    assert.ok(response.status >= 400);
    assert.deepEqual(await ledgerOf(response.headers.get('x-request-id')), []);
  }
});

test('a client that leaves in mid-stream pays for what ran until then', async () => {
  const gone = new AbortController();
  const body = { model: 'chat', messages: [{ role: 'user', content: 'Hello!' }], ...longestAnswer };
  const response = await post('chat/openai/v1/chat/completions', body, gone.signal);
  await response.body?.getReader().read();
  gone.abort();
  const rows = await until(
    () => ledgerOf(response.headers.get('x-request-id')),
    (found) => found.length > 0,
  );
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ['client_disconnected'],
  );
});

test('an engine that is killed in mid-stream ends it with an error frame, free of charge, and comes back by itself', async () => {
  const engines = childrenOf(program.process.pid ?? 0).filter((pid) => commandOf(pid).includes('child.ts'));
  assert.ok(engines.length > 0);
  const response = await chat(longestAnswer);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? '';
  for (const pid of engines) process.kill(pid, 'SIGKILL');
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
  assert.ok(!text.includes('[DONE]'));
  const last = JSON.parse(text.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? '');
  assert.equal(last.error.code, 'generation_failed');
  assert.ok(!('choices' in last));
  assert.deepEqual(await ledgerOf(response.headers.get('x-request-id')), []);
  const again = await until(
    () => chat(),
    (answer) => answer.status === 200,
  );
  assert.equal(again.status, 200);
});

test('without credits a call is refused before it runs, and nothing goes below zero', async () => {
  const { query } = database.database;
  // The till of the calls before holds credits of the account for a moment longer.
  await until(
    () => query('select from holds'),
    (holds) => holds.length === 0,
  );
  const [before] = await query<{ balance_micro: bigint }>("select balance_micro from accounts where slug = 'local'");
  await query(
    "insert into ledger (id, account_id, type, micro, balance_after_micro) select 'led_test', id, 'adjustment', -balance_micro, 0 from accounts where slug = 'local'",
  );
  await query("update accounts set balance_micro = 0 where slug = 'local'");
  const response = await chat();
  assert.equal(response.status, 402);
  assert.equal(response.headers.get('x-should-retry'), 'false');
  assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'insufficient_credits');
  await query(
    "insert into ledger (id, account_id, type, micro, balance_after_micro) select 'led_test2', id, 'adjustment', $1, $1 from accounts where slug = 'local'",
    [before?.balance_micro],
  );
  await query("update accounts set balance_micro = $1 where slug = 'local'", [before?.balance_micro]);
});

test('afterwards the books are right: balance is the sum of the ledger and no hold is left', async () => {
  const findings = await until(
    () => doctor(database.database),
    (found) => found.length === 0,
  );
  assert.deepEqual(findings, []);
  assert.deepEqual(await database.database.query('select * from holds'), []);
});

async function until<T>(ask: () => Promise<T>, isGood: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 120_000;
  let answer = await ask();
  while (!isGood(answer) && Date.now() < deadline) {
    await sleep(100);
    answer = await ask();
  }
  return answer;
}
