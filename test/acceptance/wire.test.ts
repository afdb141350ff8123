import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';
import { readFrames } from '#test/sse.ts';

/** The compatible routes to the byte, over plain HTTP: statuses, envelopes, headers, frames. */
let database: TestDatabase;
let program: Program;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

type Call = {
  method?: string;
  path?: string;
  body?: unknown;
  raw?: string;
  key?: string | null;
  headers?: Record<string, string>;
};

const base = (project: string) => `/api/projects/local/${project}/openai/v1`;

function call({
  method = 'POST',
  path = `${base('chat')}/chat/completions`,
  body,
  raw,
  key,
  headers,
}: Call): Promise<Response> {
  const credential = key === undefined ? program.key : key;
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return patiently(() =>
    fetch(program.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload }),
      signal: AbortSignal.timeout(180_000),
    }),
  );
}

type Wrong = { error: { message: string; type: string; param: string | null; code: string }; detail?: unknown };

async function refusal(request: Call): Promise<{ status: number; headers: Headers } & Wrong> {
  const response = await call(request);
  // as: the shape is what this file checks.
  const body = (await response.json()) as Wrong;
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(response.headers.get('x-request-id') ?? '', /^req_[0-9A-Z]{26}$/);
  assert.deepEqual(Object.keys(body.error).sort(), ['code', 'message', 'param', 'type']);
  return { status: response.status, headers: response.headers, ...body };
}

const hi = { model: 'chat', messages: [{ role: 'user', content: 'Hello!' }] };

test('every refusal has its published status, code and param', async () => {
  const embeddings = `${base('search')}/embeddings`;
  const cases: [string, Call, number, string, string | null][] = [
    ['no key', { body: hi, key: null }, 401, 'invalid_credentials', null],
    ['malformed key', { body: hi, key: 'sk-123' }, 401, 'invalid_credentials', null],
    ['unknown project', { path: `${base('nothing')}/chat/completions`, body: hi }, 404, 'project_not_found', null],
    ['bad credentials before a bad body', { raw: '{', key: null }, 401, 'invalid_credentials', null],
    [
      'unknown project before a bad body',
      { path: `${base('nothing')}/chat/completions`, raw: '{' },
      404,
      'project_not_found',
      null,
    ],
    ['not JSON', { raw: '{"model":' }, 400, 'invalid_request', null],
    ['not an object', { raw: '[1]' }, 400, 'invalid_request', null],
    ['unknown model', { body: { ...hi, model: 'gpt-4' } }, 404, 'model_not_found', 'model'],
    ['unfinished training job', { body: { ...hi, model: 'training-job#job_1' } }, 404, 'model_not_found', 'model'],
    ['embedding model on chat', { body: { ...hi, model: 'fanfold-tiny-embed' } }, 404, 'model_not_found', 'model'],
    [
      'bad role',
      { body: { ...hi, messages: [{ role: 'x', content: '' }] } },
      400,
      'invalid_request',
      'messages[0].role',
    ],
    ['over the context by max_tokens', { body: { ...hi, max_tokens: 4096 } }, 400, 'invalid_request', 'max_tokens'],
    [
      'over the context by the prompt',
      { body: { ...hi, messages: [{ role: 'user', content: 'x 1 '.repeat(9000) }] } },
      400,
      'invalid_request',
      'messages',
    ],
    [
      'over the context by the prompt of a completion',
      { path: `${base('chat')}/completions`, body: { model: 'chat', prompt: 'x 1 '.repeat(9000) } },
      400,
      'invalid_request',
      'prompt',
    ],
    [
      'streamed completion',
      { path: `${base('chat')}/completions`, body: { model: 'chat', prompt: 'x', stream: true } },
      400,
      'invalid_request',
      'stream',
    ],
    [
      'token ids as prompt',
      { path: `${base('chat')}/completions`, body: { model: 'chat', prompt: [1, 2] } },
      400,
      'invalid_request',
      'prompt',
    ],
    [
      'embeddings in a text project',
      { path: `${base('chat')}/embeddings`, body: { model: 'x', input: 'a' } },
      409,
      'embeddings_not_enabled',
      null,
    ],
    [
      'embedding shape before the 409',
      { path: `${base('chat')}/embeddings`, body: { model: 'x' } },
      422,
      'invalid_request',
      'input',
    ],
    [
      'unknown embedding model',
      { path: embeddings, body: { model: 'x', input: 'a' } },
      404,
      'model_not_found',
      'model',
    ],
    [
      'wrong dimensions',
      { path: embeddings, body: { model: 'search', input: 'a', dimensions: 5 } },
      400,
      'invalid_request',
      'dimensions',
    ],
    [
      'three inputs',
      { path: embeddings, body: { model: 'search', input: ['a', 'b', 'c'] } },
      400,
      'invalid_request',
      'input',
    ],
    [
      'a long input',
      { path: embeddings, body: { model: 'search', input: 'word 1 '.repeat(400) } },
      400,
      'invalid_request',
      'input',
    ],
    [
      'a cut input in company',
      { path: embeddings, body: { model: 'search', input: ['word 1 '.repeat(400), 'b'], truncate: true } },
      400,
      'invalid_request',
      'input',
    ],
    ['unknown path', { path: `${base('chat')}/moderations`, body: hi }, 404, 'not_found', null],
    ['wrong method', { path: `${base('chat')}/chat/completions`, method: 'GET' }, 405, 'method_not_allowed', null],
  ];
  for (const [name, request, status, code, param] of cases) {
    const answer = await refusal(request);
    assert.deepEqual(
      [answer.status, answer.error.code, answer.error.param],
      [status, code, param],
      `${name}: ${answer.error.message}`,
    );
    assert.equal(answer.headers.get('retry-after'), null, name);
    if (status === 401) {
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.match(answer.error.message, /"Authorization: Bearer fnf_\.\.\."/);
    }
    if (status === 405) assert.match(answer.headers.get('allow') ?? '', /POST/);
    if (status === 422) assert.ok(Array.isArray(answer.detail));
    if ([409, 422].includes(status)) assert.equal(answer.headers.get('x-should-retry'), 'false');
  }
});

