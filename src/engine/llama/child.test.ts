import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChildDriver, finishedOf, userPrompt } from './child-driver.fixture.ts';
import { writeSmallModels } from './small-models.fixture.ts';

const { config, file, adapter, remove } = writeSmallModels();
const child = await ChildDriver.start(config);
after(async () => {
  if (child.process.connected) await child.stop();
  remove();
});

describe('generation', () => {
  test('the same request with the same seed writes the same text, alone and in company', async () => {
    const sampling = { temperature: 1, topP: 0.9, seed: 42 };
    const alone = await child.write(userPrompt('one'), sampling);
    const others = ['two', 'three', 'four'].map((content) => child.write(userPrompt(content), sampling));
    const inCompany = await child.write(userPrompt('one'), sampling);
    assert.equal(inCompany.content, alone.content);
    assert.notEqual((await child.write(userPrompt('one'), { ...sampling, seed: 43 })).content, alone.content);
    for (const other of await Promise.all(others)) assert.notEqual(other.content, alone.content);
  });

  test('without a seed each request draws its own', async () => {
    const sampling = { temperature: 1, seed: null };
    const [first, second] = await Promise.all([1, 2].map(() => child.write(userPrompt('one'), sampling)));
    assert.notEqual(first?.content, second?.content);
  });

  test('temperature 0 and top-p 0 are greedy, whatever the seed', async () => {
    const greedy = await child.write(userPrompt('one'), { seed: 1 });
    assert.equal((await child.write(userPrompt('one'), { seed: 2 })).content, greedy.content);
    assert.equal(
      (await child.write(userPrompt('one'), { temperature: 1.5, topP: 0, seed: 3 })).content,
      greedy.content,
    );
  });

  test('deltas arrive while the text is written, and add up to it', async () => {
    const { deltas, content, reply } = await child.write(userPrompt('tell'), { maxTokens: 600 });
    assert.ok(deltas.length > 5);
    assert.equal(deltas.map((delta) => ('text' in delta ? delta.text : '')).join(''), content);
    assert.equal(reply.type === 'finished' && reply.reason, 'length');
  });

  test('usage counts the prompt, what was written and what was cached; the last prompt token is evaluated again', async () => {
    const prompt = userPrompt('count the tokens of this prompt');
    const { reply } = await child.prepare(prompt);
    const promptTokens = reply.type === 'prepared' ? reply.promptTokens : 0;
    const first = finishedOf(await child.write(prompt, { maxTokens: 7 }, 'scope of usage'));
    assert.deepEqual(first.usage, { promptTokens, completionTokens: 7, reasoningTokens: 0, cachedTokens: 0 });
    const second = finishedOf(await child.write(prompt, { maxTokens: 7 }, 'scope of usage'));
    assert.equal(second.usage.cachedTokens, promptTokens - 1);
  });

  test('two conversations of one scope that take turns both stay cached', async () => {
    const conversations = ['a', 'b'].map((letter) => userPrompt(`${letter} long question. `.repeat(12)));
    for (const round of ['first', 'second', 'third']) {
      for (const conversation of conversations) {
        const { usage } = finishedOf(await child.write(conversation, { maxTokens: 7 }, 'scope of turns'));
        if (round === 'first') assert.ok(usage.cachedTokens < 20);
        else assert.equal(usage.cachedTokens, usage.promptTokens - 1);
      }
    }
  });

  test('a second turn finds its first turn cached, for its own scope only, and writes what it writes uncached', async () => {
    const question = userPrompt('first question of a conversation');
    const first = await child.write(question, {}, 'owner');
    const turn = userPrompt('x', {
      messages: [
        ...question.messages,
        { role: 'assistant', content: first.content, reasoning: null, toolCalls: [] },
        { role: 'user', content: 'second question' },
      ],
    });
    const stranger = await child.write(turn, {}, 'stranger');
    const owner = await child.write(turn, {}, 'owner');
    assert.equal(finishedOf(stranger).usage.cachedTokens, 0);
    assert.ok(finishedOf(owner).usage.cachedTokens > 50);
    assert.equal(owner.content, stranger.content);
  });

  test('a stop string ends the text in front of it', async () => {
    const whole = (await child.write(userPrompt('stop'))).content;
    const stop = whole.slice(30, 36);
    const written = await child.write(userPrompt('stop'), { stop: [stop] });
    assert.equal(written.content, whole.slice(0, whole.indexOf(stop)));
    const { reason, stopText } = finishedOf(written);
    assert.deepEqual([reason, stopText], ['stop', stop]);
    assert.equal(finishedOf(await child.write(userPrompt('stop'), { stop: ['not there'] })).stopText, null);
    assert.ok(finishedOf(written).usage.completionTokens < 40);
  });

  test('with top-k each token is one of so many of the most likely', async () => {
    const firsts = async (topK: number | null) => {
      const sampled = (seed: number) => ({ maxTokens: 1, temperature: 5, seed, topK });
      const texts = Array.from({ length: 30 }, (_, seed) => child.write(userPrompt('most likely'), sampled(seed)));
      return new Set((await Promise.all(texts)).map(({ deltas }) => JSON.stringify(deltas)));
    };
    const [one, two, any] = [await firsts(1), await firsts(2), await firsts(null)];
    assert.deepEqual([one.size, two.size], [1, 2]);
    assert.ok(one.isSubsetOf(two) && any.size > 10);
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const formed = userPrompt('most likely', { responseFormat: { type: 'json_schema', schema } });
    for (let seed = 1; seed <= 10; seed += 1) {
      // What its form allows need not be among the most likely tokens of all.
      const { content } = await child.write(formed, { maxTokens: 150, temperature: 1, seed, topK: 2 });
      assert.equal(typeof JSON.parse(content).n, 'number');
    }
  });

  test('a bias of 100 forces a token and one of -100 bans it, within the form of an answer', async () => {
    const forced = { maxTokens: 8, logitBias: [{ token: 70, bias: 100 }] };
    const [first] = (await child.write(userPrompt('bias'), { ...forced, maxTokens: 1 })).content;
    assert.equal((await child.write(userPrompt('bias'), forced)).content, first?.repeat(8));
    const [likeliest = ''] = (await child.write(userPrompt('bias'))).content;
    const banned = Array.from({ length: 300 }, (_, token) => ({ token, bias: -100 }));
    for (let at = 0; ; at += 1) {
      const logitBias = banned.slice(at, at + 1);
      assert.ok(logitBias.length > 0, 'the likeliest token can be banned');
      const { content } = await child.write(userPrompt('bias'), { maxTokens: 1, logitBias });
      if (!content.startsWith(likeliest)) break;
    }
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const formed = userPrompt('bias', { responseFormat: { type: 'json_schema', schema } });
    const { content } = await child.write(formed, {
      maxTokens: 150,
      temperature: 1,
      seed: 1,
      logitBias: banned,
    });
    assert.equal(typeof JSON.parse(content).n, 'number');
    const { handle } = await child.prepare(userPrompt('bias'));
    const { reply } = await child.generate(handle, { logitBias: [{ token: 1_000_000, bias: 1 }] }).done;
    assert.partialDeepStrictEqual(reply, { type: 'failed', fault: 'invalid_request', param: 'logit_bias' });
  });

  test('with min-p 1 only the likeliest token is drawn, and a repetition penalty counts the prompt', async () => {
    const hot = { maxTokens: 20, temperature: 1.5, seed: 3 };
    const likeliest = (await child.write(userPrompt('min-p'), { maxTokens: 20 })).content;
    assert.equal((await child.write(userPrompt('min-p'), { ...hot, minP: 1 })).content, likeliest);
    assert.notEqual((await child.write(userPrompt('min-p'), hot)).content, likeliest);
    const plain = await child.write(userPrompt('a a a a a a'), { maxTokens: 20 });
    const penalised = await child.write(userPrompt('a a a a a a'), { maxTokens: 20, repetitionPenalty: 2 });
    assert.notEqual(plain.content, penalised.content);
  });

  test('a full context ends the text with reason length', async () => {
    const { usage, reason } = finishedOf(await child.write(userPrompt('a'.repeat(950)), { maxTokens: 500 }));
    assert.equal(reason, 'length');
    assert.equal(usage.promptTokens + usage.completionTokens, config.maxContextTokens);
  });

  test('a frequency penalty makes greedy text vary', async () => {
    const plain = await child.write(userPrompt('vary'), { maxTokens: 100 });
    const varied = await child.write(userPrompt('vary'), { maxTokens: 100, presencePenalty: 2, frequencyPenalty: 2 });
    const words = (content: string) => new Set(content.split(' ')).size;
    assert.ok(words(varied.content) > words(plain.content));
  });

  test('a JSON schema is kept, token by token', async () => {
    const schema = {
      type: 'object',
      properties: { size: { enum: ['small', 'large'] }, sure: { type: 'boolean' } },
      required: ['size', 'sure'],
      additionalProperties: false,
    };
    const written = await child.write(userPrompt('x', { responseFormat: { type: 'json_schema', schema } }), {
      maxTokens: 200,
    });
    const value: unknown = JSON.parse(written.content);
    assert.ok(typeof value === 'object' && value !== null && 'size' in value && 'sure' in value);
    assert.equal(finishedOf(written).reason, 'stop');
  });

  test('a forced tool is called with arguments of its schema, without a word around it', async () => {
    const parameters = {
      type: 'object',
      properties: { unit: { enum: ['km', 'mile'] } },
      required: ['unit'],
      additionalProperties: false,
    };
    const tools = ['convert', 'other'].map((name) => ({ name, description: null, parameters }));
    const written = await child.write(
      userPrompt('x', { tools, toolChoice: { mode: 'named', name: 'convert' }, parallelToolCalls: false }),
      { maxTokens: 300 },
    );
    assert.equal(finishedOf(written).reason, 'tool_calls');
    const [call] = written.deltas;
    assert.ok(written.deltas.length === 1 && call?.type === 'tool_call' && call.name === 'convert');
    assert.match(call.arguments, /^\{"unit":"(km|mile)"\}$/);
  });

  test('time is shared: the requests of a batch together take no more than passes on the clock', async () => {
    const beganMs = performance.now();
    const written = await Promise.all(['p', 'q', 'r', 's'].map((content) => child.write(userPrompt(content))));
    const elapsedMs = performance.now() - beganMs;
    const activeMs = written.map((one) => finishedOf(one).activeMs);
    assert.ok(activeMs.every((ms) => ms > 0));
    assert.ok(activeMs.reduce((sum, ms) => sum + ms) <= elapsedMs);
  });
});

