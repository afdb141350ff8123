import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { freePort } from '#test/free-port.ts';
import type { Delta, Sampling } from '../port.ts';
import { prompt, sampling } from './chat-call.fixture.ts';
import type { DialectName } from './dialects/index.ts';
import { fileEngines, isFault, routeTo, signal } from './remote-engine.fixture.ts';
import type { RemoteEngine } from './remote-engine.ts';
import { type Behave, delta, finish, type Got, stream, usage } from './upstream.fixture.ts';

const { upstream, engineOf } = fileEngines();

const answer: Behave = (_got, response) =>
  stream(response, [delta({ content: 'Hi.' }), finish('stop'), usage({ prompt_tokens: 3, completion_tokens: 2 })]);

async function chat(engine: RemoteEngine, { abort = signal() } = {}) {
  const deltas: Delta[] = [];
  const { handle } = await engine.prepareChat(prompt, abort);
  const finished = await engine.generate({ handle, sampling, cacheScope: 'ada', signal: abort }, (each) =>
    deltas.push(each),
  );
  return { finished, text: deltas.map((each) => ('text' in each ? each.text : '')).join('') };
}

test('a call goes to the engine with its secret and the name of the model there, and comes back as from our own', async () => {
  const server = await upstream(answer);
  const engine = engineOf(routeTo('a', server.url, { secret: 's3cret' }));
  const { finished, text } = await chat(engine);
  assert.equal(text, 'Hi.');
  assert.deepEqual([finished.reason, finished.usage.promptTokens, finished.usage.completionTokens], ['stop', 3, 2]);
  assert.ok(finished.activeMs > 0);
  const [got] = server.got as [Got];
  assert.equal(got.path, '/v1/chat/completions');
  assert.equal(got.headers.authorization, 'Bearer s3cret');
  assert.deepEqual([got.body.model, got.body.max_tokens], ['theirs', 10]);
  assert.equal('reasoning_effort' in got.body, false, 'what the caller left out is left out');
  assert.equal(engine.load('big').running, 0);
});

test('tools go to the engine as they came, strict where that was said', async () => {
  const server = await upstream(answer);
  const tools = [true, false, undefined].map((strict, at) => ({
    name: `t${at}`,
    description: null,
    parameters: null,
    ...(strict === undefined ? {} : { strict }),
  }));
  const engine = engineOf(routeTo('a', server.url));
  const { handle } = await engine.prepareChat({ ...prompt, tools }, signal());
  await engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal() }, () => {});
  const sent = [{ name: 't0', strict: true }, { name: 't1', strict: false }, { name: 't2' }];
  const expected = sent.map((each) => ({ type: 'function', function: each }));
  assert.deepEqual(server.got.at(-1)?.body.tools, expected);
});

test('a suffix is refused by name before anything is sent', async () => {
  const server = await upstream(answer);
  const engine = engineOf(routeTo('a', server.url));
  const refused = engine.prepareChat({ ...prompt, suffix: ')' }, signal());
  await assert.rejects(
    refused,
    (error) => error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'suffix',
  );
  assert.deepEqual(server.got, []);
});

test('a route that cannot be reached or has no room is passed over, and the call runs once', async () => {
  const full = await upstream((_got, response) => void response.writeHead(503, { 'retry-after': '7' }).end('{}'));
  const good = await upstream(answer);
  const gone = `http://127.0.0.1:${await freePort()}/v1`;
  const engine = engineOf(routeTo('a', gone), routeTo('b', full.url), routeTo('c', good.url));
  for (let n = 0; n < 4; n += 1) assert.equal((await chat(engine)).text, 'Hi.');
  assert.equal(good.got.length, 4);
});

test('a call goes elsewhere when its engine breaks off while it counts the prompt', async () => {
  const breaking = await upstream((_got, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"count":');
    response.socket?.end();
  });
  const sound = await upstream(answer);
  const engine = engineOf(
    routeTo('a', breaking.url, { api: 'vllm' }),
    routeTo('b', sound.url, { weight: 0.001, maxContextTokens: 4_096 }),
  );
  assert.equal((await chat(engine)).text, 'Hi.');
  assert.deepEqual([breaking.got.map(({ path }) => path), engine.load('big').running], [['/tokenize'], 0]);
});

