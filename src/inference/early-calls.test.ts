import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultName } from '#kernel';
import { callForms, inTurn, type ProtocolRow, readingOf, streamingRows, textRows } from '#test/protocols.ts';
import { type Caller, openEarlyCalls, remoteModel, until } from './early-callers.fixture.ts';

const { database, engine, admissions, seedCaller, call, meddle, begin, assertWaits } = openEarlyCalls();

const ledgerOf = ({ accountId }: Caller) =>
  database().query<{ request_id: string; rate: bigint; model: string; price: string }>(
    `select request_id, rate_micro_per_minute as rate, model_served as model, price_version as price
       from ledger where account_id = $1 and type = 'inference' order by created_at, id`,
    [accountId],
  );

async function balanceOf({ accountId }: Caller) {
  const rows = await database().query<{ balance: bigint; held: bigint }>(
    'select balance_micro as balance, held_micro as held from accounts where id = $1',
    [accountId],
  );
  return rows[0] ?? assert.fail();
}

const change = (text: string, id: string) => database().query(text, [id]);
const toldOf = (row: ProtocolRow, { status, told }: { status: number; told: string }) => [status, row.errorIn(told)];
/** The protocol of tests in which it makes no difference. */
const chat = inTurn(textRows, 0);
const textForms = callForms.filter(({ row }) => row.kind === 'text');

/** Whatever was begun for a call that was not admitted leaves nothing behind. */
async function assertNothingOf(caller: Caller, { id, before }: { id: string | null; before: { balance: bigint } }) {
  await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
  assert.equal((await balanceOf(caller)).balance, before.balance);
  const left = await database().query<{ n: bigint }>(
    `select (select count(*) from ledger where request_id = $1) + (select count(*) from holds where request_id = $1)
          + (select count(*) from failed_requests where id = $1) + (select count(*) from running_requests where calls ? $1) as n`,
    [id],
  );
  assert.equal(left[0]?.n, 0n);
}

for (const { row, stream } of textForms)
  test(`a call that was admitted before begins while the database is asked, and nobody sees of it before that has answered (${row.name}, ${stream ? 'stream' : 'JSON'})`, async () => {
    const caller = await seedCaller();
    assert.equal((await call(caller, { row })).status, 200);
    const { answered, seen } = await begin(caller, { row, stream });
    // The engine has answered.
    await meddle();
    assert.equal(seen.isAnswered, false);
    assert.equal((await ledgerOf(caller)).length, 1);
    admissions.open();
    const { status, told, id } = await answered;
    assert.equal(status, 200);
    const { said, isWhole } = readingOf(row, { stream });
    assert.deepEqual([said(told), isWhole(told)], ['Hi.', true]);
    assert.deepEqual((await ledgerOf(caller)).map((charge) => charge.request_id).slice(1), [id]);
  });

test('a key that was deleted is refused on every server, at once and with nothing else, and what its call began is undone', async () => {
  const wrong = [{ extra: { max_tokens: 'many', max_output_tokens: 'many' } }, { maxTokens: 1_000_000 }];
  const forms = [...textForms, ...textRows.flatMap((row) => wrong.map((asked) => ({ row, ...asked })))];
  for (const [n, asked] of forms.entries()) {
    const { row } = asked;
    const server = n % 2;
    const caller = await seedCaller();
    assert.equal((await call(caller, { server, row })).status, 200);
    await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
    const before = await balanceOf(caller);
    engine.answers = false;
    const { got, canceled } = engine;
    await change('delete from api_keys where id = $1', caller.keyId);
    const first = await call(caller, { server, ...asked });
    assert.deepEqual(toldOf(row, first), row.refusal('invalid_credentials'), row.name);
    await until(() => engine.canceled - canceled === engine.got - got, 'what has begun is canceled');
    const begun = engine.got;
    for (const each of [server, 1 - server])
      assert.equal((await call(caller, { ...asked, server: each })).status, 401, row.name);
    assert.equal(engine.got, begun, 'once refused, nothing begins');
    await assertNothingOf(caller, { id: first.id, before });
    engine.answers = true;
  }
});

const changes: [what: string, sql: string, idOf: (to: Caller) => string, refusal: FaultName][] = [
  ['its key is deleted', 'delete from api_keys where id = $1', ({ keyId }) => keyId, 'invalid_credentials'],
  [
    'its key is deactivated',
    'update api_keys set active = false where id = $1',
    ({ keyId }) => keyId,
    'invalid_credentials',
  ],
  [
    'its account is suspended',
    `update accounts set status = 'suspended' where id = $1`,
    ({ accountId }) => accountId,
    'account_suspended',
  ],
  [
    'its project is archived',
    'update projects set archived_at = now() where id = $1',
    ({ projectId }) => projectId,
    'state_conflict',
  ],
  [
    'its alias has another name',
    `update hosted_models set alias = 'renamed' where project_id = $1`,
    ({ projectId }) => projectId,
    'model_not_found',
  ],
];

