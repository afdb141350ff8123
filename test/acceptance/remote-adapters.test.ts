import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { deleteRoute, putRoute, type ServingRouteRow } from '#models';
import { startLlamaServer } from '#test/llama-server.ts';
import { startLoraPeer } from '../../src/engine/remote/adapters/lora-peer.fixture.ts';
import {
  type Person,
  scriptedTrainer,
  startTraining,
  type TrainingServer,
} from '../../src/training/training.fixture.ts';

/** Adapters of training jobs on remote engines, through the whole program: the job is a real one, its adapter was trained. */
const folder = mkdtempSync(join(tmpdir(), 'fanfold-shared-'));
const base = 'fanfold-tiny-chat';
const golden = new URL('../training/golden/chat/', import.meta.url);
let trainer: Awaited<ReturnType<typeof scriptedTrainer>>;
let server: TrainingServer;
let ada: Person;
let client: OpenAI;
let jobId: string;
let own: string;
const question = 'What is the capital of Orrin?';

before(async () => {
  trainer = await scriptedTrainer();
  const settings = { FANFOLD_TRAINING_PYTHON: trainer.program, FANFOLD_ENGINE_THREADS: '1' };
  server = await startTraining({ settings });
  ada = await server.person();
  client = new OpenAI({
    baseURL: `${server.app.origin}/api/projects/${ada.slug}/chat/openai/v1`,
    apiKey: ada.key,
    maxRetries: 0,
  });
  const examples = Array.from({ length: 12 }, (_, n) => ({
    text: {
      messages: [
        { role: 'user', content: `Say ${n}` },
        { role: 'assistant', content: `It is ${n}.` },
      ],
    },
  }));
  const wanted = { base_model: base, dataset_id: await ada.dataset(examples), hyperparameters: { max_steps: 2 } };
  const deploy = { alias: 'tuned', activate: true };
  ({ id: jobId } = await ada.ok('POST', `${ada.project}/training-jobs`, { ...wanted, deploy }));
  await ada.until(jobId, 'succeeded');
  own = await say(`training-job#${jobId}`);
  await until(async () => (await say('tuned').catch(() => null)) === own);
});

after(async () => {
  await server?.stop();
  await trainer?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function say(model: string): Promise<string> {
  const answer = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: question }],
    temperature: 0,
    max_tokens: 40,
    reasoning_effort: 'none' as const,
  });
  return answer.choices[0]?.message.content ?? '';
}

const routeTo = (url: string, api: ServingRouteRow['api']): ServingRouteRow => ({
  id: 'r',
  baseModelId: base,
  api,
  url,
  upstreamModel: 'theirs',
  secretSource: null,
  capacity: 4,
  weight: 1,
  draining: false,
  adaptersFolder: folder,
});

/** Asks until a change is in use, which takes a route up to two seconds. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1_000; n += 1) {
    if (await isSo()) return;
    await sleep(100);
  }
  assert.fail('the change is not in use');
}

test('a job and its alias are answered by the engine that has loaded what was trained, under the digest of the adapter', async () => {
  const peer = await startLoraPeer({ api: 'vllm' });
  try {
    await putRoute(server.database, routeTo(peer.url, 'vllm'));
    await until(async () => (await say(base)) === 'theirs');
    const answered = await say(`training-job#${jobId}`);
    assert.match(answered, /^fanfold-[0-9a-f]{64}$/);
    assert.equal(await say('tuned'), answered);
    const path = peer.loads()[0]?.lora_path ?? '';
    assert.equal(path, join(folder, answered.slice('fanfold-'.length)));
    assert.deepEqual(readdirSync(path).toSorted(), ['adapter_config.json', 'adapter_model.safetensors']);
    const name = 'adapter_model.safetensors';
    assert.deepEqual(readFileSync(join(path, name)), readFileSync(new URL(name, golden)));
    assert.equal(peer.loads().length, 1);
  } finally {
    await peer.stop();
  }
  await until(async () => (await say(`training-job#${jobId}`).catch(() => null)) === own);
  await deleteRoute(server.database, 'r');
});

test("llama.cpp's server with the adapter answers as our own engine does, and its base without", async () => {
  const file = server.app.models.find(base)?.installed?.ggufPath ?? '';
  const plain = await say(base);
  assert.notEqual(own, plain, 'the adapter makes a difference');
  const bare = await startLlamaServer(file);
  await putRoute(server.database, routeTo(bare.url, 'llama-server'));
  const ggufs = () => readdirSync(folder).filter((name) => name.endsWith('.gguf'));
  try {
    // It was not started with the adapter: ours answers, and the file waits for its next start.
    await until(async () => (await say(`training-job#${jobId}`)) === own && ggufs().length === 1);
  } finally {
    await bare.stop();
  }
  const engine = await startLlamaServer(file, { adapters: [join(folder, ggufs()[0] ?? '')] });
  const posts = await countingProxy(engine.url);
  try {
    await putRoute(server.database, routeTo(posts.url, 'llama-server'));
    await until(async () => (await say(base)) === plain && posts.count() > 0);
    const before = posts.count();
    assert.equal(await say(`training-job#${jobId}`), own);
    assert.equal(await say('tuned'), own);
    assert.equal(await say(base), plain, 'the adapter is off for who does not ask for it');
    assert.equal(posts.count() - before, 3);
  } finally {
    await deleteRoute(server.database, 'r');
    await posts.stop();
    await engine.stop();
  }
});

/** Passes everything on, and counts the answers to chats. */
async function countingProxy(target: string) {
  let chats = 0;
  const proxy = createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    if (method === 'POST' && url.endsWith('/chat/completions')) chats += 1;
    const passed = httpRequest(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    count: () => chats,
    stop: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
