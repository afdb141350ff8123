import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { errorOf } from '#test/error-of.ts';
import { prepared } from '../datasets.fixture.ts';
import { conversation, type DatasetsServer, someoneOn, startDatasetsServer } from '../datasets-server.fixture.ts';

let server: DatasetsServer;

before(async () => {
  server = await startDatasetsServer({ maxVersionsPerDataset: 3 });
});
after(() => server.stop());

test('a version is frozen, read, listed and downloaded under its digest', async () => {
  const { ask, createDataset } = await someoneOn(server);
  const id = await createDataset();
  await ask('POST', `/datasets/${id}/examples`, {
    examples: [conversation('a'), { ...conversation('b'), split: 'test' }],
  });
  const made = await ask('POST', `/datasets/${id}/versions`, { label: 'first' });
  assert.equal(made.status, 201);
  const { id: versionId, created_at, sha256, size_bytes, token_stats, ...rest } = made.json;
  assert.match(String(versionId), /^dsv_[0-9A-Z]{26}$/);
  assert.ok(Number((token_stats as { total: number }).total) > 0);
  assert.deepEqual(rest, {
    dataset_id: id,
    number: 1,
    label: 'first',
    example_count: 2,
    split_counts: { train: 1, test: 1 },
    parent_version_id: null,
    source: { kind: 'manual', id: null },
    used_by: { training_jobs: 0, indexes: 0 },
  });
  assert.deepEqual((await ask('GET', `/dataset-versions/${versionId}`)).json, made.json);
  const same = await ask('POST', `/datasets/${id}/versions`, { label: 'again' });
  assert.deepEqual([same.status, same.json], [200, made.json]);
  const dataset = (await ask('GET', `/datasets/${id}`)).json;
  assert.deepEqual([dataset.head_sha256, dataset.latest_version], [sha256, { id: versionId, number: 1 }]);
  await ask('POST', `/datasets/${id}/examples`, { examples: [conversation('c')] });
  assert.equal((await ask('GET', `/datasets/${id}`)).json.head_sha256, null);

  const file = await ask('GET', `/dataset-versions/${versionId}/download`);
  assert.equal(file.status, 200);
  assert.equal(file.headers.get('content-type'), 'application/x-ndjson');
  assert.equal(file.headers.get('etag'), `"${sha256}"`);
  assert.equal(file.headers.get('content-length'), String(size_bytes));
  assert.equal(createHash('sha256').update(file.text).digest('hex'), sha256);
  const known = await ask('GET', `/dataset-versions/${versionId}/download`, undefined, {
    'if-none-match': `"${sha256}"`,
  });
  assert.deepEqual([known.status, known.text], [304, '']);
  const list = await ask('GET', `/dataset-versions?dataset_id=${id}`);
  assert.deepEqual(list.json, { data: [made.json], next_cursor: null, total_count: 1 });
});

test('a slow reader gets the whole file, and others get theirs meanwhile', async () => {
  const { ask, createDataset, root, headers } = await someoneOn(server);
  const datasetId = await createDataset();
  const examples = await prepared(
    ...Array.from({ length: 60 }, (_, n) => ({ words: `${n} ${'long '.repeat(20_000)}` })),
  );
  await server.db.database.transaction((tx) =>
    server.datasets.addExamples(tx, { datasetId, examples, dedupe: 'none' }),
  );
  const { json: version } = await ask('POST', `/datasets/${datasetId}/versions`, {});
  assert.ok(Number(version.size_bytes) > 6_000_000);
  const path = `/dataset-versions/${version.id}/download`;
  const slow = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(`${server.origin}${root}${path}`, { headers }, resolve).on('error', reject);
  });
  slow.pause();
  const whole = await ask('GET', path);
  assert.equal(createHash('sha256').update(whole.text).digest('hex'), version.sha256);
  const hash = createHash('sha256');
  for await (const part of slow) hash.update(part);
  assert.equal(hash.digest('hex'), version.sha256);
});

test('versions have a limit, and cursors of their list belong to the project and the filter', async () => {
  const [mine, other] = [await someoneOn(server), await someoneOn(server)];
  const id = await mine.createDataset();
  for (let number = 1; number <= 3; number++) {
    await mine.ask('POST', `/datasets/${id}/examples`, { examples: [conversation(`${number}`)] });
    const { json } = await mine.ask('POST', `/datasets/${id}/versions`, {});
    assert.equal(json.number, number);
  }
  await mine.ask('POST', `/datasets/${id}/examples`, { examples: [conversation('more')] });
  assert.deepEqual(errorOf(await mine.ask('POST', `/datasets/${id}/versions`, {})), [409, 'state_conflict', null]);
  const first = (await mine.ask('GET', '/dataset-versions?limit=2')).json;
  const numbers = ({ data }: Record<string, unknown>) => (data as { number: number }[]).map(({ number }) => number);
  assert.deepEqual([numbers(first), first.total_count], [[3, 2], 3]);
  const rest = (await mine.ask('GET', `/dataset-versions?limit=2&cursor=${first.next_cursor}`)).json;
  assert.deepEqual([numbers(rest), rest.next_cursor], [[1], null]);
  for (const foreign of [
    await mine.ask('GET', `/dataset-versions?dataset_id=${id}&cursor=${first.next_cursor}`),
    await other.ask('GET', `/dataset-versions?cursor=${first.next_cursor}`),
  ])
    assert.deepEqual(errorOf(foreign), [400, 'invalid_cursor', 'cursor']);
});

