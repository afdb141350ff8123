import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Check } from 'typebox/schema';
import { parseExactJson } from '#kernel';
import { errorOf } from '#test/error-of.ts';
import { conversation, type DatasetsServer, someoneOn, startDatasetsServer } from '../datasets-server.fixture.ts';
import { createExamplesDocumented, type ExampleWire } from './examples.schema.ts';

let server: DatasetsServer;

before(async () => {
  server = await startDatasetsServer();
});
after(() => server.stop());

type Result = { index: number; status: string; id: string | null; issues: { code: string; pointer: string }[] };

const resultsOf = ({ json }: { json: Record<string, unknown> }) => json.results as Result[];
const rowsOf = ({ json }: { json: Record<string, unknown> }) => json.data as ExampleWire[];
test('an example is stored with its tokens, and comes back as it is', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  const added = await ask('POST', path, { examples: [{ ...conversation('Where is the lamp?'), split: 'test' }] });
  const [{ id } = { id: null }] = resultsOf(added);
  const { json } = await ask('GET', `${path}/${id}`);
  const { created_at, updated_at, tokens, content_hash, dataset_id, ...rest } = json;
  assert.equal(created_at, updated_at);
  assert.ok(Number(tokens) > 10);
  assert.match(String(content_hash), /^[0-9a-f]{64}$/);
  assert.ok(path.includes(String(dataset_id)));
  assert.deepEqual(rest, {
    id,
    kind: 'text',
    embedding: null,
    split: 'test',
    origin: 'manual',
    origin_id: null,
    valid: true,
    issues: [],
    text: {
      messages: [
        { role: 'user', content: 'Where is the lamp?' },
        { role: 'assistant', content: 'Yes.' },
      ],
      tools: null,
    },
  });
  assert.deepEqual(rowsOf(await ask('GET', path)), [json]);
});

const toolWith = (text: string) => ({ name: 'f', parameters: { properties: { [text]: { description: text } } } });

test('a text that cannot be stored refuses its own example of a batch, wherever it stands, and no other', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  for (const bad of ['a\0b', '\ud800', '\udc00']) {
    const { text } = conversation(bad);
    const answer = await ask('POST', path, {
      examples: [
        { text },
        { text: { messages: [{ role: bad, content: 'a' }, ...text.messages.slice(1)] } },
        { ...conversation('a'), split: bad },
        { ...conversation('a'), [bad]: bad },
        { [bad]: 1 },
        { text: { ...conversation('a').text, tools: [{ type: 'function', function: toolWith(bad) }] } },
      ],
      dedupe: 'none',
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    const results = resultsOf(answer).map(({ status, issues }) => [status, ...issues.map(({ code }) => code)]);
    assert.deepEqual(results, [
      ['rejected', 'bad_encoding'],
      ['rejected', 'unknown_role'],
      ['rejected', 'wrong_type'],
      ['created'],
      ['rejected', 'missing_field'],
      ['created'],
    ]);
  }
  assert.equal(rowsOf(await ask('GET', path)).length, 6);
});

test('each example of a batch has its own result', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  const answer = await ask('POST', path, {
    examples: [
      conversation('a'),
      conversation('a'),
      { text: { messages: [{ role: 'user', content: 'a' }] } },
      7,
      {},
      { embedding: { query: 'q', positives: ['p'] } },
      { ...conversation('b'), split: 'dev' },
      conversation('b'),
    ],
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    resultsOf(answer).map(({ index, status, issues }) => `${index} ${status} ${issues.map(({ pointer }) => pointer)}`),
    [
      ...['0 created ', '1 duplicate ', '2 rejected /messages/0', '3 rejected ', '4 rejected /text'],
      ...['5 rejected /embedding', '6 rejected /split', '7 created '],
    ],
  );
  const again = await ask('POST', path, { examples: [conversation('a')], dedupe: 'none' });
  assert.equal(resultsOf(again)[0]?.status, 'created');
});

test('what may be left out of an example is optional in the contract, too', async () => {
  const look = { name: 'look', arguments: '{}' };
  const calls = { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: look }] };
  const tools = [{ type: 'function', function: { name: 'look' } }];
  const contents = {
    text: { messages: [{ role: 'user', content: 'Where?' }, calls], tools },
    embedding: { query: 'lamp', positives: [{ text: 'A lamp.' }, 'A light.'], negatives: [{ text: 'A chair.' }] },
  };
  for (const kind of ['text', 'embedding'] as const) {
    const body = { examples: [{ [kind]: contents[kind] }] };
    assert.ok(Check(createExamplesDocumented, body), kind);
    const { ask, createDataset } = await someoneOn(server, kind);
    const [added] = resultsOf(await ask('POST', `/datasets/${await createDataset()}/examples`, body));
    assert.deepEqual([added?.status, added?.issues], ['created', []]);
  }
});

