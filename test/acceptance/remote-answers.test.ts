import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { putRoute } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** What engines answer in forms of their own is the same to every caller: whole, streamed, and in the calls that a project keeps. */
type Fields = Record<string, unknown>;
type Case = { deltas: Fields[]; reason: string; message: Fields };

const part = (text: string) => ({ type: 'text', text });
const piece = (index: number, name: string | null, text: string) => ({ index, function: { name, arguments: text } });
const call = (name: string, text: string) => ({ type: 'function', function: { name, arguments: text } });
const cases: Record<string, Case> = {
  'calls that alternate': {
    deltas: [
      { content: 'So:' },
      { tool_calls: [piece(0, 'time', '{"zone"'), piece(1, 'weather', '{"city"')] },
      { tool_calls: [piece(0, null, ':12345678901234567890}'), piece(1, null, ':"Oslo"}')] },
    ],
    reason: 'tool_calls',
    message: {
      content: 'So:',
      tool_calls: [call('time', '{"zone":12345678901234567890}'), call('weather', '{"city":"Oslo"}')],
    },
  },
  'lists of parts': {
    deltas: [
      { content: [{ type: 'thinking', thinking: [part('It is ')] }] },
      { content: [{ type: 'thinking', thinking: [part('2.')] }, part('Tw')] },
      { content: [part('o.')] },
    ],
    reason: 'stop',
    message: { content: 'Two.', reasoning_content: 'It is 2.' },
  },
  'characters in halves': {
    deltas: [{ content: 'a\ud83d' }, { content: '\ude42b' }, { content: '\ud83d' }],
    reason: 'length',
    message: { content: 'a🙂b' },
  },
  'think tags': {
    deltas: [{ content: '<think>\nHm' }, { content: '.</think>\n\nThe tag <think> ' }, { content: 'opens a thought.' }],
    reason: 'stop',
    message: { content: 'The tag <think> opens a thought.', reasoning_content: 'Hm.' },
  },
  'a picture': {
    deltas: [{ content: [{ type: 'image_url', image_url: { url: 'data:' } }] }],
    reason: 'stop',
    message: {},
  },
};

/** All that came in pieces, as an engine says it at once. */
function wholeOf({ deltas }: Case): Fields {
  const contents = deltas.map(({ content }) => content).filter((each) => each !== undefined);
  const content = contents.every((each) => typeof each === 'string') ? contents.join('') : contents.flat();
  const pieces = deltas.flatMap(({ tool_calls: some }) => (some as ReturnType<typeof piece>[] | undefined) ?? []);
  const calls = pieces.filter(({ function: { name } }) => name !== null);
  const text = (at: number) =>
    pieces.map(({ index, function: { arguments: each } }) => (index === at ? each : '')).join('');
  return {
    content,
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map(({ index, function: { name } }) => piece(index, name, text(index))) }),
  };
}

let database: TestDatabase;
let upstream: Server;
let app: TestApp;
let owner: Tenant;
let client: OpenAI;

before(async () => {
  upstream = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    // as: our own server asks.
    const asked = (await json(request)) as { stream?: boolean; messages: { content: string }[] };
    const chosen = cases[asked.messages.at(-1)?.content ?? ''] ?? assert.fail();
    const usage = { prompt_tokens: 9, completion_tokens: 5 };
    if (asked.stream !== true) {
      const choices = [{ index: 0, message: wholeOf(chosen), finish_reason: chosen.reason }];
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ choices, usage }));
    }
    const chunks = chosen.deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    streamTo(response, [
      ...chunks,
      { choices: [{ index: 0, delta: {}, finish_reason: chosen.reason }] },
      { choices: [], usage },
    ]);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  database = await createTestDatabase();
  // as: it listens on a port.
  const { port } = upstream.address() as AddressInfo;
  await putRoute(database.database, {
    id: 'odd',
    api: 'openai',
    url: `http://127.0.0.1:${port}/v1`,
    baseModelId: 'qwen3-0.6b',
    upstreamModel: 'm',
    secretSource: null,
    capacity: 4,
    weight: 1,
    draining: false,
  });
  app = await startApp(database.database);
  owner = await seedTenant(database.database, app.models);
  client = new OpenAI({
    baseURL: `${app.origin}/api/projects/${owner.slug}/chat/openai/v1`,
    apiKey: owner.key,
    maxRetries: 0,
  });
  const set = await fetch(projectUrl(), {
    method: 'PATCH',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: '{"inference_auto_save":true}',
  });
  assert.equal(set.status, 200);
});