test('versions of others, and ids that are none, do not exist', async () => {
  const [mine, other] = [await someoneOn(server), await someoneOn(server)];
  const id = await mine.createDataset();
  const { json } = await mine.ask('POST', `/datasets/${id}/versions`, {});
  for (const [who, path] of [
    [other, `/dataset-versions/${json.id}`],
    [other, `/dataset-versions/${json.id}/download`],
    [mine, '/dataset-versions/dsv_00000000000000000000000000'],
    [mine, '/dataset-versions/x/download'],
    [mine, '/dataset-versions/%01'],
  ] as const)
    assert.deepEqual(errorOf(await who.ask('GET', path)), [404, 'not_found', null], path);
  assert.equal((await other.ask('POST', `/datasets/${id}/versions`, {})).status, 404);
  assert.deepEqual((await other.ask('GET', `/dataset-versions?dataset_id=${id}`)).json.data, []);
  for (const [body, expected] of [
    [{ label: 'x'.repeat(81) }, [400, 'invalid_request', 'label']],
    [{ label: ' ' }, [400, 'invalid_request', 'label']],
    [{ label: 7 }, [422, 'invalid_request', 'label']],
  ] as const)
    assert.deepEqual(errorOf(await mine.ask('POST', `/datasets/${id}/versions`, body)), expected);
});

test('two versions are compared: what came, what went, and what was changed, page by page', async () => {
  const [{ ask, createDataset }, other] = [await someoneOn(server), await someoneOn(server)];
  const id = await createDataset();
  const add = async (...words: string[]) => {
    const { json } = await ask('POST', `/datasets/${id}/examples`, {
      examples: words.map((word) => conversation(word)),
    });
    return (json.results as { id: string }[]).map((result) => result.id);
  };
  const freeze = async () => (await ask('POST', `/datasets/${id}/versions`, {})).json.id as string;
  const [kept, gone, changed, back] = await add('kept', 'gone', 'changed', 'back');
  const first = await freeze();
  await ask('DELETE', `/datasets/${id}/examples/${gone}`);
  await ask('PATCH', `/datasets/${id}/examples/${changed}`, { split: 'test' });
  await ask('PATCH', `/datasets/${id}/examples/${back}`, conversation('away'));
  await ask('PATCH', `/datasets/${id}/examples/${back}`, conversation('back'));
  const [added] = await add('added');
  const second = await freeze();

  const changes = async (path: string) => (await ask('GET', `/dataset-versions/${path}`)).json;
  const brief = ({ data }: Record<string, unknown>) =>
    (data as { id: string; change: string }[]).map((row) => [row.id, row.change]);
  const whole = await changes(`${second}/changes`);
  assert.deepEqual(brief(whole), [
    [added, 'added'],
    [changed, 'changed'],
    [gone, 'removed'],
  ]);
  assert.deepEqual([whole.since, whole.total_count, whole.counts], [first, 3, { added: 1, removed: 1, changed: 1 }]);
  const [, row] = whole.data as { before: { split: string; text: object }; after: { split: string; text: object } }[];
  assert.deepEqual([row?.before.split, row?.after.split], ['train', 'test']);
  assert.deepEqual(row?.before.text, row?.after.text);
  const turned = await changes(`${first}/changes?since=${second}`);
  assert.deepEqual(turned.counts, { added: 1, removed: 1, changed: 1 });
  const start = await changes(`${first}/changes`);
  assert.deepEqual([start.since, start.counts], [null, { added: 4, removed: 0, changed: 0 }]);
  assert.ok(brief(start).some(([example]) => example === kept));

  const page = await changes(`${second}/changes?limit=2`);
  const rest = await changes(`${second}/changes?limit=2&cursor=${page.next_cursor}`);
  assert.deepEqual([...brief(page), ...brief(rest)], brief(whole));
  assert.equal(rest.next_cursor, null);
  const removed = await changes(`${second}/changes?change=removed`);
  assert.deepEqual([brief(removed), removed.total_count], [[[gone, 'removed']], 1]);
  assert.deepEqual(
    errorOf(await ask('GET', `/dataset-versions/${second}/changes?change=added&cursor=${page.next_cursor}`)),
    [...[400, 'invalid_cursor', 'cursor']],
  );
  assert.deepEqual(errorOf(await ask('GET', `/dataset-versions/${second}/changes?since=dsv_x`)), [
    404,
    'not_found',
    'since',
  ]);
  assert.equal((await other.ask('GET', `/dataset-versions/${second}/changes`)).status, 404);
});
