import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { importClient, type Refusal } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { row } from './mixed-rows.ts';

/** What an account may store, counted where files, examples and adapters come and go. */
let world: ImportWorld;
before(async () => {
  world = await createImportWorld();
});
after(() => world?.stop());

/** An account that may store so much, with a project. */
async function someone(mostBytes: number | null) {
  const { database } = world.db;
  const { accountId, slug } = await seedAccount(database);
  const { key } = await seedKey(database, { accountId });
  const { slug: project } = await seedProject(database, { accountId, kind: 'text' });
  const allow = (bytes: number | null) =>
    database.query('update accounts set max_storage_bytes = $2 where id = $1', [accountId, bytes]);
  await allow(mostBytes);
  const stored = async (): Promise<number> => {
    const response = await fetch(`${world.app.origin}/api/v1/me/limits`, { headers: bearer(key) });
    return JSON.parse(await response.text()).used.storage_bytes;
  };
  return {
    accountId,
    allow,
    stored,
    ...importClient({ origin: world.app.origin, key, project: `${slug}/${project}` }),
  };
}

const file = (rows: number) => Buffer.from(Array.from({ length: rows }, (_, n) => row(n)).join('\n'));
const announced = (size_bytes: number) => ({ file_name: 'a.jsonl', size_bytes, dataset_name: 'D' });

test('of uploads that are announced at once, as many are taken as the account may store', async () => {
  const { ask, stored } = await someone(1_000);
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask<Refusal>('POST', 'imports', announced(300))));
  assert.equal(answers.filter(({ status }) => status === 201).length, 3);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.error.code], [409, 'state_conflict']);
    assert.deepEqual(body.error.details, { reason: 'max_storage', limit: 1_000, actual: 1_200 });
    assert.match(body.error.message, /limit storage_bytes is 1000\..* only the operator can raise/);
  }
  assert.equal(await stored(), 900);
});

test('what never arrived is given back when an import is canceled, and a file when it is removed', async () => {
  const { ask, create, put, stored } = await someone(1_000);
  const waiting = await create({ name: 'a.jsonl', size: 1_000 });
  assert.equal((await ask('POST', 'imports', announced(1))).status, 409);
  await ask('POST', `imports/${waiting.id}/cancel`);
  assert.equal(await stored(), 0);
  const begun = await create({ name: 'a.jsonl', size: 1_000 });
  assert.ok((await put(begun.id, Buffer.alloc(400), { 'content-range': 'bytes 0-399/1000' })).status < 300);
  await ask('POST', `imports/${begun.id}/cancel`);
  assert.equal(await stored(), 400);
  await world.db.database.query(`update imports set finished_at = now() - interval '2 days' where id = $1`, [begun.id]);
  await world.sweep();
  assert.equal(await stored(), 0);
});

test('examples count as they come, by import or one by one, and what leaves a dataset stays stored', async () => {
  const { accountId, allow, ask, demand, create, put, until, confirm, stored } = await someone(null);
  const bytes = file(30);
  const { id } = await create({ name: 'a.jsonl', size: bytes.length });
  await put(id, bytes);
  await until(id, 'ready');
  const done = await confirm(id, { mapping: { messages: 'messages' } });
  assert.equal(done.state, 'completed');
  const [sum] = await world.db.database.query<{ bytes: bigint }>(
    `select sum(bytes)::bigint as bytes from example_counts c join datasets d on d.id = c.dataset_id
      join projects p on p.id = d.project_id where p.account_id = $1`,
    [accountId],
  );
  const used = bytes.length + Number(sum?.bytes);
  assert.equal(await stored(), used);

  const examples = `datasets/${done.dataset_id}/examples`;
  const conversation = (question: string) => ({
    text: {
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: 'Yes.' },
      ],
    },
  });
  await demand('POST', examples, { examples: [conversation('one more')] });
  const grown = await stored();
  assert.ok(grown > used);
  const { data } = await demand<{ data: { id: string; split: string }[] }>('GET', `${examples}?limit=1`);
  const [one = assert.fail()] = data;
  await demand('PATCH', `${examples}/${one.id}`, { split: one.split === 'train' ? 'test' : 'train' });
  await demand('DELETE', `${examples}/${one.id}`);
  assert.equal(await stored(), grown);

  await allow(grown);
  const refused = await ask<Refusal>('POST', examples, { examples: [conversation('too much')] });
  assert.deepEqual([refused.status, refused.body.error.details?.['reason']], [409, 'max_storage']);
  assert.equal(await stored(), grown);
});

test('an import whose examples the account may not store ends with the reason, and leaves nothing in the dataset', async () => {
  const { create, put, until, confirm, stored } = await someone(null);
  const bytes = file(30);
  const { id } = await create({ name: 'a.jsonl', size: bytes.length });
  await put(id, bytes);
  await until(id, 'ready');
  await world.db.database.query(
    `update accounts set max_storage_bytes = $2 where id = (
       select account_id from projects where id = (select project_id from imports where id = $1))`,
    [id, bytes.length + 100],
  );
  const { state, error } = await confirm(id, { mapping: { messages: 'messages' } });
  assert.deepEqual([state, error?.code, error?.details['reason']], ['failed', 'storage_full', 'max_storage']);
  assert.equal(await stored(), bytes.length);
});
