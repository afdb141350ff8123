import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { ChatMessage, ToolDefinition } from '#engine';
import { chatPrompt } from '#test/scripted-engine.ts';
import { type NativeContext, type NativeModel, openModel } from '../../src/engine/llama/binding.ts';
import { normalised } from '../../src/engine/llama/embedding-runner.ts';
import { lastLogits } from '../../src/engine/llama/raw-outputs.fixture.ts';
import { createVocabulary, type Vocabulary } from '../../src/engine/llama/vocabulary.ts';
import { compileChatTemplate, renderChat } from '../../src/engine/text/template.ts';

/** The served files against the Hugging Face form of the same models, whose outputs the trainer wrote down. */
const models = new URL('../../models/', import.meta.url);
const names = ['tiny-chat', 'tiny-embed'] as const;
type Name = (typeof names)[number];

let open: Record<Name, { model: NativeModel; vocabulary: Vocabulary }>;

before(async () => {
  const load = async (name: Name) => {
    const path = fileURLToPath(new URL(`${name}/${name}.gguf`, models));
    const model = await openModel({ path, gpu: false, maxThreads: 1 });
    return { model, vocabulary: createVocabulary(model) };
  };
  open = { 'tiny-chat': await load('tiny-chat'), 'tiny-embed': await load('tiny-embed') };
});

after(async () => {
  for (const name of names) await open[name].model.dispose();
});

/** Our own files: a field that is missing fails in the assertions on it. */
function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, models), 'utf8')) as T;
}

function cosine(a: Float32Array, b: Float32Array): number {
  assert.equal(a.length, b.length);
  let [dot, aa, bb] = [0, 0, 0];
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? Number.NaN;
    dot += value * other;
    aa += value * value;
    bb += other * other;
  }
  return dot / Math.sqrt(aa * bb);
}

async function withContext<T>(name: Name, work: (context: NativeContext) => Promise<T>): Promise<T> {
  // Room for the longest reference in one batch.
  const shape = { sequences: 1, contextTokens: 1024, batchTokens: 1024, threads: 1, embeddings: name === 'tiny-embed' };
  const context = await open[name].model.createContext(shape);
  try {
    return await work(context);
  } finally {
    await context.dispose();
  }
}

type OddText = { text: string; parse_special: boolean } & Record<Name, number[]>;