describe('requests', () => {
  test('a cancelled request ends at once, its neighbours go on', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((content) => child.prepare(userPrompt(content))));
    const cancelled = child.generate(one?.handle ?? '', { maxTokens: 400 });
    const neighbour = child.generate(two?.handle ?? '', { maxTokens: 60 });
    child.send({ type: 'cancel', id: cancelled.id });
    child.send({ type: 'cancel', id: cancelled.id });
    const end = finishedOf(await cancelled.done);
    assert.equal(end.reason, 'cancelled');
    assert.ok(end.usage.completionTokens < 400);
    assert.equal(finishedOf(await neighbour.done).usage.completionTokens, 60);
  });

  test('a released or unknown prompt is refused', async () => {
    const { handle } = await child.prepare(userPrompt('x'));
    child.send({ type: 'release', handle });
    const { reply } = await child.generate(handle).done;
    assert.equal(reply.type === 'failed' && reply.fault, 'invalid_request');
  });

  test('a grammar that llama.cpp does not take is refused when the prompt is prepared', async () => {
    const whole = { atStart: 'root ::= (', afterReasoning: 'root ::= (' };
    const { reply } = await child.prepare(userPrompt('x'), { whole, calls: null });
    assert.equal(reply.type === 'failed' && reply.fault, 'invalid_request');
  });
});

