import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addModel } from '#models';
import { writeRandomReranker } from '#test/random-reranker.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedPlace } from './playground-world.ts';
import { openStage, type Stage } from './stage.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-rerank-'));
let stage: Stage;

before(async () => {
  const ggufPath = join(dataDir, 'reranker.gguf');
  writeRandomReranker(ggufPath);
  await addModel(openShippedModels(dataDir), { id: 'ranker', kind: 'reranker', ggufPath });
  stage = await openStage({ dataDir });
});

after(async () => {
  await stage?.close();
  rmSync(dataDir, { recursive: true });
});

test('documents are ranked in the playground of an embedding project, and a reranker embeds nothing there', async () => {
  const { owner, path } = await seedPlace(stage, 'embedding');
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Rerank', exact: true }) });
  await panel.getByLabel('Documents').fill('the door\nthe red lamp\n9');
  await panel.getByLabel('Query').fill('red lamp');
  await panel.getByRole('button', { name: 'Rank the documents' }).click();
  const rows = panel.locator('ol > li');
  await rows.nth(2).waitFor();
  const scores = await panel
    .locator('ol data')
    .evaluateAll((all) => all.map((each) => Number(each.getAttribute('value'))));
  assert.equal(scores.length, 3);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.match((await panel.textContent()) ?? '', /21 tokens were read/);
  const embeds = page.getByLabel('Model', { exact: true }).first();
  assert.doesNotMatch((await embeds.textContent()) ?? '', /ranker/);
  await leave();
});