test('schemas of tools come back with all digits and in their order, also after a change and as a file', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const id = await createDataset();
  const textWith = (minimum: string) =>
    `{"type":"object","properties":{"reason":{"minimum":${minimum}},"10":{"const":12345678901234567890},"2":{}}}`;
  const exampleWith = (parameters: string) => {
    const tools = parseExactJson(`[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`);
    return { text: { ...conversation('Where?').text, tools } };
  };
  const first = textWith('1.0');
  const [added] = resultsOf(await ask('POST', `/datasets/${id}/examples`, { examples: [exampleWith(first)] }));
  const path = `/datasets/${id}/examples/${added?.id}`;
  assert.ok((await ask('GET', path)).text.includes(first));
  const second = textWith('0.10');
  assert.ok((await ask('PATCH', path, exampleWith(second))).text.includes(second));
  const { json: version } = await ask('POST', `/datasets/${id}/versions`, {});
  const file = await ask('GET', `/dataset-versions/${version.id}/download`);
  assert.ok(file.text.includes(second), file.text);
});

test('the outer shape of a batch is checked', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  for (const [body, expected] of [
    [{}, [422, 'invalid_request', 'examples']],
    [{ examples: 'x' }, [422, 'invalid_request', 'examples']],
    [{ examples: [] }, [400, 'invalid_request', 'examples']],
    [{ examples: Array.from({ length: 101 }, () => ({})) }, [400, 'invalid_request', 'examples']],
    [{ examples: [{}], dedupe: 'perhaps' }, [400, 'invalid_request', 'dedupe']],
  ] as const)
    assert.deepEqual(errorOf(await ask('POST', path, body)), expected, JSON.stringify(body).slice(0, 80));
});

test('examples that are too long for the model are kept, marked, and left out of versions', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const id = await createDataset();
  const path = `/datasets/${id}/examples`;
  const added = await ask('POST', path, { examples: [conversation('word '.repeat(9_000)), conversation('short')] });
  assert.deepEqual(
    resultsOf(added).map(({ status, issues }) => [status, issues.map(({ code }) => code)]),
    [
      ['created', ['over_token_limit']],
      ['created', []],
    ],
  );
  assert.equal(rowsOf(await ask('GET', `${path}?valid=false`)).length, 1);
  assert.equal(rowsOf(await ask('GET', `${path}?valid=true`)).length, 1);
  assert.equal((await ask('GET', `/datasets/${id}`)).json.invalid_count, 1);
  const version = await ask('POST', `/datasets/${id}/versions`, {});
  assert.equal(version.json.example_count, 1);
  assert.equal(rowsOf(await ask('GET', `${path}?version_id=${version.json.id}`)).length, 1);
});

test('of texts to embed, each counts for itself', async () => {
  const { ask, createDataset } = await someoneOn(server, 'embedding');
  const path = `/datasets/${await createDataset()}/examples`;
  const long = 'word '.repeat(100);
  const embedding = { query: 'q', positives: [long, { text: long, document_id: 'd1' }, long], negatives: ['n'] };
  const added = await ask('POST', path, {
    examples: [{ embedding }, { embedding: { query: 'q', positives: [long.repeat(18)] } }],
  });
  assert.deepEqual(
    resultsOf(added).map(({ issues }) => issues.map(({ code }) => code)),
    [[], ['over_token_limit']],
  );
  const [, first] = rowsOf(await ask('GET', path));
  assert.equal(first?.text, null);
  assert.deepEqual(first?.embedding?.positives[1], { text: long, document_id: 'd1' });
  assert.ok((first?.tokens ?? 0) > 512);
  assert.equal(rowsOf(await ask('GET', `${path}?q=d1`)).length, 1);
});

