import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault } from '#kernel';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { chatPrompt, greedy, isAlive, never, until } from '#test/scripted-engine.ts';
import { createEngine } from './engine.ts';
import type { ChatMessage, Delta, EngineModel, Finished, Sampling } from './port.ts';

/** The real child with real models: the two tiny ones, and one with random weights that never ends by itself. */
const folder = mkdtempSync(join(tmpdir(), 'fanfold-engine-'));
const endlessPath = join(folder, 'endless.gguf');
writeRandomModel(endlessPath, { shape: smallShape, seed: 7, kind: 'text', spread: 0.3, ends: false });

const tiny = (id: string, kind: EngineModel['kind'], maxContextTokens: number): EngineModel => ({
  id,
  kind,
  ggufPath: fileURLToPath(new URL(`../../models/${id}/${id}.gguf`, import.meta.url)),
  maxContextTokens,
});
const models: EngineModel[] = [
  tiny('tiny-chat', 'text', 4096),
  tiny('tiny-embed', 'embedding', 512),
  { id: 'endless', kind: 'text', ggufPath: endlessPath, maxContextTokens: 4096 },
];

const readyPids = new Map<unknown, number[]>();
const engine = createEngine({
  models: () => models,
  log: (_level, message, fields) => {
    if (message !== 'Model ready') return;
    readyPids.set(fields['model'], [...(readyPids.get(fields['model']) ?? []), Number(fields['childPid'])]);
  },
});
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content, reasoning: null, toolCalls: [] });

type Asked = { text: string; deltas: number; promptTokens: number; finished: Finished };

async function ask(
  modelId: string,
  messages: ChatMessage[],
  options: Partial<Sampling> & { scope?: string; signal?: AbortSignal; onDelta?: () => void } = {},
): Promise<Asked> {
  const { scope = 'a', signal = never, onDelta, ...sampling } = options;
  const prompt = { ...chatPrompt(modelId, ''), messages, reasoningEffort: 'none' as const };
  const { handle, promptTokens } = await engine.prepareChat(prompt, signal);
  let text = '';
  let deltas = 0;
  const take = (delta: Delta) => {
    if (delta.type !== 'tool_call') text += delta.text;
    deltas += 1;
    onDelta?.();
  };
  const generation = { handle, sampling: { ...greedy, ...sampling }, cacheScope: scope, signal };
  const finished = await engine.generate(generation, take);
  return { text, deltas, promptTokens, finished };
}

async function embed(texts: string[]): Promise<Float32Array[]> {
  const inputs = { target: { baseModelId: 'tiny-embed', adapter: null }, texts, maxInputTokens: 512, truncate: false };
  const { handle } = await engine.prepareEmbedding(inputs, never);
  const { vectors, activeMs } = await engine.embed({ handle, signal: never });
  assert.ok(activeMs > 0);
  return vectors;
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  assert.ok(a && b);
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}

test('the tiny model answers in a stream, the same again when greedy, with usage and active time', async () => {
  const first = await ask('tiny-chat', [user('Hello!')]);
  assert.ok(first.text.length > 0);
  assert.equal(first.finished.usage.promptTokens, first.promptTokens);
  assert.ok(first.finished.usage.completionTokens > 0);
  assert.ok(first.finished.activeMs > 0);
  const again = await ask('tiny-chat', [user('Hello!')]);
  assert.equal(again.text, first.text);
  const long = await ask('endless', [user('Tell me')], { maxTokens: 240 });
  assert.ok(long.deltas > 6, 'the answer comes in pieces');
  assert.equal(long.finished.reason, 'length');
  assert.equal(long.finished.usage.completionTokens, 240);
});

test('eight callers at once get the answers that each would get alone', async () => {
  const questions = Array.from({ length: 8 }, (_, i) => [user(`What is ${i} plus 3?`)]);
  const alone: string[] = [];
  for (const question of questions) alone.push((await ask('tiny-chat', question, { scope: 'alone' })).text);
  const together = await Promise.all(questions.map((question) => ask('tiny-chat', question, { scope: 'together' })));
  const equal = together.filter(({ text }, i) => text === alone[i]).length;
  // Sums in batches of other sizes round differently, which may turn a close choice; mixed-up callers would turn most.
  assert.ok(equal >= 6, `only ${equal} answers are equal`);
});

test('the second turn of a conversation reuses the first, and another account reuses nothing', async () => {
  const first = await ask('tiny-chat', [user('Hello! Who are you, and what can you do for me today?')], { scope: 'x' });
  assert.equal(first.finished.usage.cachedTokens, 0);
  const turn = [user('Hello! Who are you, and what can you do for me today?'), assistant(first.text), user('Thanks.')];
  const second = await ask('tiny-chat', turn, { scope: 'x' });
  assert.ok(second.finished.usage.cachedTokens >= 10, `only ${second.finished.usage.cachedTokens} tokens were reused`);
  const stranger = await ask('tiny-chat', turn, { scope: 'y' });
  assert.equal(stranger.finished.usage.cachedTokens, 0);
  assert.equal(stranger.text, second.text);
});

