import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { followGuide } from '#test/guide.ts';
import { pythonProgram } from '#test/python.ts';
import { type Person, startTraining, type TrainingServer } from '../../src/training/training.fixture.ts';
import { heldOutOf, trainOf } from './skill.ts';

let server: TrainingServer;
let ada: Person;

before(async () => {
  // The program would make it itself, on its first job: minutes that are not meant by the limit of the guide.
  await pythonProgram('python');
  server = await startTraining({ settings: { FANFOLD_TRAINING_THREADS: '1', FANFOLD_ENGINE_THREADS: '1' } });
  ada = await server.person();
});
after(() => server.stop());

/** Share of the held-out tickets that a model answers exactly as it should. */
async function exactMatch(model: string): Promise<number> {
  const client = new OpenAI({
    apiKey: ada.key,
    baseURL: `${server.app.origin}/api/projects/${ada.slug}/chat/openai/v1`,
    maxRetries: 2,
  });
  const heldOut = heldOutOf();
  const hits = await Promise.all(
    heldOut.map(async ([prompt, wanted]) => {
      const { choices } = await client.chat.completions.create({
        model,
        temperature: 0,
        max_tokens: 16,
        reasoning_effort: 'none' as never,
        messages: [{ role: 'user', content: prompt }],
      });
      return choices[0]?.message.content === wanted;
    }),
  );
  return hits.filter(Boolean).length / heldOut.length;
}

/** The trainer has said everything in words that the program knows: an event that it does not know is a line of text. */
async function understood(jobId: string): Promise<void> {
  type Line = { message: string; source: string; data: { event?: string } | null };
  const { data, total_count } = await ada.ok('GET', `${ada.project}/training-jobs/${jobId}/logs?limit=100`);
  assert.equal(total_count, data.length);
  const told = data.filter(({ source }: Line) => source === 'trainer');
  assert.deepEqual(
    told.filter(({ message }: Line) => message.includes('@evt')),
    [],
  );
  const events = told.flatMap((line: Line) => line.data?.event ?? []);
  assert.deepEqual(events.slice(0, 3), ['hello', 'prepared', 'started']);
  assert.equal(events.at(-1), 'finished');
  for (const name of ['eval', 'checkpoint', 'artifact']) assert.ok(events.includes(name), `no ${name}`);
  const { series } = await ada.ok('GET', `${ada.project}/training-jobs/${jobId}/metrics`);
  const loss = series.find(({ name }: { name: string }) => name === 'loss');
  assert.ok(loss.points.length > 0);
}

test('whoever follows the guide makes a model learn from kept calls what it could not do before', async () => {
  const before = await exactMatch('fanfold-tiny-chat');
  assert.ok(before <= 0.05, `${before} before`);

  const environment = { SERVER: server.app.origin, KEY: ada.key, OWNER: ada.slug };
  const { code, lines, errors, missing, shown } = await followGuide('loop-text.md', {
    environment,
    timeoutMs: 300_000,
  });
  assert.equal(code, 0, `${errors}\n${lines.slice(-5).join('\n')}`);
  assert.ok(shown >= 4);
  assert.deepEqual(missing, [], lines.join('\n'));

  const { data } = await ada.ok('GET', `${ada.project}/training-jobs`);
  const job = await ada.ok('GET', `${ada.project}/training-jobs/${data[0].id}`);
  const dataset = await ada.ok('GET', `${ada.project}/datasets/${job.dataset_id}/examples?limit=100&origin=inference`);
  // What the model said to them was not empty for nearly all.
  assert.ok(dataset.total_count > 0.9 * trainOf().length, `${dataset.total_count} examples`);
  const learned = new Map(trainOf());
  for (const { text } of dataset.data) {
    const [asked, answer] = text.messages;
    assert.equal(answer.content, learned.get(asked.content));
  }
  assert.ok(job.result.check.agreement > 0.99, JSON.stringify(job.result));
  assert.ok(job.billed_ms > 0 && job.billed_ms % 100 === 0);
  await understood(job.id);

  const after = await exactMatch(job.model_ref);
  assert.ok(after >= 0.9, `${after} after`);
  assert.ok((await exactMatch('tickets')) >= 0.9, 'behind its alias');
  assert.ok((await exactMatch('fanfold-tiny-chat')) <= 0.05, 'the base model stays as it is');
});