test('an example is changed under its id, and only what is asked', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  const [{ id } = { id: null }] = resultsOf(await ask('POST', path, { examples: [conversation('lamp')] }));
  const before = (await ask('GET', `${path}/${id}`)).json;
  assert.deepEqual((await ask('PATCH', `${path}/${id}`, {})).json, before);
  const moved = (await ask('PATCH', `${path}/${id}`, { split: 'test' })).json;
  assert.deepEqual({ ...moved, split: 'train', updated_at: before.updated_at }, before);
  assert.ok(String(moved.updated_at) >= String(before.updated_at));
  const changed = (await ask('PATCH', `${path}/${id}`, conversation('a much longer sofa'))).json;
  assert.equal(changed.split, 'test');
  assert.equal(changed.created_at, before.created_at);
  assert.ok(Number(changed.tokens) > Number(before.tokens));
  assert.equal(rowsOf(await ask('GET', `${path}?q=lamp`)).length, 0);
  assert.equal(rowsOf(await ask('GET', `${path}?q=sofa`)).length, 1);
  for (const [body, expected] of [
    [{ split: 'dev' }, [400, 'invalid_request', 'split']],
    [{ split: 1 }, [422, 'invalid_request', 'split']],
    [{ text: { messages: [] } }, [400, 'invalid_request', 'text']],
    [{ text: 'x' }, [400, 'invalid_request', 'text']],
    [{ embedding: { query: 'q' } }, [409, 'kind_mismatch', 'embedding']],
  ] as const)
    assert.deepEqual(errorOf(await ask('PATCH', `${path}/${id}`, body)), expected, JSON.stringify(body));
});

test('an example is removed once, and unknown ones do not exist', async () => {
  const [mine, other] = [await someoneOn(server), await someoneOn(server)];
  const path = `/datasets/${await mine.createDataset()}/examples`;
  const elsewhere = `/datasets/${await mine.createDataset()}/examples`;
  const [{ id } = { id: null }] = resultsOf(await mine.ask('POST', path, { examples: [conversation('lamp')] }));
  for (const [who, where] of [
    [mine, `${elsewhere}/${id}`],
    [mine, `${path}/ex_00000000000000000000000000`],
    [mine, `${path}/%01`],
    [other, `${path}/${id}`],
  ] as const)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal(
        (await who.ask(method, where, method === 'PATCH' ? { split: 'test' } : undefined)).status,
        404,
        where,
      );
  assert.equal((await mine.ask('DELETE', `${path}/${id}`)).status, 204);
  assert.equal((await mine.ask('DELETE', `${path}/${id}`)).status, 404);
  assert.equal((await mine.ask('GET', `${path}/${id}`)).status, 404);
});

test('a batch is added once, however often it is sent under a key', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}/examples`;
  const body = { examples: [conversation('lamp')], dedupe: 'none' };
  const answers = await Promise.all([1, 2, 3].map(() => ask('POST', path, body, { 'idempotency-key': 'batch' })));
  for (const { status } of answers) assert.ok(status === 200 || status === 409);
  await ask('POST', path, body, { 'idempotency-key': 'batch' });
  assert.equal((await ask('GET', path)).json.total_count, 1);
});

test('filters of the list are checked', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const [id, other] = [await createDataset(), await createDataset()];
  const { json: version } = await ask('POST', `/datasets/${other}/versions`, {});
  for (const [query, expected] of [
    ['split=dev', [400, 'invalid_request', 'split']],
    ['origin=theft', [400, 'invalid_request', 'origin']],
    ['valid=perhaps', [400, 'invalid_request', 'valid']],
    [`q=${'x'.repeat(501)}`, [400, 'invalid_request', 'q']],
    ['cursor=x', [400, 'invalid_cursor', 'cursor']],
    ['version_id=x', [404, 'not_found', 'version_id']],
    [`version_id=${version.id}`, [404, 'not_found', 'version_id']],
  ] as const)
    assert.deepEqual(errorOf(await ask('GET', `/datasets/${id}/examples?${query}`)), expected, query);
  assert.deepEqual(rowsOf(await ask('GET', `/datasets/${id}/examples?q=%20`)), []);
  assert.deepEqual(rowsOf(await ask('GET', `/datasets/${id}/examples?q=%27%5C%3A*%26%7C!`)), []);
});