for (const [n, [what, sql, idOf, refusal]] of changes.entries())
  for (const answers of [true, false])
    test(`when ${what}, a call that has begun is refused whether its engine has answered (${answers}), and leaves nothing`, async () => {
      const row = inTurn(streamingRows, answers ? n : n + 1);
      const caller = await seedCaller();
      await call(caller, { row });
      await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
      const [before, charged] = [await balanceOf(caller), await ledgerOf(caller)];
      engine.answers = answers;
      const { canceled } = engine;
      const { answered } = await begin(caller, { row, stream: true });
      await change(sql, idOf(caller));
      admissions.open();
      const told = await answered;
      assert.deepEqual(toldOf(row, told), row.refusal(refusal), row.name);
      if (!answers) await until(() => engine.canceled > canceled, 'the engine is told to stop');
      assert.deepEqual(await ledgerOf(caller), charged);
      // An alias that is gone is the caller's own mistake, and told afterwards like any.
      if (refusal !== 'model_not_found') await assertNothingOf(caller, { id: told.id, before });
    });

test('a key that is deleted while its call runs has not been used since', async () => {
  for (const { row, stream } of textForms) {
    const caller = await seedCaller();
    await call(caller, { row });
    const { answered } = await begin(caller, { row, stream });
    await change('update api_keys set active = false, last_used_at = null where id = $1', caller.keyId);
    admissions.open();
    assert.equal((await answered).status, 401);
    await change('update api_keys set active = true where id = $1', caller.keyId);
    const [key] = await database().query<{ at: Date | null }>('select last_used_at as at from api_keys where id = $1', [
      caller.keyId,
    ]);
    assert.equal(key?.at, null, row.name);
  }
});

test('what changed between two calls counts for the second, which begins anew and is charged once', async () => {
  const updates: [sql: string, expected: object][] = [
    ['update hosted_models set rate_micro_per_minute = 77 where project_id = $1', { rate: 77n, model: remoteModel }],
    [`update hosted_models set price_version = 'new' where project_id = $1`, { model: remoteModel, price: 'new' }],
    [
      `update hosted_models set target_id = 'fanfold-tiny-chat', base_model_id = 'fanfold-tiny-chat', revision = revision + 1
        where project_id = $1`,
      { model: 'fanfold-tiny-chat' },
    ],
    ['update projects set inference_auto_save = true where id = $1', { model: remoteModel }],
  ];
  // Each form of call, and each change at least twice.
  for (let n = 0; n < 2 * updates.length; n++) {
    const { row, stream } = inTurn(textForms, n);
    const [sql, expected] = inTurn(updates, n);
    const caller = await seedCaller();
    await call(caller);
    engine.answers = false;
    const { canceled } = engine;
    const { answered } = await begin(caller, { row, stream });
    await change(sql, caller.projectId);
    engine.answers = true;
    admissions.open();
    const { status, told, id } = await answered;
    assert.equal(status, 200, told);
    await until(() => engine.canceled > canceled, 'what was begun is canceled');
    const rows = await ledgerOf(caller);
    assert.equal(rows.length, 2);
    const [, charged = assert.fail()] = rows;
    assert.deepEqual({ ...charged, ...expected, request_id: id }, charged);
    await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
  }
});

test('a stream whose engine breaks off before the admission has come is an ordinary error, and leaves nothing charged', async () => {
  for (const row of streamingRows) {
    const caller = await seedCaller();
    await call(caller, { row });
    await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
    const [before, charged] = [await balanceOf(caller), await ledgerOf(caller)];
    engine.answers = false;
    const { answered } = await begin(caller, { row, stream: true });
    assert.ok((await balanceOf(caller)).held > 0n);
    engine.breakOff();
    await until(async () => (await balanceOf(caller)).held === 0n, 'the call has failed');
    admissions.open();
    assert.deepEqual(toldOf(row, await answered), row.refusal('generation_failed'), row.name);
    assert.deepEqual([await balanceOf(caller), await ledgerOf(caller)], [before, charged]);
    engine.answers = true;
  }
});

test('a caller with little credit has the hold of what begins anew, and nothing is held afterwards', async () => {
  const caller = await seedCaller({ credits: 10n });
  await call(caller);
  engine.answers = false;
  const { answered } = await begin(caller);
  await change('update hosted_models set revision = revision + 1 where project_id = $1', caller.projectId);
  admissions.open();
  const { got } = engine;
  await until(() => engine.got > got, 'it begins anew');
  const holds = await database().query('select from holds where account_id = $1', [caller.accountId]);
  assert.equal(holds.length, 1);
  engine.finish();
  assert.equal((await answered).status, 200);
  await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
  assert.equal((await ledgerOf(caller)).length, 2);
});

test('while the database is away a call is 503 and leaves nothing, and the next one waits for its admission', async () => {
  const caller = await seedCaller();
  await call(caller);
  await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
  const before = await balanceOf(caller);
  engine.answers = false;
  const { answered } = await begin(caller);
  admissions.isAway = true;
  admissions.open();
  const told = await answered;
  admissions.isAway = false;
  assert.deepEqual(toldOf(chat, told), chat.refusal('service_unavailable'));
  await assertNothingOf(caller, { id: told.id, before });
  await assertWaits(caller, {});
});

test('a first call, one with an Idempotency-Key, and one with limits wait for their admission', async () => {
  const caller = await seedCaller();
  await assertWaits(caller, {});
  await assertWaits(caller, { server: 1 });
  await assertWaits(caller, { headers: { 'idempotency-key': 'once' } });
  await change('update api_keys set requests_per_minute = 1000 where id = $1', caller.keyId);
  assert.equal((await call(caller)).status, 200);
  await assertWaits(caller, {});
});