test('a retired path names its successor without authentication', async () => {
  const answer = await refusal({ path: '/api/projects/local/chat/openai/chat/completions', body: hi, key: null });
  const successor = '/api/projects/local/chat/openai/v1/chat/completions';
  assert.equal(answer.status, 410);
  assert.equal(answer.error.code, 'api_version_required');
  assert.equal((answer.detail as { successor: string }).successor, successor);
  assert.equal(answer.headers.get('link'), `<${successor}>; rel="successor-version"`);
});

test('a stream consists of role, deltas, finish, usage and the sentinel, in this order', async () => {
  const response = await call({
    body: { ...hi, stream: true, temperature: 0, stream_options: { include_usage: true } },
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.equal(response.headers.get('cache-control'), 'no-cache, no-transform');
  const text = await response.text();
  assert.ok(text.endsWith('data: [DONE]\n\n'));
  const frames = readFrames(text);
  const first = frames[0];
  assert.deepEqual(first?.choices[0]?.delta, { role: 'assistant', content: '' });
  assert.deepEqual(frames.at(-1)?.choices, []);
  assert.deepEqual(Object.keys(frames.at(-1)?.usage ?? {}).slice(0, 5), [
    'prompt_tokens',
    'completion_tokens',
    'total_tokens',
    'reasoning_tokens',
    'cached_tokens',
  ]);
  assert.deepEqual(frames.at(-2)?.choices[0]?.delta, {});
  assert.ok(['stop', 'length'].includes(frames.at(-2)?.choices[0]?.finish_reason ?? ''));
  const order = frames.slice(1, -2).map(({ choices }) => Object.keys(choices[0]?.delta ?? {}).join());
  assert.deepEqual(order, [...order].sort().reverse(), 'reasoning comes before content');
  for (const frame of frames) {
    assert.deepEqual([frame.id, frame.created, frame.model], [first?.id, first?.created, 'chat']);
    assert.ok(!('error' in frame));
  }
});

test('a model id may be percent-encoded in a path', async () => {
  assert.equal((await call({ method: 'GET', path: `${base('chat')}/models/chat` })).status, 200);
  assert.equal(
    (await refusal({ method: 'GET', path: `${base('chat')}/models/training-job%2342` })).error.code,
    'model_not_found',
  );
  assert.equal((await refusal({ method: 'GET', path: `${base('chat')}/models/a%2Fb` })).error.code, 'model_not_found');
});

test('the base model of the project can be called by its owner', async () => {
  const response = await call({ body: { ...hi, model: 'fanfold-tiny-chat', reasoning_effort: 'none' } });
  assert.equal(response.status, 200);
});

test('a cut input fills its budget and says so; an input within it does not', async () => {
  const ask = async (input: string) =>
    (await (
      await call({ path: `${base('search')}/embeddings`, body: { model: 'search', input, truncate: true } })
    ).json()) as {
      data: { truncated?: boolean }[];
      usage: { prompt_tokens: number };
    };
  const cut = await ask('word 1 '.repeat(400));
  assert.equal(cut.data[0]?.truncated, true);
  assert.equal(cut.usage.prompt_tokens, 512);
  assert.ok(!('truncated' in ((await ask('short')).data[0] ?? {})));
});

test('stop text ends the answer and is not part of it', async () => {
  const ask = async (extra: object) => {
    const response = await call({ body: { ...hi, temperature: 0, reasoning_effort: 'none', ...extra } });
    return ((await response.json()) as { choices: { message: { content: string }; finish_reason: string }[] })
      .choices[0];
  };
  const whole = await ask({});
  const stop = whole?.message.content.slice(4, 7) ?? '';
  const stopped = await ask({ stop });
  assert.equal(stopped?.message.content, whole?.message.content.slice(0, whole.message.content.indexOf(stop)));
  assert.equal(stopped?.finish_reason, 'stop');
  const short = await ask({ max_tokens: 1 });
  assert.equal(short?.finish_reason, 'length');
});

test('one seed gives one answer, and a second turn reuses the first turn', async () => {
  const ask = async (seed: number) => {
    const response = await call({ body: { ...hi, seed, temperature: 1.5, max_tokens: 40, reasoning_effort: 'none' } });
    return (await response.json()) as {
      choices: { message: { content: string } }[];
      usage: { cached_tokens: number; prompt_tokens: number };
    };
  };
  const [first, second] = [await ask(3), await ask(3)];
  assert.equal(first.choices[0]?.message.content, second.choices[0]?.message.content);
  assert.ok(second.usage.cached_tokens > 0 && second.usage.cached_tokens < second.usage.prompt_tokens);
});
