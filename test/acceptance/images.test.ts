import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { putRoute } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

type Sent = { model: string; messages: { role: string; content: unknown }[] };

let database: TestDatabase;
let upstream: Server;
let app: TestApp;
let ada: Tenant;
const asked: { path: string; body: Sent }[] = [];

const png = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1').toString('base64');
const dataUrl = `data:image/png;base64,${png}`;
const usage = { prompt_tokens: 700, completion_tokens: 2 };

before(async () => {
  upstream = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    // as: our own server asks.
    asked.push({ path: request.url ?? '', body: (await json(request)) as Sent });
    const choices = [{ index: 0, message: { content: 'A fan.' }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices, usage }));
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  database = await createTestDatabase();
  // as: it listens on a port.
  const { port } = upstream.address() as AddressInfo;
  const route = {
    api: 'openai',
    baseModelId: 'qwen3-0.6b',
    secretSource: null,
    capacity: 4,
    weight: 1,
    draining: false,
  };
  for (const [id, vision] of [
    ['blind', false],
    ['sees', true],
  ] as const)
    await putRoute(database.database, { ...route, id, url: `http://127.0.0.1:${port}/v1`, upstreamModel: id, vision });
  app = await startApp(database.database);
  ada = await seedTenant(database.database, app.models);
  const set = await api(`projects/${ada.slug}/chat`, { method: 'PATCH', body: '{"inference_auto_save":true}' });
  assert.equal(set.status, 200);
});

after(async () => {
  await app?.stop();
  upstream?.closeAllConnections();
  upstream?.close();
  await database?.drop();
});

async function api(path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' };
  const response = await fetch(`${app.origin}/api/v1/${path}`, { ...init, headers });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

async function ask(path: string, body: object) {
  const response = await fetch(`${app.origin}/api/projects/${ada.slug}/chat/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.key}`, 'x-api-key': ada.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, id: response.headers.get('x-request-id'), json: JSON.parse(await response.text()) };
}

const model = 'qwen3-0.6b';
/** The same question in each protocol, for a model that is named, with an image that is sent as a URL. */
const forms = {
  'openai/v1/chat/completions': (url: string, named = model) => ({
    model: named,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
        ],
      },
    ],
  }),
  'openai/v1/responses': (url: string, named = model) => ({
    model: named,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: url, detail: 'low' },
        ],
      },
    ],
  }),
  'cohere/v2/chat': (url: string, named = model) => ({
    model: named,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
        ],
      },
    ],
  }),
  'anthropic/v1/messages': (url: string, named = model) => {
    const [, media_type = '', data = ''] = /^data:(.*);base64,(.*)$/.exec(url) ?? [];
    const source = data === '' ? { type: 'url', url } : { type: 'base64', media_type, data };
    return {
      model: named,
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', source },
          ],
        },
      ],
    };
  },
};
const paramOf = ({ error }: { error: { param?: string; message: string } }) => error.param ?? error.message;

for (const [path, form] of Object.entries(forms)) {
  test(`${path} sends images to a route with vision, and the call costs what the engine reports`, async () => {
    asked.length = 0;
    const { status, json: answer, id } = await ask(path, form(dataUrl));
    assert.equal(status, 200, JSON.stringify(answer));
    assert.match(JSON.stringify(answer), /A fan\./);
    const [{ body } = assert.fail()] = asked;
    assert.equal(asked.length, 1);
    assert.equal(body.model, 'sees');
    const detail = path.startsWith('anthropic') ? {} : { detail: 'low' };
    assert.deepEqual(body.messages.at(-1)?.content, [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: dataUrl, ...detail } },
    ]);
    const [charge] = await database.database.query<{ tokens: number }>(
      'select prompt_tokens as tokens from ledger where request_id = $1',
      [id],
    );
    assert.equal(Number(charge?.tokens), usage.prompt_tokens);
  });

  test(`${path} refuses links, other files and models without vision by the field`, async () => {
    asked.length = 0;
    const cases: [string, string | undefined, RegExp][] = [
      ['https://example.org/fan.png', undefined, /not fetched/],
      [`data:image/jpeg;base64,${png}`, undefined, /the file is no image\/jpeg/],
      [`data:image/svg+xml;base64,${png}`, undefined, /images have one of the types image\/png, image\/jpeg/],
      ['data:image/png;base64,@@@@', undefined, /not in base64/],
      [dataUrl, 'chat', /reads text only/],
    ];
    for (const [url, named, words] of cases) {
      const { status, json: answer } = await ask(path, form(url, named));
      assert.equal(status, 400, JSON.stringify(answer));
      assert.match(answer.error.message, words);
      assert.match(paramOf(answer), /(messages|input)[[.]0\]?\.content[[.]1\]?/);
    }
    assert.deepEqual(asked, []);
  });
}

test('more than eight images are refused; eight are not', async () => {
  const image = { type: 'image_url', image_url: { url: dataUrl } };
  const many = (count: number) => ({ model, messages: [{ role: 'user', content: Array(count).fill(image) }] });
  assert.equal((await ask('openai/v1/chat/completions', many(8))).status, 200);
  const { status, json: answer } = await ask('openai/v1/chat/completions', many(9));
  assert.deepEqual([status, answer.error.param], [400, 'messages[0].content[8].image_url.url']);
});

test('a saved call has a placeholder for each image, and a stored response has the image', async () => {
  for (const path of ['openai/v1/chat/completions', 'openai/v1/responses'] as const) {
    const { json: answer, id } = await ask(path, forms[path](dataUrl));
    let saved: { messages: Sent['messages'] } | undefined;
    while (saved === undefined) {
      [saved] = await database.database.query<{ messages: Sent['messages'] }>(
        'select messages from saved_calls where request_id = $1',
        [id],
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(saved.messages, [{ role: 'user', content: 'What is it?\n[image]' }]);
    if (path !== 'openai/v1/responses') continue;
    asked.length = 0;
    const next = { model, previous_response_id: answer.id, input: 'And its colour?' };
    assert.equal((await ask(path, next)).status, 200);
    const [{ body } = assert.fail()] = asked;
    assert.equal(body.model, 'sees');
    assert.match(JSON.stringify(body.messages[0]?.content), /data:image\/png;base64/);
  }
});

test('the list of base models says which read images, and tokens of images are not counted in advance', async () => {
  const { json: bases } = await api('base-models?limit=100');
  const seeing = bases.data.flatMap((base: { id: string; inference: { capabilities: { vision: boolean } } }) =>
    base.inference.capabilities.vision ? base.id : [],
  );
  assert.deepEqual(seeing, [model]);
  for (const [path, form] of [
    ['anthropic/v1/messages/count_tokens', 'anthropic/v1/messages'],
    ['openai/v1/responses/input_tokens', 'openai/v1/responses'],
    ['openai/v1/tokenize', 'openai/v1/chat/completions'],
  ] as const) {
    const { status, json: answer } = await ask(path, forms[form](dataUrl));
    assert.equal(status, 400, JSON.stringify(answer));
    assert.match(answer.error.message, /tokens of images cannot be counted/);
  }
});