after(async () => {
  await app?.stop();
  upstream?.closeAllConnections();
  upstream?.close();
  await database?.drop();
});

const projectUrl = () => `${app.origin}/api/v1/projects/${owner.slug}/chat`;
const headers = () => ({ authorization: `Bearer ${owner.key}` });

function streamTo(response: ServerResponse, chunks: readonly Fields[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

const tools = ['time', 'weather'].map((name) => ({ type: 'function' as const, function: { name } }));
const asking = (content: string) => ({ model: 'qwen3-0.6b', messages: [{ role: 'user' as const, content }], tools });

/** A message without what no engine decides: ids, and fields that say nothing. */
function said(message: Fields): Fields {
  const calls = message.tool_calls as Fields[] | undefined;
  return {
    content: message.content,
    ...(message.reasoning_content ? { reasoning_content: message.reasoning_content } : {}),
    ...(calls ? { tool_calls: calls.map(({ type, function: called }) => ({ type, function: called })) } : {}),
  };
}

async function get<Body>(path: string): Promise<Body> {
  // as: the caller knows what the path answers.
  return (await (await fetch(`${projectUrl()}${path}`, { headers: headers() })).json()) as Body;
}

async function savedMessages(count: number): Promise<Fields[]> {
  for (;;) {
    const { data } = await get<{ data: { id: string }[] }>('/saved-calls');
    if (data.length < count) continue;
    const details = await Promise.all(data.map(({ id }) => get<{ answer: Fields }>(`/saved-calls/${id}`)));
    return details.map(({ answer }) => said(answer));
  }
}

/** What the chunks of a stream say together, as clients gather it. */
async function streamed(name: string): Promise<{ message: Fields; reason: string | null }> {
  const texts = { content: '', reasoning_content: '' };
  const calls: { type: string | undefined; function: { name: string | undefined; arguments: string } }[] = [];
  let reason: string | null = null;
  for await (const { choices } of await client.chat.completions.create({ ...asking(name), stream: true })) {
    for (const { delta, finish_reason } of choices) {
      for (const key of ['content', 'reasoning_content'] as const) {
        // as: the client has no name for one of them.
        const text = (delta as Record<string, string | null | undefined>)[key] ?? '';
        assert.ok(text.isWellFormed() && !text.includes('\ufffd'), name);
        texts[key] += text;
      }
      for (const { index, type, function: called } of delta.tool_calls ?? []) {
        calls[index] ??= { type, function: { name: called?.name, arguments: '' } };
        calls[index].function.arguments += called?.arguments ?? '';
      }
      reason = finish_reason ?? reason;
    }
  }
  return { message: said({ ...texts, ...(calls.length === 0 ? {} : { tool_calls: calls }) }), reason };
}

test('an answer in a form of its own is the same whole, streamed, and as it is kept', async () => {
  let count = 0;
  for (const [name, { message, reason }] of Object.entries(cases)) {
    if (name === 'a picture') continue;
    const whole = (await client.chat.completions.create(asking(name))).choices[0];
    // as: it has a field that the client does not know.
    assert.deepEqual(said(whole?.message as unknown as Fields), message, name);
    assert.equal(whole?.finish_reason, reason, name);
    assert.deepEqual(await streamed(name), { message, reason }, name);
    count += 2;
    assert.deepEqual((await savedMessages(count)).slice(0, 2), [message, message], name);
  }
});

test('an answer of which nothing can be read is an error that says so, and is neither kept nor charged', async () => {
  const charges = async () => (await database.database.query(`select 1 from ledger where type = 'inference'`)).length;
  const before = await charges();
  for (const stream of [false, true])
    await assert.rejects(client.chat.completions.create({ ...asking('a picture'), stream }), (error: unknown) => {
      assert.ok(error instanceof OpenAI.APIError);
      assert.deepEqual([error.status, error.code], [500, 'generation_failed']);
      assert.match(error.message, /cannot be read/);
      return true;
    });
  assert.equal(await charges(), before);
});