test('a caller that leaves ends its generation, and its time is metered', async () => {
  const caller = new AbortController();
  let deltas = 0;
  const { finished } = await ask('endless', [user('Go on')], {
    maxTokens: 4_000,
    signal: caller.signal,
    onDelta: () => {
      deltas += 1;
      if (deltas !== 5) return;
      caller.abort();
    },
  });
  assert.equal(finished.reason, 'cancelled');
  assert.ok(finished.activeMs > 0);
  // What this process does not get round to saying, the engine does not hear.
  assert.ok(finished.usage.completionTokens < 3_000);
});

test('vectors have length one, equal texts equal vectors, and a paraphrase is nearer than a stranger', async () => {
  const [one, same] = await embed(['How do I reset my password?', 'How do I reset my password?']);
  const [near, far] = await embed(['I want to reset my password.', 'The ship sails at dawn.']);
  assert.ok(Math.abs(dot(one, one) - 1) < 1e-5);
  assert.ok(dot(one, same) > 0.9999);
  assert.ok(dot(one, near) > dot(one, far), `${dot(one, near)} against ${dot(one, far)}`);
});

test('chat and embeddings at the same time both finish', async () => {
  const chats = Array.from({ length: 3 }, () => ask('endless', [user('Go on')], { maxTokens: 200 }));
  const vectors = await Promise.all(Array.from({ length: 10 }, (_, i) => embed([`text number ${i}`])));
  assert.equal(vectors.length, 10);
  for (const { finished } of await Promise.all(chats)) assert.equal(finished.reason, 'length');
});

test('kill -9 of the child under load fails what ran, and the model answers again', async () => {
  let deltas = 0;
  const running = Array.from({ length: 6 }, () =>
    ask('endless', [user('Go on')], { maxTokens: 4_000, onDelta: () => (deltas += 1) }),
  );
  const outcomes = Promise.allSettled(running);
  await until(() => deltas > 12);
  const pid = readyPids.get('endless')?.at(-1) ?? 0;
  process.kill(pid, 'SIGKILL');
  for (const outcome of await outcomes) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Fault);
    assert.equal(outcome.reason.fault, 'generation_failed');
  }
  assert.equal((await ask('endless', [user('Go on')], { maxTokens: 5 })).finished.usage.completionTokens, 5);
  assert.notEqual(readyPids.get('endless')?.at(-1), pid);
  assert.equal(isAlive(pid), false);
});

test('a signal to the whole process group does not end a child at work', async () => {
  let deltas = 0;
  const running = ask('endless', [user('Go on')], { maxTokens: 400, onDelta: () => (deltas += 1) });
  await until(() => deltas > 3);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(readyPids.get('endless')?.at(-1) ?? 0, signal);
  assert.equal((await running).finished.reason, 'length');
});

test('a damaged file is refused, its reason is in the status, and the repaired file is served', async () => {
  const path = join(folder, 'damaged.gguf');
  const write = () => writeRandomModel(path, { shape: smallShape, seed: 8, kind: 'text', spread: 0.3, ends: false });
  write();
  truncateSync(path, 100_000);
  models.push({ id: 'damaged', kind: 'text', ggufPath: path, maxContextTokens: 512 });
  await assert.rejects(
    ask('damaged', [user('Hi')]),
    (error) => error instanceof Fault && error.fault === 'capacity_unavailable',
  );
  assert.equal(engine.status('damaged').status, 'failed');
  assert.ok(String(engine.status('damaged').error).length > 10);
  write();
  assert.equal((await ask('damaged', [user('Hi')], { maxTokens: 3 })).finished.usage.completionTokens, 3);
});

test('kill -9 of the server ends a child at work', async () => {
  const program = `
    import { createEngine } from ${JSON.stringify(import.meta.resolve('./engine.ts'))};
    import { chatPrompt, greedy, never } from ${JSON.stringify(import.meta.resolve('#test/scripted-engine.ts'))};
    let pid;
    const engine = createEngine({
      models: () => [${JSON.stringify({ id: 'm', kind: 'text', ggufPath: endlessPath, maxContextTokens: 4096 })}],
      log: (level, message, fields) => { if (message === 'Model ready') pid = fields.childPid; },
    });
    const { handle } = await engine.prepareChat(chatPrompt('m', 'Go on'), never);
    const sampling = { ...greedy, maxTokens: 4000 };
    let said = false;
    await engine.generate({ handle, sampling, cacheScope: 'a', signal: never }, () => {
      if (!said) console.log(pid);
      said = true;
    });`;
  const server = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<string>((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk))));
  server.kill('SIGKILL');
  await until(() => !isAlive(Number(pid)));
});
