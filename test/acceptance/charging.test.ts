import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { childrenOf, commandOf } from '#test/processes.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';
import {
  type Asked,
  callForms,
  callModel,
  type ProtocolRow,
  protocolRows,
  readingOf,
  streamingRows,
  textRows,
} from '#test/protocols.ts';
import { at, framesOf } from '#test/read-answer.ts';

/** What a call costs, in every protocol, and that everything which is not a success costs nothing. */
let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  for (const row of protocolRows) await (await patiently(() => call(row))).text();
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
  prompt_tokens: number;
  completion_tokens: number;
  outcome: string;
  model_requested: string;
};

async function ledgerOf(requestId: string | null): Promise<Row[]> {
  return database.database.query<Row>("select * from ledger where type = 'inference' and request_id = $1", [requestId]);
}

function call(row: ProtocolRow, asked: Asked = {}, signal = AbortSignal.timeout(180_000)): Promise<Response> {
  return callModel(row, { origin: program.url, owner: 'local', key: program.key ?? '', signal }, asked);
}

/** Lasts until something happens to it. */
const long = { stream: true, longFor: 400, maxTokens: 3_900 };

/** Reads until the model has said something: only then something has run for sure. */
async function begun(row: ProtocolRow, response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail('There is no stream.');
  let text = '';
  while (readingOf(row, long).said(text) === '') text += (await reader.read()).value ?? assert.fail(text);
  return { reader, text };
}

test('a success is in the ledger exactly once, with the published price, when its answer arrives', async () => {
  for (const { row, stream } of callForms) {
    const response = await call(row, { stream });
    const label = `${row.name}, stream: ${stream}`;
    assert.equal(response.status, 200, label);
    const answer = await response.text();
    const reading = readingOf(row, { stream });
    assert.ok(reading.isWhole(answer), label);
    const [charge, ...more] = await ledgerOf(response.headers.get('x-request-id'));
    assert.ok(charge && more.length === 0, label);
    assert.ok(charge.active_ms > 0);
    const units = BigInt(Math.max(1, Math.ceil(charge.active_ms / 100)));
    assert.equal(charge.units, units);
    assert.equal(-charge.micro, (units * charge.rate_micro_per_minute + 300n) / 600n);
    assert.equal(charge.outcome, 'succeeded');
    const { promptTokens, completionTokens } = reading.counted(answer);
    assert.deepEqual([promptTokens, completionTokens], [charge.prompt_tokens, charge.completion_tokens], label);
  }
});

test('a refused call leaves no trace in the ledger', async () => {
  for (const { row, stream } of callForms) {
    const wrong = [
      { asked: { model: 'nothing' }, refusal: 'model_not_found' },
      { asked: { text: 'lamp '.repeat(20_000) }, refusal: row.tooLong },
      { asked: { extra: { temperature: 9, dimensions: 0 } }, refusal: 'invalid_request' },
    ] as const;
    for (const { asked, refusal } of wrong) {
      const response = await call(row, { ...asked, stream });
      const told = [response.status, row.errorIn(await response.text())];
      assert.deepEqual(told, row.refusal(refusal), `${row.name}, ${Object.keys(asked)}`);
      assert.deepEqual(await ledgerOf(response.headers.get('x-request-id')), []);
    }
  }
});

test('an answer that is asked to be longer than the context is refused and free, or fitted in and charged', async () => {
  for (const row of textRows) {
    const response = await call(row, { maxTokens: 99_999 });
    await response.text();
    const charges = await ledgerOf(response.headers.get('x-request-id'));
    assert.deepEqual([response.status, charges.length], row.fitsContext ? [200, 1] : [400, 0], row.name);
  }
});

test('a client that leaves in mid-stream pays for what ran until then', async () => {
  for (const row of streamingRows) {
    const gone = new AbortController();
    const response = await call(row, long, gone.signal);
    await begun(row, response);
    gone.abort();
    const rows = await until(
      () => ledgerOf(response.headers.get('x-request-id')),
      (found) => found.length > 0,
    );
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['client_disconnected'],
      row.name,
    );
  }
});

test('an engine that is killed in mid-stream ends it with an error frame, free of charge, and comes back by itself', async () => {
  for (const row of streamingRows) {
    const engines = childrenOf(program.process.pid ?? 0).filter((pid) => commandOf(pid).includes('child.ts'));
    assert.ok(engines.length > 0);
    const response = await call(row, long);
    let { reader, text } = await begun(row, response);
    for (const pid of engines) process.kill(pid, 'SIGKILL');
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    assert.ok(!row.stream.isWhole(text), text.slice(-500));
    assert.equal(row.errorIn(text), row.refusal('generation_failed')[1]);
    const last = framesOf(text).at(-1);
    assert.deepEqual([at(last, 'choices'), row.stream.counted(text).completionTokens], [undefined, 0], row.name);
    assert.deepEqual(await ledgerOf(response.headers.get('x-request-id')), []);
    const again = await until(
      () => call(row),
      (answer) => answer.status === 200,
    );
    assert.equal(again.status, 200);
  }
});

test('without credits a call is refused before it runs, and nothing goes below zero', async () => {
  const { query } = database.database;
  // The till of the calls before holds credits of the account for a moment longer.
  await until(
    () => query('select from calls where status is null'),
    (holds) => holds.length === 0,
  );
  const [before] = await query<{ balance_micro: bigint }>("select balance_micro from accounts where slug = 'local'");
  await query(
    "insert into ledger (id, account_id, type, micro, balance_after_micro) select 'led_test', id, 'adjustment', -balance_micro, 0 from accounts where slug = 'local'",
  );
  await query("update accounts set balance_micro = 0 where slug = 'local'");
  for (const { row, stream } of callForms) {
    const response = await call(row, { stream });
    const told = [response.status, row.errorIn(await response.text())];
    assert.deepEqual(told, row.refusal('insufficient_credits'), row.name);
    assert.equal(response.headers.get('x-should-retry'), 'false', row.name);
  }
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
  assert.deepEqual(await database.database.query('select * from calls where status is null'), []);
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
