import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { Fault, systemClock } from '#kernel';
import type { Delta } from '../port.ts';
import { prompt as plainPrompt, sampling } from './chat-call.fixture.ts';
import { routeTo } from './remote-engine.fixture.ts';
import { createRemoteEngine, type RemoteEngine, type RemoteEngineOptions } from './remote-engine.ts';
import { type Behave, type Chunk, delta, finish, startUpstream, stream, usage } from './upstream.fixture.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const prompt = { ...plainPrompt, tools: [{ name: 'weather', description: null, parameters: null }] };
const toolCall = { function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const counts = { prompt_tokens: 9, completion_tokens: 5 };

const json = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const message = (fields: Chunk, reason: string | null = 'stop') => ({
  choices: [{ index: 0, message: { role: 'assistant', ...fields }, finish_reason: reason }],
  usage: counts,
});

/** Says the same in both forms. */
const either: Behave = ({ body }, response) => {
  if (body.stream !== true)
    return json(response, message({ reasoning_content: 'Hm.\n', content: '\nRain.', tool_calls: [toolCall] }));
  const pieces = [
    delta({ reasoning_content: 'Hm.\n' }),
    delta({ content: '\nRa' }),
    delta({ content: 'in.' }),
    delta({ tool_calls: [{ index: 0, ...toolCall }] }),
  ];
  stream(response, [...pieces, finish('tool_calls'), usage(counts)]);
};

async function engineFor(behave: Behave, api: 'openai' | 'vllm' = 'openai') {
  const server = await startUpstream(behave);
  const routes = [routeTo('a', server.url, { api, maxContextTokens: 4_096 })];
  const options: RemoteEngineOptions = {
    routes: () => routes,
    countHere: async () => null,
    clock: systemClock,
    log: () => {},
  };
  const engine = createRemoteEngine(options);
  stops.push(() => engine.close(), server.stop);
  return { engine, server };
}

async function chat(engine: RemoteEngine, { whole = true, maxTokens = 10 } = {}) {
  const signal = AbortSignal.timeout(180_000);
  const deltas: Delta[] = [];
  const { handle, promptTokens } = await engine.prepareChat({ ...prompt, maxTokens }, signal);
  const generation = { handle, sampling: { ...sampling, maxTokens }, cacheScope: 'ada', signal, whole };
  const finished = await engine.generate(generation, (each) => deltas.push(each));
  const said = (type: Delta['type']) => deltas.filter((each) => each.type === type);
  const textOf = (type: 'content' | 'reasoning') => said(type).map((each) => ('text' in each ? each.text : ''));
  const { reason, usage: used } = finished;
  return {
    promptTokens,
    answer: [textOf('reasoning').join(''), textOf('content').join(''), said('tool_call'), reason, used],
  };
}

test('an answer that nobody watches is asked for in one piece and is the one that would have been streamed', async () => {
  const { engine, server } = await engineFor(either);
  const { answer: whole } = await chat(engine);
  const { answer: streamed } = await chat(engine, { whole: false });
  assert.deepEqual(whole, streamed);
  assert.deepEqual(whole.slice(0, 2), ['Hm.', 'Rain.']);
  assert.equal(whole[3], 'tool_calls');
  const asked = server.got.map(({ body }) => [body.stream, body.stream_options]);
  assert.deepEqual(asked, [
    [undefined, undefined],
    [true, { include_usage: true }],
  ]);
});

test('arguments that come as an object keep their digits and the order of their keys', async () => {
  const given = '{"10":1,"id":12345678901234567890,"2":1.0}';
  const called = JSON.stringify({ id: 'a', function: { name: 'weather', arguments: 0 } }).replace('0}', `${given}}`);
  const { engine } = await engineFor(({ body }, response) => {
    const said = `{"role":"assistant","content":null,"tool_calls":[${called}]}`;
    const text = `{"choices":[{"index":0,"${body.stream === true ? 'delta' : 'message'}":${said},"finish_reason":"tool_calls"}]}`;
    const isStream = body.stream === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `data: ${text}\n\ndata: [DONE]\n\n` : text);
  });
  for (const whole of [true, false]) {
    const { answer } = await chat(engine, { whole });
    assert.deepEqual(answer[2], [{ type: 'tool_call', index: 0, name: 'weather', arguments: given }]);
  }
});

test('an answer in a form that cannot be read has failed, in both ways, and says so', async () => {
  const { engine } = await engineFor(({ body }, response) => {
    const said = { content: [{ type: 'image_url', image_url: { url: 'data:secret' } }] };
    if (body.stream !== true) return json(response, message(said));
    stream(response, [delta(said), finish('stop'), usage(counts)]);
  });
  for (const whole of [true, false])
    await assert.rejects(chat(engine, { whole }), (error: unknown) => {
      assert.ok(error instanceof Fault && error.fault === 'generation_failed');
      assert.match(error.message, /cannot be read/);
      assert.match(error.options.internal ?? '', /image_url/);
      assert.doesNotMatch(error.options.internal ?? '', /secret/);
      return true;
    });
  assert.equal(engine.load('big').running, 0);
});

test('a long answer is streamed whoever asks: proxies cut what is silent for long', async () => {
  const { engine, server } = await engineFor(either);
  await chat(engine, { maxTokens: 2_049 });
  assert.equal(server.got[0]?.body.stream, true);
});

test('a whole answer that is an error, no JSON, or does not say why it ended has failed and frees its place', async () => {
  const broken: Behave[] = [
    (_got, response) => json(response, { error: { message: 'out of memory' } }),
    (_got, response) => json(response, message({ content: 'Hi' }, null)),
    (_got, response) => json(response, null),
    (_got, response) => void response.writeHead(200).end('<html>'),
    (_got, response) =>
      void response.writeHead(200, { 'content-length': 500 }).write('{"choices"', () => response.destroy()),
  ];
  for (const behave of broken) {
    const { engine } = await engineFor(behave);
    const isFailed = (error: unknown) => error instanceof Fault && error.fault === 'generation_failed';
    await assert.rejects(chat(engine), isFailed);
    assert.equal(engine.load('big').running, 0);
  }
});

test('a prompt that has room whatever its tokens are is not counted first, and one that may be too long is', async () => {
  const { engine, server } = await engineFor((got, response) => {
    if (got.path === '/tokenize') return json(response, { count: 42 });
    return either(got, response);
  }, 'vllm');
  assert.equal((await chat(engine)).promptTokens, 0);
  assert.equal((await chat(engine, { maxTokens: 3_500 })).promptTokens, 42);
  const paths = server.got.map(({ path }) => path);
  assert.deepEqual(paths, ['/v1/chat/completions', '/tokenize', '/v1/chat/completions']);
});

test('calls one after the other share a connection, streams included', async () => {
  const connections = new Set<unknown>();
  const { engine } = await engineFor((got, response) => {
    connections.add(response.socket);
    return either(got, response);
  });
  for (let n = 0; n < 10; n += 1) await chat(engine, { whole: n % 2 === 0 });
  // The first may find the health check on the only one that is open.
  assert.ok(connections.size <= 2, `${connections.size} connections`);
});