describe('lease', () => {
  test('steps run only under a grant, and stop at a yield', async () => {
    await child.notice((message) => message.type === 'lease_back');
    const { handle } = await child.prepare(userPrompt('lease'));
    child.grants = false;
    const before = child.notices.filter((message) => message.type === 'lease_back').length;
    const backs = () => child.notices.filter((message) => message.type === 'lease_back').length - before;
    const { done } = child.generate(handle, { maxTokens: 400 });
    let over = false;
    void done.then(() => {
      over = true;
    });
    await sleep(60);
    child.send({ type: 'grant' });
    child.send({ type: 'yield' });
    while (backs() < 1) await sleep(5);
    await sleep(60);
    assert.equal(over, false);
    child.send({ type: 'grant' });
    await done;
    while (backs() < 2) await sleep(5);
    child.send({ type: 'grant' });
    while (backs() < 3) await sleep(5);
    child.grants = true;
  });
});

describe('process', () => {
  test('a model that cannot be loaded is told with its reason, and the process ends', async () => {
    const reasons = { [file('nowhere.gguf')]: /nowhere\.gguf/, [adapter('no model', 1, 1).path]: /key not found/ };
    for (const [ggufPath, reason] of Object.entries(reasons)) {
      const failed = await ChildDriver.start({ ...config, ggufPath });
      const notice = failed.notices.find((message) => message.type === 'load_failed');
      assert.match(notice?.type === 'load_failed' ? notice.message : '', reason);
      assert.deepEqual(await failed.exited, [1, null]);
    }
  });

  test('the process ends when its channel closes in the middle of work, and ignores signals to the group', async () => {
    const orphan = await ChildDriver.start({ ...config, maxContextTokens: 4096 });
    const { handle } = await orphan.prepare(userPrompt('a'.repeat(3000)));
    const { done } = orphan.generate(handle, { maxTokens: 1000 });
    void done.catch(() => {});
    orphan.process.kill('SIGINT');
    orphan.process.kill('SIGTERM');
    await sleep(50);
    assert.equal(orphan.process.exitCode, null);
    orphan.process.disconnect();
    await orphan.exited;
  });

  test('an engine that is killed leaves its compiled modules to the next one', async () => {
    const compiled = file('compiled');
    const other = await ChildDriver.start(config, { UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: compiled });
    await other.prepare(userPrompt('one'));
    other.process.kill('SIGKILL');
    await other.exited;
    assert.ok(readdirSync(compiled, { recursive: true }).length > 10);
  });

  test('native work on several threads gives the same text', async () => {
    // What a child has cached decides how much it computes at once, and so the last digits of its numbers.
    const fresh = [await ChildDriver.start(config), await ChildDriver.start(config, {})];
    try {
      const sampling = { temperature: 1, topP: 0.9, seed: 42 };
      const [one, several] = await Promise.all(fresh.map((each) => each.write(userPrompt('one'), sampling)));
      assert.equal(several?.content, one?.content);
    } finally {
      await Promise.all(fresh.map((each) => each.stop()));
    }
  });
});
