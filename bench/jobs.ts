import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { pythonProgram } from '#test/python.ts';
import { trainOf } from '../test/training/skill.ts';
import { median } from './load.ts';
import { type Served, startServed } from './served.ts';
import { streamOnce } from './streams.ts';
import type { Row } from './table.ts';
import { timeTrainer } from './trainer-time.ts';

const jobs = 10;
const switches = 120;
const askMs = 15;
const longestJobMs = 120_000;

/**
 * Ten short LoRA jobs, one after the other, each until it answers by its id; and then calls that go round robin over the
 * ten, against calls of the bare base.
 */
export async function benchJobs(): Promise<Row[]> {
  // Made once for all; the first job of an installation waits for it.
  await pythonProgram('python');
  const served = await startServed();
  try {
    const datasetId = await makeDataset(served);
    // The first one warms what a server has warm: the vocabulary of the base, the files of the trainer.
    const first = await timeJob(served, datasetId, 0);
    const timed = [first];
    for (let n = 1; n < jobs; n++) timed.push(await timeJob(served, datasetId, n));
    return [
      overheadOf(timed),
      await switching(
        served,
        timed.map(({ model }) => model),
      ),
    ];
  } finally {
    await served.stop();
  }
}

type TimedJob = { model: string; beforeMs: number; trainerMs: number; afterMs: number };

function overheadOf(timed: readonly TimedJob[]): Row {
  const middle = (of: (job: TimedJob) => number) => median(timed.map(of)) / 1000;
  const [first] = timed;
  const firstSeconds = first ? (first.beforeMs + first.afterMs) / 1000 : Number.NaN;
  return {
    name: 'seconds that a short job takes beside its trainer, asked to served',
    ratio: middle(({ beforeMs, afterMs }) => beforeMs + afterMs),
    goal: 3,
    sense: 'at most',
    figures: `${middle((job) => job.beforeMs).toFixed(2)} s before the trainer, ${middle((job) => job.afterMs).toFixed(2)} s after it, of ${jobs} jobs; the first one ${firstSeconds.toFixed(2)} s; trainer ${middle((job) => job.trainerMs).toFixed(1)} s`,
  };
}

async function makeDataset(served: Served): Promise<string> {
  const { id } = await ask(served, 'datasets', { name: 'Tickets' });
  const examples = trainOf().map(([prompt, answer]) => ({
    text: {
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: answer },
      ],
    },
    split: 'train',
  }));
  await ask(served, `datasets/${id}/examples`, { examples });
  return id;
}

/** From asking for a job to the first answer by its id. */
async function timeJob(served: Served, datasetId: string, n: number): Promise<TimedJob> {
  const askedMs = performance.now();
  const { id } = await ask(served, 'training-jobs', {
    base_model: 'fanfold-tiny-chat',
    dataset_id: datasetId,
    hyperparameters: { max_steps: 2, lora_rank: 16, seed: n },
  });
  const signal = AbortSignal.timeout(longestJobMs);
  const model = `training-job#${id}`;
  const [trainer] = await Promise.all([timeTrainer(id, signal), untilServed(served, model, signal)]);
  const servedMs = performance.now();
  return {
    model,
    beforeMs: trainer.startedMs - askedMs,
    trainerMs: trainer.endedMs - trainer.startedMs,
    afterMs: servedMs - trainer.endedMs,
  };
}

async function untilServed({ url, key }: Served, model: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}${chat}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(key) },
      body: JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hello!' }] }),
      signal,
    });
    await response.arrayBuffer();
    if (response.status === 200) return;
    await sleep(askMs, undefined, { signal });
  }
}

async function switching(served: Served, models: readonly string[]): Promise<Row> {
  const base: number[] = [];
  const adapted: number[] = [];
  const again: number[] = [];
  for (const model of models) await firstMs(served, model, 0);
  for (let round = 1; round <= switches; round++) {
    const model = models[round % models.length] ?? '';
    adapted.push(await firstMs(served, model, round));
    base.push(await firstMs(served, 'chat', round));
    again.push(await firstMs(served, model, -round));
  }
  return {
    name: 'first byte by turns with ten adapters / with the bare base',
    ratio: median(adapted) / median(base),
    goal: 1.5,
    sense: 'at most',
    figures: `${median(adapted).toFixed(1)} against ${median(base).toFixed(1)} ms; ${median(again).toFixed(1)} ms with the same adapter as before`,
  };
}

async function firstMs({ url, key }: Served, model: string, n: number): Promise<number> {
  const content = `${n} Ticket from Nina: the parcel with the kettle has not arrived, where is it?`;
  const times = await streamOnce({
    url: `${url}${chat}`,
    key,
    agent: http.globalAgent,
    body: {
      model,
      max_tokens: 1,
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'none',
      temperature: 0,
      messages: [{ role: 'user', content }],
    },
  });
  return times.firstMs;
}

const chat = '/api/projects/local/chat/openai/v1/chat/completions';

async function ask({ url, key }: Served, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${url}/api/v1/projects/local/chat/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(key) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
