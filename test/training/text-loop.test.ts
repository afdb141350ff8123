import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { type Person, startTraining, type TrainingServer } from '../../src/training/training.fixture.ts';
import { heldOutOf, trainOf } from './skill.ts';

let server: TrainingServer;
let ada: Person;

before(async () => {
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
        ...{ model, temperature: 0, max_tokens: 16, reasoning_effort: 'none' as never },
        messages: [{ role: 'user', content: prompt }],
      });
      return choices[0]?.message.content === wanted;
    }),
  );
  return hits.filter(Boolean).length / heldOut.length;
}

test('a model learns from examples what it could not do before, and answers by its id at once', async () => {
  const before = await exactMatch('fanfold-tiny-chat');
  assert.ok(before <= 0.05, `${before} before`);
  const examples = trainOf().map(([prompt, answer]) => ({
    text: {
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: answer },
      ],
    },
    split: 'train',
  }));
  const datasetId = await ada.dataset(examples);
  const asked = {
    ...{ name: 'Tickets', base_model: 'fanfold-tiny-chat', dataset_id: datasetId },
    evaluation: { test_ratio: 0.1 },
    deploy: { alias: 'tickets', activate: true },
  };
  const preview = await ada.ok('POST', `${ada.project}/training-jobs`, { ...asked, dry_run: true });
  assert.deepEqual(preview.warnings.map(({ code }: { code: string }) => code).includes('few_examples'), true);
  const made = await ada.ok('POST', `${ada.project}/training-jobs`, asked);
  const job = await ada.until(made.id, 'succeeded');
  assert.ok(job.result.check.agreement > 0.99, JSON.stringify(job.result));
  assert.ok(job.billed_ms > 0 && job.billed_ms % 100 === 0);
  const after = await exactMatch(job.model_ref);
  assert.ok(after >= 0.9, `${after} after`);
  assert.ok((await exactMatch('tickets')) >= 0.9, 'behind its alias');
  assert.ok((await exactMatch('fanfold-tiny-chat')) <= 0.05, 'the base model stays as it is');
});
