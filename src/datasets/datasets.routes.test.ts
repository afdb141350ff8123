import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errorOf } from '#test/error-of.ts';
import { type DatasetsServer, someoneOn, startDatasetsServer } from './datasets-server.fixture.ts';

let server: DatasetsServer;

before(async () => {
  server = await startDatasetsServer({ maxDatasets: 5 });
});
after(() => server.stop());

test('a dataset is made, read, renamed, archived and taken out again, and the feed tells of it once each', async () => {
  const { ask, accountId } = await someoneOn(server);
  const made = await ask('POST', '/datasets', { name: 'Lamps', description: 'All of them' });
  assert.equal(made.status, 201);
  const { id, created_at, updated_at, ...rest } = made.json;
  assert.match(String(id), /^ds_[0-9A-Z]{26}$/);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, {
    name: 'Lamps',
    description: 'All of them',
    kind: 'text',
    target_model: null,
    example_count: 0,
    split_counts: { train: 0, test: 0 },
    invalid_count: 0,
    token_total: 0,
    head_sha256: null,
    latest_version: null,
    pending_retrieval_events: 0,
    archived_at: null,
  });
  assert.deepEqual((await ask('GET', `/datasets/${id}`)).json, made.json);
  const renamed = await ask('PATCH', `/datasets/${id}`, { name: 'Red lamps', description: null });
  assert.deepEqual([renamed.status, renamed.json.name, renamed.json.description], [200, 'Red lamps', null]);
  assert.deepEqual((await ask('PATCH', `/datasets/${id}`, { name: 'Red lamps' })).json, renamed.json);
  for (let twice = 0; twice < 2; twice++) {
    const archived = await ask('PATCH', `/datasets/${id}`, { archived: true });
    assert.deepEqual([archived.status, typeof archived.json.archived_at], [200, 'string']);
  }
  assert.deepEqual(errorOf(await ask('PATCH', `/datasets/${id}`, { name: 'Blue' })), [409, 'state_conflict', null]);
  assert.equal((await ask('PATCH', `/datasets/${id}`, { name: 'Blue', archived: false })).json.name, 'Blue');
  const told = await server.db.database.query<{ type: string }>(
    "select type from activity where account_id = $1 and type like 'dataset%' order by created_at",
    [accountId],
  );
  assert.deepEqual(
    told.map(({ type }) => type),
    ['dataset.created', 'dataset.archived', 'dataset.unarchived'],
  );
});

test('a dataset is made once, however often its creation is sent under a key', async () => {
  const { ask } = await someoneOn(server);
  const key = { 'idempotency-key': 'once' };
  const answers = [];
  for (let times = 0; times < 3; times++) answers.push(await ask('POST', '/datasets', { name: 'Once' }, key));
  assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1);
  assert.equal((await ask('GET', '/datasets')).json.total_count, 1);
});

test('a dataset whose name is older than the rules for names can be changed and archived', async () => {
  const { ask } = await someoneOn(server);
  const { id } = (await ask('POST', '/datasets', { name: 'old' })).json;
  await server.db.database.query("update datasets set name = U&'\\200B' where id = $1", [id]);
  const name = '\u200b';
  assert.equal((await ask('PATCH', `/datasets/${id}`, { name, description: 'Still used' })).status, 200);
  assert.equal((await ask('PATCH', `/datasets/${id}`, { archived: true })).json.name, name);
  const other = await ask('PATCH', `/datasets/${id}`, { archived: false, name: '\u2060' });
  assert.deepEqual(errorOf(other), [400, 'invalid_request', 'name']);
});

test('bad fields are named', async () => {
  const { ask, createDataset } = await someoneOn(server);
  for (const [body, expected] of [
    [{}, [422, 'invalid_request', 'name']],
    [{ name: 7 }, [422, 'invalid_request', 'name']],
    [{ name: '' }, [400, 'invalid_request', 'name']],
    [{ name: '  ' }, [400, 'invalid_request', 'name']],
    [{ name: 'x'.repeat(81) }, [400, 'invalid_request', 'name']],
    [{ name: 'x', description: 'x'.repeat(501) }, [400, 'invalid_request', 'description']],
    [{ name: 'x', description: 'a\u0007' }, [400, 'invalid_request', 'description']],
    [{ name: 'x', target_model: 'nobody' }, [404, 'model_not_found', 'target_model']],
    [{ name: 'x', target_model: 'fanfold-tiny-embed' }, [409, 'kind_mismatch', 'target_model']],
  ] as const)
    assert.deepEqual(errorOf(await ask('POST', '/datasets', body)), expected, JSON.stringify(body));
  const id = await createDataset({ name: 'x', target_model: 'fanfold-tiny-chat' });
  const change = await ask('PATCH', `/datasets/${id}`, { target_model: null });
  assert.deepEqual(errorOf(change), [400, 'invalid_request', 'target_model']);
  for (const query of ['?archived=perhaps', '?limit=0', '?limit=101'])
    assert.equal((await ask('GET', `/datasets${query}`)).status, 400, query);
});

