import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Fault } from '#kernel';
import { smallShape, specialTokens, writeRandomModel } from '#test/random-model.ts';
import { never } from '#test/scripted-engine.ts';
import { noGrammars } from '../text/grammar.ts';
import { PromptReader } from '../tokens/prompt-reader.ts';
import { openModel } from './binding.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';
import { createPromptMaker } from './prompts.ts';
import { createVocabulary } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-infill-'));
const [coder, chatty] = [join(folder, 'coder.gguf'), join(folder, 'chatty.gguf')];
const shared = { shape: smallShape, seed: 3, kind: 'text', spread: 0.2, ends: true } as const;
const names = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>', '<|fim_pad|>'];
// A template that cannot be read is as good as none: no prompt here needs one.
const special = [...specialTokens, ...names.map((name) => [name, 3] as const)];
writeRandomModel(coder, { ...shared, special, template: '{% broken' });
writeRandomModel(chatty, shared);

const open = (path: string) => openModel({ path, gpu: false, maxThreads: 1, vocabOnly: true });
const model = await open(coder);
const other = await open(chatty);
const vocabulary = createVocabulary(model);
const [opening, behind, middle, pad] = names.map((name) => vocabulary.find(name) ?? assert.fail(name));
const reader = new PromptReader({ environment: process.env, log: () => {} });
let child: ChildDriver;

before(async () => {
  child = await ChildDriver.start({ ...smallConfig, ggufPath: coder });
});

after(async () => {
  await child?.stop();
  await Promise.all([model.dispose(), other.dispose(), reader.close()]);
  rmSync(folder, { recursive: true });
});

const makerOf = (opened: typeof model) => createPromptMaker(opened, createVocabulary(opened), () => new Date());
const isRefused = (error: unknown) =>
  error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'suffix';

test('a prompt has the tokens of prefix and suffix between those of the model, and none for names of tokens in them', async () => {
  const prefix = '  def add(a, b):\n    return <|fim_suffix|><|im_end|>';
  const suffix = '\n\nprint(add(1, 2))<|fim_middle|> ';
  const prompt = userPrompt(prefix, { suffix });
  const { facts, format } = makerOf(model).chat(prompt, noGrammars);
  const plain = (text: string) => [...vocabulary.tokenize(text, false)];
  const expected = [opening, ...plain(prefix), behind, ...plain(suffix), middle];
  assert.deepEqual([...facts.tokens], expected);
  assert.deepEqual([facts.reasons, facts.startsInReasoning, format.reasoning], [false, false, null]);
  // Where large prompts are read.
  const read = await reader.chat(prompt, { ggufPath: coder, maxContextTokens: 1_000 }, never);
  assert.deepEqual([...read.tokens], expected);
  const few = reader.chat(prompt, { ggufPath: coder, maxContextTokens: 40 }, never);
  await assert.rejects(few, /maximum context length/);
});

test('parts may be empty', () => {
  const { facts } = makerOf(model).chat(userPrompt('', { suffix: 'b' }), noGrammars);
  assert.deepEqual([...facts.tokens], [opening, behind, ...vocabulary.tokenize('b', false), middle]);
});

test('a model without these tokens refuses the suffix, wherever it is read', async () => {
  const prompt = userPrompt('a', { suffix: 'b' });
  assert.throws(() => makerOf(other).chat(prompt, noGrammars), isRefused);
  await assert.rejects(reader.chat(prompt, { ggufPath: chatty, maxContextTokens: 1_000 }, never), isRefused);
});

test('the answer is the text as it is: blanks in front, tags of reasoning, and no end but that of the model', async () => {
  const think = vocabulary.find('<think>') ?? assert.fail();
  const lineEnd = vocabulary.tokenize('\n', false)[0] ?? assert.fail();
  for (const [token, text] of [
    [think, '<think>'],
    [lineEnd, '\n'],
  ] as const) {
    const sampling = { maxTokens: 3, logitBias: [{ token, bias: 100 }] };
    const written = await child.write(userPrompt('a', { suffix: 'b' }), sampling);
    assert.deepEqual([written.content, written.reasoning], [text.repeat(3), '']);
    const { reason, usage } = finishedOf(written);
    assert.deepEqual([reason, usage.promptTokens, usage.completionTokens, usage.reasoningTokens], ['length', 5, 3, 0]);
  }
});

test('the token that pads ends the answer as an end token does', async () => {
  const sampling = { maxTokens: 3, logitBias: [{ token: pad ?? assert.fail(), bias: 100 }] };
  const written = await child.write(userPrompt('a', { suffix: 'b' }), sampling);
  assert.deepEqual([written.content, finishedOf(written).reason], ['', 'stop']);
});

test('a stop text ends it, and is not part of it', async () => {
  const token = vocabulary.tokenize('x', false)[0] ?? assert.fail();
  const sampling = { maxTokens: 9, logitBias: [{ token, bias: 100 }], stop: ['xxx'] };
  const written = await child.write(userPrompt('a', { suffix: 'b' }), sampling);
  assert.deepEqual([written.content, finishedOf(written).stopText], ['', 'xxx']);
});