test('calls that come from a route which is down find no more room elsewhere than there is', async () => {
  const waiting: (() => void)[] = [];
  const other = await upstream((got, response) => void waiting.push(() => answer(got, response)));
  const engine = engineOf(
    routeTo('a', `http://127.0.0.1:${await freePort()}/v1`, { api: 'vllm' }),
    routeTo('b', other.url, { weight: 0.001, capacity: 1 }),
  );
  const calls = [1, 2, 3].map(() => chat(engine));
  for (const waits of [2, 1, 0]) {
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(engine.load('big'), { running: 1, waiting: waits });
    waiting.shift()?.();
  }
  await Promise.all(calls);
});

test('with no route left the call is refused with the time that the engine said', async () => {
  const full = await upstream((_got, response) => void response.writeHead(503, { 'retry-after': '7' }).end('{}'));
  const engine = engineOf(routeTo('a', full.url));
  await assert.rejects(chat(engine), (error: unknown) => {
    assert.ok(error instanceof Fault && error.fault === 'capacity_unavailable');
    assert.equal(error.options.retryAfterSeconds, 7);
    return true;
  });
});

test('an engine that still reads its model is warming', async () => {
  const words = JSON.stringify({ error: { message: 'Loading model', code: 503 } });
  const loading = await upstream((_got, response) => void response.writeHead(503).end(words));
  await assert.rejects(chat(engineOf(routeTo('a', loading.url))), isFault('model_warming'));
});

test('a call that may have been served is not sent again', async () => {
  const cutting = await upstream((_got, response) => void response.socket?.destroy());
  const other = await upstream(answer);
  const engine = engineOf(routeTo('a', cutting.url), routeTo('b', other.url, { weight: 0.001, capacity: 1 }));
  const { handle } = await engine.prepareChat(prompt, signal());
  const run = engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal() }, () => {});
  await assert.rejects(run, isFault('ambiguous_transport'));
  assert.deepEqual([cutting.got.length, other.got.length], [1, 0]);
  assert.equal(engine.load('big').running, 0);
});

