import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedTenant } from '#test/tenants.ts';

let db: TestDatabase;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

/** An account with saved calls, and a dataset to put them into. */
async function someone() {
  const { slug, key, accountId } = await seedTenant(db.database, app.models);
  const base = `/api/v1/projects/${slug}/chat`;
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${app.origin}${base}/${path}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    return { status: response.status, text, json: text === '' ? null : JSON.parse(text) };
  };
  const datasetId: string = (await ask('POST', 'datasets', { name: 'Calls' })).json.id;
  /** Written directly: real ones are there only shortly after their calls. */
  const save = async (question: string, { reason = 'stop', answer = 'Yes.' as unknown, tools = '[]' } = {}) => {
    const id = newId('req');
    await db.database.query(
      `insert into saved_calls (request_id, project_id, account_id, model_requested, model_served, messages, tools, params,
         answer, finish_reason, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens, active_ms,
         prompt_preview, answer_preview, search_text)
       select $1, p.id, p.account_id, 'chat', 'fanfold-tiny-chat', $3, $7, '{}', $4, $5, 1, 1, 0, 0, 1, $6, 'Yes.', $6
         from projects p where p.account_id = $2 and p.slug = 'chat'`,
      [
        id,
        accountId,
        JSON.stringify([{ role: 'user', content: question }]),
        JSON.stringify({ role: 'assistant', content: answer, refusal: null, reasoning_content: 'Hm.' }),
        reason,
        question.toLowerCase(),
        tools,
      ],
    );
    return id;
  };
  const convert = (body: object) => ask('POST', 'saved-calls/convert', { dataset_id: datasetId, ...body });
  return { ask, datasetId, save, convert };
}

type Result = { id: string; status: string; example_id: string | null };
const statuses = ({ json }: { json: { results: Result[] } }) => json.results.map(({ status }) => status);

test('a saved call becomes one example of a dataset, however often and at once it is converted', async () => {
  const { ask, datasetId, save, convert } = await someone();
  const [first, second] = [await save('One?'), await save('Two?')];
  const dry = await convert({ ids: [first, second], dry_run: true });
  assert.deepEqual([statuses(dry), dry.json.converted], [['convertible', 'convertible'], 2]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => convert({ ids: [second, first, second] })));
  for (const { status, json } of answers) assert.equal(status, 200, JSON.stringify(json));
  const converted = answers.filter((answer) => statuses(answer)[0] === 'converted');
  assert.equal(converted.length, 1);
  const examples = (await ask('GET', `datasets/${datasetId}/examples`)).json;
  assert.equal(examples.total_count, 2);
  const [{ example_id: exampleId }] = converted[0]?.json.results ?? [];
  const example = examples.data.find(({ id }: { id: string }) => id === exampleId);
  assert.deepEqual(example.text.messages, [
    { role: 'user', content: 'Two?' },
    { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
  ]);
  assert.deepEqual([example.origin, example.origin_id], ['inference', second]);
  await ask('DELETE', `datasets/${datasetId}/examples/${exampleId}`);
  assert.deepEqual(statuses(await convert({ ids: [second] })), ['already_converted']);
});

test('tools of a saved call keep the digits of their numbers and the order of their properties', async () => {
  const { ask, datasetId, save, convert } = await someone();
  const parameters =
    '{"type":"object","properties":{"reason":{"minimum":1.50},"10":{"const":12345678901234567890},"2":{}}}';
  const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
  const id = await save('One?', { tools });
  assert.ok((await ask('GET', `saved-calls/${id}`)).text.includes(parameters));
  assert.deepEqual(statuses(await convert({ ids: [id] })), ['converted']);
  const { text } = await ask('GET', `datasets/${datasetId}/examples`);
  assert.ok(text.includes(parameters), text);
});

test('each call is told what became of it', async () => {
  const { save, convert } = await someone();
  const other = await someone();
  const good = await save('Is it?');
  const twin = await save('Is it?');
  const empty = await save('Well?', { answer: '' });
  const foreign = await other.save('Mine?');
  const answer = await convert({ ids: [good, twin, empty, foreign, newId('req')], include_reasoning: false });
  assert.deepEqual(statuses(answer), ['converted', 'duplicate', 'rejected', 'not_found', 'not_found']);
  const { converted, duplicates, rejected } = answer.json;
  assert.deepEqual([converted, duplicates, rejected], [1, 1, 3]);
  assert.equal(answer.json.results[2].issues[0].code, 'empty_text');
  assert.deepEqual(statuses(await convert({ ids: [twin] })), ['already_converted']);
});

test('a filter is gone through in parts, the oldest calls first', async () => {
  const { ask, save, convert } = await someone();
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) ids.push(await save(`Question ${count}?`));
  await save('A cut one?', { reason: 'length' });
  assert.equal((await ask('GET', 'saved-calls?finish_reason=length')).json.total_count, 1);
  const filter = { finish_reason: 'stop' };
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { json }: Awaited<ReturnType<typeof convert>> = await convert({
      filter,
      limit: 2,
      test_ratio: 0.5,
      ...(after === null ? {} : { after }),
    });
    seen.push(...json.results.map(({ id }: Result) => id));
    after = json.resume_after;
  } while (after !== null);
  assert.deepEqual(seen, ids.toSorted());
});

test('what a conversion must say is checked', async () => {
  const { convert } = await someone();
  for (const [body, status, param] of [
    [{}, 400, 'ids'],
    [{ ids: [newId('req')], filter: {} }, 400, 'ids'],
    [{ ids: [] }, 400, 'ids'],
    [{ filter: { from: 'now' } }, 400, 'filter.from'],
    [{ filter: {}, after: 'x' }, 400, 'after'],
    [{ filter: {}, limit: 101 }, 400, 'limit'],
    [{ filter: {}, test_ratio: 0.1, split: 'train' }, 400, 'test_ratio'],
  ] as const) {
    const { status: got, json } = await convert(body);
    assert.deepEqual([got, json.error.param], [status, param], JSON.stringify(body));
  }
});
