import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import type { Sampling, TokenLogprob } from '../port.ts';
import { ChildDriver, smallConfig, userPrompt, type Written } from './child-driver.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-logprobs-'));
const ggufPath = join(folder, 'text.gguf');
writeRandomModel(ggufPath, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false });
let child: ChildDriver;
before(async () => {
  child = await ChildDriver.start({ ...smallConfig, ggufPath });
});
after(async () => {
  await child.stop();
  rmSync(folder, { recursive: true });
});

const write = (sampling: Partial<Sampling>, more = {}) =>
  child.write(userPrompt('What is likely?', more), { logprobs: 5, ...sampling }, crypto.randomUUID());
const tokensOf = ({ deltas }: Written): TokenLogprob[] =>
  deltas.flatMap((delta) => (delta.type === 'content' ? (delta.logprobs ?? []) : []));
const textOf = (tokens: TokenLogprob[]) => Buffer.from(tokens.flatMap(({ bytes }) => bytes)).toString();

test('the tokens of an answer have the bytes of its text, and a greedy one is the likeliest', async () => {
  const written = await write({});
  const tokens = tokensOf(written);
  assert.equal(tokens.length, 40);
  assert.ok(textOf(tokens).startsWith(written.content));
  for (const { top, ...own } of tokens) {
    assert.deepEqual(top[0], own);
    assert.equal(top.length, 5);
    assert.deepEqual(
      top.map(({ logprob }) => logprob),
      top.map(({ logprob }) => logprob).toSorted((a, b) => b - a),
    );
    assert.ok(top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0) <= 1.000_01);
  }
});

test('all tokens of the model together have the probability 1', async () => {
  const [first] = tokensOf(await write({ logprobs: 100_000, maxTokens: 5 }));
  const sum = first?.top.reduce((all, { logprob }) => all + Math.exp(logprob), 0) ?? 0;
  assert.ok(Math.abs(sum - 1) < 1e-4, String(sum));
});

test('log probabilities are those of the model, whatever the settings, and reading them changes no answer', async () => {
  const [plain] = tokensOf(await write({}));
  const chosen = { maxTokens: 30, temperature: 1.5, seed: 4, topK: 3, presencePenalty: 1, minP: 0.01 };
  const set = await write({ ...chosen, logitBias: [{ token: 70, bias: 3 }] });
  assert.deepEqual(tokensOf(set)[0]?.top, plain?.top);
  const unread = await child.write(
    userPrompt('What is likely?'),
    { ...chosen, logitBias: [{ token: 70, bias: 3 }] },
    'unread',
  );
  assert.equal(unread.content, set.content);
  assert.deepEqual(tokensOf(unread), []);
  assert.deepEqual(
    tokensOf(await write({ logprobs: 0 })).map(({ top }) => top),
    Array(40).fill([]),
  );
});

test('an answer in a form has the log probabilities of what it says, and one with a stop text none behind it', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const formed = await write({ maxTokens: 150 }, { responseFormat: { type: 'json_schema', schema } });
  assert.equal(textOf(tokensOf(formed)), formed.content);
  const whole = (await write({})).content;
  const stop = whole.slice(20, 24);
  const stopped = await write({ stop: [stop] });
  const text = textOf(tokensOf(stopped));
  assert.ok(text.startsWith(stopped.content) && text.length - stopped.content.length < 12, JSON.stringify(text));
});