test('an answer that breaks off, holds an error or is none has failed, and frees its place', async () => {
  const broken: Behave[] = [
    (_got, response) => {
      stream(response, [delta({ content: 'Hi' })], { done: false });
      setTimeout(() => response.socket?.destroy(), 20);
    },
    (_got, response) => stream(response, [delta({ content: 'Hi' }), { error: { message: 'out of memory' } }]),
    (_got, response) => stream(response, [delta({ content: 'Hi' })]),
    (_got, response) => stream(response, [delta({ content: 'Hi' }), finish('abort')]),
    (_got, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"cho\n\n'),
    (_got, response) => void response.writeHead(500).end('broken'),
  ];
  for (const behave of broken) {
    const engine = engineOf(routeTo('a', (await upstream(behave)).url));
    await assert.rejects(chat(engine), isFault('generation_failed'));
    assert.equal(engine.load('big').running, 0);
  }
});

test('an engine that fails at whatever it is asked does not draw all calls to itself', async () => {
  const failing: Behave[] = [
    (_got, response) => void response.writeHead(500).end('broken'),
    (_got, response) => stream(response, [{ error: { message: 'out of memory' } }]),
  ];
  for (const behave of failing) {
    const broken = await upstream(behave, { isSilent: () => true });
    const sound = await upstream(answer, { isSilent: () => true });
    // Its calls end at once, so it always seems to have the least to do.
    const engine = engineOf(routeTo('a', broken.url), routeTo('b', sound.url, { weight: 0.001 }));
    await assert.rejects(chat(engine), isFault('generation_failed'));
    const texts = await Promise.all([chat(engine), chat(engine), chat(engine)]);
    assert.deepEqual([texts.map(({ text }) => text), broken.got.length], [['Hi.', 'Hi.', 'Hi.'], 1]);
  }
});

test('an answer that says that there is no error has none', async () => {
  const none: Behave = (_got, response) =>
    stream(
      response,
      [delta({ content: 'Hi.' }), finish('stop')].map((chunk) => ({ ...chunk, error: null })),
    );
  assert.equal((await chat(engineOf(routeTo('a', (await upstream(none)).url)))).text, 'Hi.');
});

test('a request that the engine finds too long is told to the caller in words that clients know', async () => {
  const words = "This model's maximum context length is 100 tokens, you requested 200.";
  const server = await upstream(
    (_got, response) => void response.writeHead(400).end(JSON.stringify({ error: { message: words } })),
  );
  await assert.rejects(chat(engineOf(routeTo('a', server.url))), (error: unknown) => {
    assert.ok(error instanceof Fault && error.fault === 'invalid_request');
    assert.match(error.message, /maximum context length/);
    assert.equal(error.options.param, 'messages');
    return true;
  });
});

test('a caller that leaves ends the call there, and pays for the time until then', async () => {
  let isEnded = false;
  const server = await upstream((_got, response) => {
    stream(response, [delta({ content: 'Once' })], { done: false });
    response.on('close', () => {
      isEnded = true;
    });
  });
  const engine = engineOf(routeTo('a', server.url));
  const leave = new AbortController();
  const { handle } = await engine.prepareChat(prompt, leave.signal);
  const run = engine.generate({ handle, sampling, cacheScope: 'ada', signal: leave.signal }, () => leave.abort());
  const { reason, activeMs } = await run;
  assert.equal(reason, 'cancelled');
  assert.ok(activeMs > 0);
  for (let n = 0; n < 3_000 && !isEnded; n += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(isEnded);
  assert.equal(engine.load('big').running, 0);
});

test('a caller that leaves before the call was sent pays nothing, and nothing is sent', async () => {
  const server = await upstream(answer);
  const engine = engineOf(routeTo('a', server.url));
  const leave = new AbortController();
  const { handle } = await engine.prepareChat(prompt, leave.signal);
  leave.abort();
  const run = engine.generate({ handle, sampling, cacheScope: 'ada', signal: leave.signal }, () => assert.fail());
  const { reason, activeMs } = await run;
  assert.deepEqual([reason, activeMs], ['cancelled', 0]);
  assert.deepEqual([server.got.length, engine.load('big').running], [0, 0]);
});

test('vLLM and SGLang count the prompt, keep the prefixes of accounts apart, and turn reasoning off by their template', async () => {
  const server = await upstream((got, response) => {
    if (got.path === '/tokenize') return void response.writeHead(200).end('{"count": 42, "tokens": []}');
    return answer(got, response);
  });
  for (const api of ['vllm', 'sglang'] as const) {
    const engine = engineOf(routeTo('a', server.url, { api }));
    const asked = { ...prompt, reasoningEffort: 'none' } as const;
    const { handle, promptTokens, maxContextTokens } = await engine.prepareChat(asked, signal());
    assert.deepEqual([promptTokens, maxContextTokens], [42, 100]);
    await engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal() }, () => {});
    const [, { body }] = server.got.splice(0) as [Got, Got];
    assert.deepEqual(body.chat_template_kwargs, { enable_thinking: false });
    assert.match(String(body.cache_salt), /^[\w-]{43}$/);
  }
});

