import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';
import { type Asked, callForms, callModel, inTurn, type ProtocolRow, protocolRows, textRows } from '#test/protocols.ts';

/** Texts that no context holds, over HTTP. */
let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

function call(row: ProtocolRow, asked: Asked): Promise<Response> {
  return callModel(row, { origin: program.url, owner: 'local', key: program.key ?? '' }, asked);
}

const large = 'The tall lamp stands beside the red door. '.repeat(22_000);

test('a text that cannot fit is refused with its field and how many tokens it has at least, in every protocol', async () => {
  for (const { row, stream } of callForms)
    for (const text of [large, 'a'.repeat(900_000)]) {
      const response = await call(row, { text, stream });
      const answer = await response.text();
      assert.deepEqual([response.status, row.errorIn(answer)], row.refusal(row.tooLong), answer);
      const { message, param = null } = JSON.parse(answer).error;
      assert.equal(param, row.textField, row.name);
      assert.match(message, row.tooLongWords, row.name);
    }
  for (const row of protocolRows.filter(({ kind }) => kind === 'embedding')) {
    const response = await call(row, { extra: { input: ['x', large] } });
    assert.deepEqual([response.status, row.errorIn(await response.clone().text())], row.refusal(row.tooLong));
    assert.match(await response.text(), /at least \d+ tokens/);
  }
});

test('a small call is answered before a flood of texts that cannot fit has been refused', async () => {
  let refused = 0;
  const flood = Array.from({ length: 20 }, async (_, n) => {
    const row = inTurn(textRows, n);
    const { status } = await call(row, { text: large });
    refused++;
    assert.ok(status === 400 || status === row.refusal('capacity_unavailable')[0], `${status}`);
  });
  const { status } = await call(inTurn(textRows, 0), { text: 'Hi', maxTokens: 1 });
  assert.equal(status, 200);
  assert.ok(refused < 20);
  await Promise.all(flood);
});
