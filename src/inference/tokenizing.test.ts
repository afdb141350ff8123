import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { patiently } from '#test/program.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(pg.database);
  ada = await seedTenant(pg.database, app.models);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

async function ask(path: string, fields: object, { project = 'chat', as = ada } = {}) {
  const response = await fetch(`${app.origin}/api/projects/${as.slug}/${project}/openai/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as.key}` },
    body: JSON.stringify({ model: project, ...fields }),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

const messages = [
  { role: 'system', content: 'You fold fans.' },
  { role: 'user', content: 'Hello, <|im_start|>!' },
];
const tools = [{ type: 'function', function: { name: 'fold', parameters: { type: 'object', properties: {} } } }];

test('a conversation has as many tokens as a chat call is charged for, with tools and without', async () => {
  for (const more of [{}, { tools }, { reasoning_effort: 'none' }]) {
    const { status, json } = await ask('tokenize', { messages, ...more });
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual([json.count, json.max_model_len], [json.tokens.length, 4096]);
    const chat = await patiently(async () => {
      const answer = await ask('chat/completions', { messages, ...more, max_tokens: 1 });
      return Response.json(answer.json, { status: answer.status });
    });
    assert.equal(JSON.parse(await chat.text()).usage.prompt_tokens, json.count);
  }
});

test('without the beginning of an answer, the tokens are the first of those with it', async () => {
  const [whole, over] = await Promise.all(
    [true, false].map((add_generation_prompt) => ask('tokenize', { messages, add_generation_prompt })),
  );
  assert.ok(over?.json.count < whole?.json.count);
  assert.deepEqual(whole?.json.tokens.slice(0, over?.json.count), over?.json.tokens);
  const { json } = await ask('detokenize', { tokens: over?.json.tokens });
  assert.match(json.prompt, /You fold fans\.[\s\S]*Hello, <\|im_start\|>!/);
});

test('a text comes back from its tokens as it was, whatever is in it', async () => {
  for (const project of ['chat', 'search'])
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 30 }), async (prompt) => {
        const { status, json } = await ask('tokenize', { prompt, add_special_tokens: false }, { project });
        assert.equal(status, 200, JSON.stringify(json));
        const back = await ask('detokenize', { tokens: json.tokens }, { project });
        assert.equal(back.json.prompt, prompt);
      }),
      { numRuns: 12 },
    );
});

test('an embedding model has as many tokens as it is charged for, with those around the text', async () => {
  const prompt = 'The tall lamp stands beside the red door.';
  const { json } = await ask('tokenize', { prompt }, { project: 'search' });
  const embedded = await ask('embeddings', { input: prompt }, { project: 'search' });
  assert.equal(json.count, embedded.json.usage.prompt_tokens);
  const bare = await ask('tokenize', { prompt, add_special_tokens: false }, { project: 'search' });
  assert.deepEqual(bare.json.tokens, json.tokens.slice(0, -1));
});

test('what cannot be made tokens, or text, is refused and names its field; nothing is charged', async () => {
  const cases: [string, object, string | null, RegExp][] = [
    ['tokenize', {}, 'prompt', /prompt, or messages/],
    ['tokenize', { prompt: 'a', messages }, 'prompt', /not both/],
    ['tokenize', { messages: [{ role: 'robot', content: 'a' }] }, 'messages[0].role', /./],
    ['tokenize', { prompt: 'a', return_token_strs: true }, 'return_token_strs', /not supported/],
    ['tokenize', { prompt: 'a b '.repeat(200_000) }, 'prompt', /a request takes 131072; send it in parts/],
    ['tokenize', { prompt: 'a', model: 'nothing' }, 'model', /./],
    ['detokenize', { tokens: [1, -1] }, 'tokens[1]', /./],
    ['detokenize', { tokens: [1, 999_999] }, 'tokens[1]', /the model has tokens from 0 to \d+/],
    ['detokenize', { tokens: 'a' }, 'tokens', /./],
  ];
  for (const [path, fields, param, message] of cases) {
    const { status, json } = await ask(path, fields);
    assert.ok(status === 400 || status === 404, `${status}`);
    assert.equal(json.error.param, param, JSON.stringify(json));
    assert.match(json.error.message, message);
  }
  const embeds = await ask('tokenize', { messages }, { project: 'search' });
  assert.deepEqual([embeds.status, embeds.json.error.param], [400, 'messages']);
  assert.deepEqual(await pg.database.query("select from ledger where operation like 'tokens%'"), []);
});

test('an account may have so many texts made tokens in a minute', async () => {
  const bob = await seedTenant(pg.database, app.models);
  const statuses: number[] = [];
  while (statuses.length < 200 && statuses.at(-1) !== 429)
    statuses.push((await ask('detokenize', { tokens: [1] }, { as: bob })).status);
  assert.equal(statuses.at(-1), 429);
  assert.ok(statuses.length > 100, `${statuses.length}`);
});
