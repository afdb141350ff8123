import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createServer } from '#http';
import { createCursorCodec } from '#kernel';
import { writeSampleModel } from '#test/model-files.ts';
import { addModel } from './add-model.ts';
import { baseModelsRoutes } from './base-models.routes.ts';
import { openModels } from './models-service.ts';

const cataloguePath = join(import.meta.dirname, '../../models/catalogue.yaml');

function start(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-base-models-'));
  const models = openModels({ cataloguePath, dataDir });
  const cursors = createCursorCodec(Buffer.alloc(32, 1));
  const app = createServer({
    authenticator: async ({ authorization }) =>
      authorization === 'Bearer right'
        ? {
            accountId: 'acc_1',
            accountSlug: 'a',
            role: 'user',
            method: 'api_key',
            keyId: 'key_1',
            keyName: 'test',
            sessionId: null,
          }
        : null,
    probe: async () => {},
  });
  app.register(
    baseModelsRoutes({
      models,
      cursors,
      runtimeStatus: () => ({ status: 'cold', etaMs: null, loadedAtMs: null, error: null, runsOn: null }),
    }),
  );
  t.after(async () => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const get = async (query = '', authorization = 'Bearer right') => {
    const answer = await app.inject({ url: `/api/v1/base-models${query}`, headers: { authorization } });
    return { status: answer.statusCode, body: answer.json() };
  };
  return { get, models, dataDir, cursors };
}

test('the list publishes context, defaults and capabilities of every base model', async (t) => {
  const { get } = start(t);
  const { status, body } = await get();
  assert.equal(status, 200);
  assert.deepEqual([body.total_count, body.next_cursor, body.data.length], [5, null, 5]);
  // as: rows are told apart by their ids below.
  const byId = new Map<string, Record<string, unknown>>((body.data as { id: string }[]).map((row) => [row.id, row]));
  const chat = byId.get('fanfold-tiny-chat');
  assert.equal(chat?.max_context_tokens, 4096);
  assert.deepEqual(chat?.inference, {
    defaults: { max_tokens: 1024, temperature: 1, top_p: 1, reasoning_effort: null, stream: false },
    capabilities: {
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      reasoning_effort: ['none', 'low', 'high'],
      embeddings: false,
      rerank: false,
      vision: false,
      max_inputs: null,
      max_input_tokens: null,
      request_token_budget: null,
      missing: {},
    },
  });
  assert.deepEqual(chat?.serving, { available: true, runtime_status: 'cold' });
  assert.deepEqual(chat?.rate, { credits_per_gpu_minute: '0.030000', price_version: '2026-11-20' });
  const embedding = byId.get('qwen3-embedding-0.6b');
  assert.deepEqual([embedding?.kind, embedding?.dimensions, embedding?.license], ['embedding', 1024, 'Apache-2.0']);
  assert.deepEqual(embedding?.serving, { available: false, runtime_status: null });
  assert.equal(embedding?.revision, null);
});

test('no answer without a key', async (t) => {
  const { get } = start(t);
  const { status, body } = await get('', 'Bearer wrong');
  assert.deepEqual([status, body.error.code], [401, 'invalid_credentials']);
});

test('pages of every size give every model once, also while one is added', async (t) => {
  const { get, models, dataDir } = start(t);
  for (const limit of [1, 2, 3, 100]) {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await get(`?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
      ids.push(...body.data.map((row: { id: string }) => row.id));
      cursor = body.next_cursor;
    }
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, models.baseModels().length);
  }
  const first = (await get('?limit=3')).body;
  const ggufPath = join(dataDir, 'm.gguf');
  writeSampleModel(ggufPath);
  await addModel(models, { id: 'newest', kind: 'text', ggufPath, nowMs: Date.now() + 1e9 });
  const second = (await get(`?limit=100&cursor=${first.next_cursor}`)).body;
  assert.equal(first.data.length + second.data.length, 5);
});

test('cursors of other lists, broken cursors and limits out of range are refused', async (t) => {
  const { get, cursors } = start(t);
  for (const cursor of [cursors.encode(['keys', 'acc_1'], ['1', 'x']), 'x', 'a.b']) {
    const { status, body } = await get(`?cursor=${cursor}`);
    assert.deepEqual([status, body.error.code], [400, 'invalid_cursor']);
  }
  for (const limit of ['0', '101', 'x']) {
    const { status, body } = await get(`?limit=${limit}`);
    assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request', 'limit']);
  }
});