test('an engine gets each setting under its own name, and a call with one that it lacks is refused by name', async () => {
  const server = await upstream(answer);
  const chosen = { topK: 40, minP: 0.1, repetitionPenalty: 1.2, logitBias: [{ token: 7, bias: -100 }] };
  const run = async (api: DialectName, more: Partial<Sampling>) => {
    const engine = engineOf(routeTo('a', server.url, { api }));
    const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 1 }, signal());
    const call = { handle, sampling: { ...sampling, ...more }, cacheScope: 'ada', signal: signal() };
    await engine.generate(call, () => {});
    return server.got.at(-1)?.body ?? {};
  };
  const named = { top_k: 40, min_p: 0.1, logit_bias: { 7: -100 } };
  for (const api of ['vllm', 'sglang', 'lmdeploy'] as const)
    assert.partialDeepStrictEqual(await run(api, chosen), { ...named, repetition_penalty: 1.2 });
  const llama = await run('llama-server', chosen);
  assert.partialDeepStrictEqual(llama, { ...named, repeat_penalty: 1.2, repeat_last_n: -1 });
  assert.equal(llama.repetition_penalty, undefined);
  const { logitBias, ...others } = chosen;
  assert.deepEqual((await run('openai', { logitBias })).logit_bias, { 7: -100 });
  const names = { topK: 'top_k', minP: 'min_p', repetitionPenalty: 'repetition_penalty' } as const;
  for (const [key, param] of Object.entries(names)) {
    const sent = server.got.length;
    const one = Object.fromEntries(Object.entries(others).filter(([name]) => name === key));
    const isRefused = (error: unknown) =>
      error instanceof Fault && error.fault === 'invalid_request' && error.options.param === param;
    await assert.rejects(run('openai', one), isRefused);
    assert.equal(server.got.length, sent);
  }
  const plain = await run('vllm', { topK: null, minP: 0, repetitionPenalty: 1, logitBias: [] });
  assert.deepEqual([plain.top_k, plain.min_p, plain.repetition_penalty, plain.logit_bias], Array(4).fill(undefined));
});

test('a top-p of 0 goes as the most likely token to engines that refuse it', async () => {
  const server = await upstream(answer);
  for (const [api, expected] of [
    ['vllm', [1, 1]],
    ['sglang', [1, 1]],
    ['openai', [0, undefined]],
  ] as const) {
    const engine = engineOf(routeTo('a', server.url, { api }));
    const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 1 }, signal());
    const greedy = { ...sampling, topP: 0 };
    await engine.generate({ handle, sampling: greedy, cacheScope: 'ada', signal: signal() }, () => {});
    const { top_p, top_k } = server.got.at(-1)?.body ?? {};
    assert.deepEqual([top_p, top_k], expected, api);
  }
});

test('an answer comes with the stop text that the engine names, streamed or whole', async () => {
  const choice = { index: 0, finish_reason: 'stop', stop_reason: 'END' };
  const server = await upstream(({ body }, response) =>
    body.stream
      ? stream(response, [delta({ content: 'Hi.' }), { choices: [{ ...choice, delta: {} }] }])
      : void response.writeHead(200).end(JSON.stringify({ choices: [{ ...choice, message: { content: 'Hi.' } }] })),
  );
  const engine = engineOf(routeTo('a', server.url, { api: 'vllm' }));
  for (const whole of [false, true])
    for (const [stop, expected] of [
      [['END'], 'END'],
      [[], null],
    ] as const) {
      const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 1 }, signal());
      const asked = { ...sampling, stop: [...stop] };
      const run = engine.generate({ handle, sampling: asked, cacheScope: 'ada', signal: signal(), whole }, () => {});
      assert.equal((await run).stopText, expected);
    }
});

test('a call that SGLang is to make keeps to the schema of its tool', async () => {
  const server = await upstream(answer);
  const tools = [{ name: 'weather', description: null, parameters: { type: 'object' } }];
  const named = { mode: 'named', name: 'weather' } as const;
  for (const [api, toolChoice, strict] of [
    ['sglang', { mode: 'required' }, true],
    ['sglang', named, true],
    ['sglang', { mode: 'auto' }, undefined],
    // OpenAI's own takes only some schemas with it.
    ['openai', named, undefined],
  ] as const) {
    const engine = engineOf(routeTo('a', server.url, { api }));
    const { handle } = await engine.prepareChat({ ...prompt, tools, toolChoice }, signal());
    await engine.generate({ handle, sampling, cacheScope: 'ada', signal: signal() }, () => {});
    // as: the fixture keeps bodies as they came.
    const sent = server.got.at(-1)?.body.tools as { function: { strict?: boolean } }[];
    assert.equal(sent[0]?.function.strict, strict);
  }
});
