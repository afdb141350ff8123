import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addModel } from '#models';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { smallShape, specialTokens, writeRandomModel } from '#test/random-model.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';

/** Legacy completions with a suffix, of a model for code and of one that only chats. */
const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-filling-'));
const contextTokens = 16_384;
let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;

before(async () => {
  pg = await createTestDatabase();
  const ggufPath = join(dataDir, 'coder.gguf');
  const names = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];
  const special = [...specialTokens, ...names.map((name) => [name, 3] as const)];
  writeRandomModel(ggufPath, {
    shape: { ...smallShape, contextTokens },
    seed: 3,
    kind: 'text',
    spread: 0.2,
    ends: false,
    special,
  });
  await addModel(openShippedModels(dataDir), { id: 'coder', kind: 'text', ggufPath, contextTokens });
  app = await startApp(pg.database, { dataDir });
  ada = await seedTenant(pg.database, app.models);
  const [project = assert.fail()] = await pg.database.query<{ id: string }>(
    `select id from projects where account_id = $1 and slug = 'chat'`,
    [ada.accountId],
  );
  await seedAlias(pg.database, app.models, { projectId: project.id, alias: 'code', model: 'coder' });
});

after(async () => {
  await app?.stop();
  await pg?.drop();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(app.origin + path, {
    method,
    headers: { ...bearer(ada.key), ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const complete = (fields: object, headers?: Record<string, string>) => {
  const usual = { model: 'code', prompt: 'def f', max_tokens: 4, temperature: 0 };
  return ask('POST', `/api/projects/${ada.slug}/chat/openai/v1/completions`, { ...usual, ...fields }, headers);
};

test('what stands between prompt and suffix is filled in, and each token of the prompt is counted', async () => {
  // Each byte is a token of this model, the number of an A is 65.
  const { status, json } = await complete({ suffix: '(x)', logit_bias: { 65: 100 } });
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual(json.choices, [{ text: 'AAAA', index: 0, logprobs: null, finish_reason: 'length' }]);
  assert.partialDeepStrictEqual(json.usage, { prompt_tokens: 5 + 3 + 3, completion_tokens: 4 });
});

test('a large prompt, which is read elsewhere, is filled in too, up to what the context holds', async () => {
  const { status, json } = await complete({ suffix: 'x'.repeat(9_000), logit_bias: { 65: 100 } });
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual([json.choices[0].text, json.usage.prompt_tokens], ['AAAA', 5 + 9_000 + 3]);
  const refused = await complete({ suffix: 'x'.repeat(20_000) });
  assert.deepEqual([refused.status, refused.json.error?.param], [400, 'prompt']);
  assert.match(refused.json.error.message, /maximum context length/);
});

test('an empty suffix asks for nothing', async () => {
  const [without, empty, nothing] = await Promise.all(
    [{}, { suffix: '' }, { suffix: null }].map((each) => complete(each)),
  );
  assert.equal(without?.status, 200, JSON.stringify(without));
  for (const other of [empty, nothing])
    assert.deepEqual(other?.json.usage.prompt_tokens, without?.json.usage.prompt_tokens);
});

test('a model that cannot fill in the middle refuses the suffix by name, and so does a wish for reasoning', async () => {
  const refused = await complete({ model: 'chat', suffix: ')' });
  assert.deepEqual([refused.status, refused.json.error.param], [400, 'suffix']);
  assert.match(refused.json.error.message, /no tokens to fill in the middle/);
  const reasoning = await complete({ suffix: ')', reasoning_effort: 'high' });
  assert.deepEqual([reasoning.status, reasoning.json.error.param], [400, 'reasoning_effort']);
  assert.equal((await complete({ suffix: ')', reasoning_effort: 'none' })).status, 200);
});

test('under an Idempotency-Key it runs once, and another suffix is another request', async () => {
  const headers = { 'idempotency-key': 'fill-1' };
  const [first, second] = [await complete({ suffix: 'b' }, headers), await complete({ suffix: 'b' }, headers)];
  assert.equal(first.status, 200, JSON.stringify(first));
  assert.deepEqual(second, first);
  assert.equal((await complete({ suffix: 'c' }, headers)).status, 409);
});

test('it is not among the saved calls, which are conversations', async () => {
  const project = `/api/v1/projects/${ada.slug}/chat`;
  assert.equal((await ask('PATCH', project, { inference_auto_save: true })).status, 200);
  assert.equal((await complete({ suffix: 'b' })).status, 200);
  assert.equal((await complete({ prompt: 'the last one' })).status, 200);
  let saved = await ask('GET', `${project}/saved-calls`);
  while (saved.json.data.length === 0) saved = await ask('GET', `${project}/saved-calls`);
  assert.deepEqual(
    saved.json.data.map(({ prompt_preview }: { prompt_preview: string }) => prompt_preview),
    ['the last one'],
  );
});