test('a project has as many open datasets as it may have, also when they are made at the same time', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const made = await Promise.all(Array.from({ length: 12 }, () => ask('POST', '/datasets', { name: 'Many' })));
  assert.equal(made.filter(({ status }) => status === 201).length, 5);
  assert.equal(made.filter(({ status }) => status === 409).length, 7);
  const [first] = made.filter(({ status }) => status === 201);
  await ask('PATCH', `/datasets/${first?.json.id}`, { archived: true });
  await createDataset();
  assert.deepEqual(errorOf(await ask('PATCH', `/datasets/${first?.json.id}`, { archived: false })), [
    409,
    'state_conflict',
    null,
  ]);
});

test('the list is filtered and paged, and its cursor belongs to the project and the filters', async () => {
  const [mine, other] = [await someoneOn(server), await someoneOn(server)];
  for (const name of ['Red lamp', 'Blue lamp', 'Blue sofa']) await mine.createDataset({ name });
  const names = async (query: string) => {
    const { json } = await mine.ask('GET', `/datasets${query}`);
    return [(json.data as { name: string }[]).map(({ name }) => name), json.total_count];
  };
  assert.deepEqual(await names(''), [['Blue sofa', 'Blue lamp', 'Red lamp'], 3]);
  assert.deepEqual(await names('?q=LAMP'), [['Blue lamp', 'Red lamp'], 2]);
  assert.deepEqual(await names('?archived=true'), [[], 0]);
  const { json } = await mine.ask('GET', '/datasets?limit=2');
  assert.deepEqual(await names(`?limit=2&cursor=${json.next_cursor}`), [['Red lamp'], 3]);
  for (const foreign of [
    await mine.ask('GET', `/datasets?q=lamp&cursor=${json.next_cursor}`),
    await mine.ask('GET', `/datasets?archived=true&cursor=${json.next_cursor}`),
    await other.ask('GET', `/datasets?cursor=${json.next_cursor}`),
  ])
    assert.deepEqual(errorOf(foreign), [400, 'invalid_cursor', 'cursor']);
});

test('datasets of others, and ids that are none, do not exist', async () => {
  const [mine, other] = [await someoneOn(server), await someoneOn(server)];
  const id = await mine.createDataset();
  for (const foreign of [id, 'ds_00000000000000000000000000', 'x', '%01', 'ds_%F0%9F%94%91'])
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Mine' }],
    ] as const) {
      const { status, json } = await other.ask(method, `/datasets/${foreign}`, body);
      assert.deepEqual([status, (json.error as { message: string }).message], [404, 'There is no such dataset.']);
    }
  assert.equal((await other.ask('GET', `${mine.root}/datasets/${id}`)).status, 404);
  assert.equal((await other.ask('GET', `${mine.root}/datasets/limits`)).status, 404);
  assert.equal((await fetch(`${server.origin}${mine.root}/datasets`)).status, 401);
});

test('the limits say what may be and what is', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const id = await createDataset();
  const example = {
    text: {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hi' },
      ],
    },
  };
  await ask('POST', `/datasets/${id}/examples`, { examples: [example] });
  const { json } = await ask('GET', '/datasets/limits');
  const { used, ...limits } = json;
  assert.deepEqual(used, { datasets: 1, examples: 1, bytes: 94 });
  assert.deepEqual(limits, {
    max_datasets: 5,
    max_examples_per_dataset: 100_000,
    max_example_tokens: 4_096,
    max_import_bytes: 1_000_000,
    max_import_rows: 100_000,
    max_versions_per_dataset: 100,
    max_indexes: 10,
    max_retrieval_batch: 100,
    max_results_per_event: 50,
    min_training_examples: 10,
  });
});

test('an archived project is read and not changed', async () => {
  const { ask, createDataset, projectId } = await someoneOn(server);
  const id = await createDataset();
  await server.db.database.query('update projects set archived_at = now() where id = $1', [projectId]);
  assert.equal((await ask('GET', `/datasets/${id}`)).status, 200);
  for (const [method, path, body] of [
    ['POST', '/datasets', { name: 'New' }],
    ['PATCH', `/datasets/${id}`, { name: 'New' }],
    ['POST', `/datasets/${id}/examples`, { examples: [{}] }],
    ['POST', `/datasets/${id}/versions`, {}],
  ] as const)
    assert.deepEqual(errorOf(await ask(method, path, body)), [409, 'state_conflict', null], path);
});