function oddTexts(): OddText[] {
  const lines = gunzipSync(readFileSync(new URL('tokenizer-fuzz.jsonl.gz', models))).toString();
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

for (const name of names)
  test(`${name}: thousands of odd texts become the token ids that the tokenizers library gives`, () => {
    const { vocabulary } = open[name];
    const texts = oddTexts();
    assert.ok(texts.length >= 2000);
    for (const { text, parse_special, [name]: ids } of texts)
      assert.deepEqual([...vocabulary.tokenize(text, parse_special)], ids, JSON.stringify(text));
    const used = new Set(texts.flatMap((row) => row[name]));
    assert.ok(used.size > 300, `the texts use ${used.size} different tokens only`);
  });

test('tokens give back the bytes of the text that they came from', () => {
  for (const name of names) {
    const { vocabulary } = open[name];
    for (const { text } of oddTexts()) {
      const bytes = [...vocabulary.tokenize(text, false)].map(vocabulary.bytesOf);
      assert.equal(Buffer.concat(bytes).toString(), text);
    }
  }
});

type ChatReference = { text: string; ids: number[]; logits: string };

test('tiny-chat: whole prompts become the same tokens, and the logits behind them agree', async (t) => {
  const references = readJson<ChatReference[]>('tiny-chat/reference.json');
  assert.ok(references.length >= 10);
  const { model, vocabulary } = open['tiny-chat'];
  const worst = await withContext('tiny-chat', async (context) => {
    let least = 1;
    let sameBest = 0;
    for (const { text, ids, logits } of references) {
      assert.deepEqual([...vocabulary.tokenize(text, true)], ids, text);
      const expected = floatsOf(logits);
      const got = await lastLogits(model, context, Uint32Array.from(ids));
      least = Math.min(least, cosine(got, expected));
      if (indexOfBest(got) === indexOfBest(expected)) sameBest += 1;
    }
    // Weights are stored in 16 bits or less in the served file: only a very close choice may turn.
    assert.ok(sameBest >= references.length - 1, `${sameBest} of ${references.length} have the same best token`);
    return least;
  });
  t.diagnostic(`worst cosine of logits: ${worst.toFixed(6)}`);
  assert.ok(worst >= 0.999, `cosine ${worst}`);
});

type EmbedReference = { text: string; ids: number[]; embedding: number[] };

test('tiny-embed: texts become the same tokens with the end token, and their vectors agree', async (t) => {
  const references = readJson<EmbedReference[]>('tiny-embed/reference.json');
  assert.ok(references.length >= 10);
  const { vocabulary } = open['tiny-embed'];
  const worst = await withContext('tiny-embed', async (context) => {
    let least = 1;
    for (const { text, ids, embedding } of references) {
      const tokens = vocabulary.inputFrame().tokenize(text);
      assert.deepEqual([...tokens], ids, text);
      const got = await vectorOf(context, tokens);
      least = Math.min(least, cosine(got, Float32Array.from(embedding)));
    }
    return least;
  });
  t.diagnostic(`worst cosine of vectors: ${worst.toFixed(6)}`);
  assert.ok(worst >= 0.999, `cosine ${worst}`);
});

async function vectorOf(context: NativeContext, tokens: Uint32Array): Promise<Float32Array> {
  context.disposeSequence(0);
  context.initBatch(tokens.length);
  context.addToBatch(
    0,
    0,
    tokens,
    Uint32Array.from(tokens, (_, place) => place),
  );
  await context.decodeBatch();
  return normalised(context.getEmbedding(tokens.length));
}

function floatsOf(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function indexOfBest(values: Float32Array): number {
  return values.reduce((best, value, at) => (value > (values[best] ?? -Infinity) ? at : best), 0);
}

type WireMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: string;
  reasoning_content?: string;
  tool_calls?: ({ function?: WireFunction } & Partial<WireFunction>)[];
};
type WireFunction = { name: string; arguments: unknown };
type WireTool = { function: { name: string; description?: string; parameters?: Record<string, unknown> } };
type Golden = {
  name: string;
  input: {
    messages: WireMessage[];
    tools?: WireTool[];
    add_generation_prompt?: boolean;
    enable_thinking?: boolean;
  };
  expected: string;
};

test('tiny-chat: the template in the file renders the golden conversations of its generator byte for byte', () => {
  const { model, vocabulary } = open['tiny-chat'];
  assert.ok(model.facts.chatTemplate !== null);
  const template = compileChatTemplate({
    source: model.facts.chatTemplate,
    controlTokens: vocabulary.controlTexts,
    bosToken: vocabulary.bosText,
    eosToken: vocabulary.eosText,
    now: () => new Date(0),
  });
  const lines = readFileSync(new URL('../../demo-models/tests/golden/template.jsonl', import.meta.url), 'utf8');
  // Finished chats are rendered for training only; the engine always asks for the model's turn.
  const prompts = lines
    .trimEnd()
    .split('\n')
    .map((line): Golden => JSON.parse(line))
    .filter(({ input }) => input.add_generation_prompt);
  assert.ok(prompts.length >= 15);
  for (const { name, input, expected } of prompts) {
    const prompt = {
      ...chatPrompt('tiny-chat', ''),
      messages: input.messages.map(toMessage),
      tools: (input.tools ?? []).map(toTool),
      reasoningEffort: input.enable_thinking === undefined ? null : input.enable_thinking ? 'high' : 'none',
    } as const;
    assert.equal(renderChat(template, prompt).text, expected, name);
  }
});

function toMessage({ role, content = '', reasoning_content, tool_calls = [] }: WireMessage): ChatMessage {
  if (role === 'tool') return { role, content, toolCallId: 'call_1' };
  if (role !== 'assistant') return { role, content };
  const toolCalls = tool_calls.map(({ function: inner, ...outer }, index) => {
    const call = inner ?? outer;
    const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    return { id: `call_${index}`, name: call.name ?? '', arguments: args };
  });
  return { role, content, reasoning: reasoning_content ?? null, toolCalls };
}

function toTool({ function: { name, description, parameters } }: WireTool): ToolDefinition {
  return { name, description: description ?? null, parameters: parameters ?? null };
}
