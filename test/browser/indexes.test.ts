import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { someoneWithProject } from './data-world.ts';
import { openStage, pictureFolder, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const built = { timeout: 240_000 };

/** Questions about things, each with the text that answers it; every third is kept for the measurement. */
const questions = Array.from({ length: 9 }, (_, n) => {
  const thing = `${['lamp', 'kettle', 'printer'][n % 3]} ${n}`;
  return {
    embedding: {
      query: `How long is the warranty of the ${thing}?`,
      positives: [{ text: `The ${thing} has a warranty of ${n + 1} years.`, document_id: `doc-${n}` }],
      negatives: [],
    },
    split: n % 3 === 0 ? 'test' : 'train',
  };
});

async function someoneWithVersion() {
  const someone = await someoneWithProject(stage, 'embedding');
  const dataset = await someone.createDataset('Searches');
  await someone.ask('POST', `/datasets/${dataset}/examples`, { examples: questions });
  const { id: version } = await someone.ask('POST', `/datasets/${dataset}/versions`, {});
  const build = async (): Promise<string> => {
    const body = { version_id: version, model: 'fanfold-tiny-embed' };
    const { id } = await someone.ask('POST', '/dataset-indexes', body);
    while ((await someone.ask('GET', `/dataset-indexes/${id}`)).state !== 'ready')
      await new Promise((resolve) => setTimeout(resolve, 50));
    return id;
  };
  return { ...someone, dataset, version, build, indexes: `${someone.pages}/data/${dataset}/indexes` };
}

test('an index is built on a version, measured, searched, and gives the dataset hard negatives', async () => {
  const { ask, dataset, indexes, ...owner } = await someoneWithVersion();
  const { page, go, leave } = await stage.open(owner);
  await go(indexes);
  await page.getByRole('heading', { name: 'No index yet' }).waitFor();
  await page.getByRole('button', { name: 'New index' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Model').selectOption('fanfold-tiny-embed');
  await assertAccessible(page, 'building');
  await dialog.getByRole('button', { name: 'Build index' }).click();
  await page.getByText('ready', { exact: true }).waitFor(built);
  const { data } = await ask('GET', '/dataset-indexes');
  const { metrics, credits } = data[0];
  const measured = page.locator('section').filter({ hasText: 'How well it finds' });
  for (const [name, value] of [
    ['Recall@1', metrics.recall_at_1],
    ['MRR@10', metrics.mrr_at_10],
    ['nDCG@10', metrics.ndcg_at_10],
  ])
    await measured
      .locator('div', { has: page.getByText(name, { exact: true }) })
      .getByText(new Intl.NumberFormat('en', { maximumSignificantDigits: 3 }).format(value))
      .first()
      .waitFor();
  assert.ok(Number(credits) > 0);

  await page.getByLabel('Query').fill('warranty of the kettle 1');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const found = page.getByRole('list', { name: 'Try a search' }).getByRole('listitem');
  await found.first().waitFor();
  assert.equal(await found.count(), questions.length);
  assert.match((await found.first().textContent()) ?? '', /warranty of \d years\.doc-\d/);

  await page.getByLabel('Leave out what scores above').fill('2');
  await page.getByText('A number from 0.1 to 1.').waitFor();
  await page.getByLabel('Leave out what scores above').fill('1');
  await page.getByRole('button', { name: 'Look first' }).click();
  await page
    .getByRole('region', { name: 'The first examples' })
    .getByText(/^place \d+$/)
    .first()
    .waitFor();
  const negatives = async () =>
    (await ask('GET', `/datasets/${dataset}/examples`)).data.flatMap(
      (example: { embedding: { negatives: unknown[] } }) => example.embedding.negatives,
    ).length;
  assert.equal(await negatives(), 0, 'looking writes nothing');
  await page.getByRole('button', { name: 'Add them to the dataset' }).click();
  await page.getByText(/^\d examples? (was|were) changed for /).waitFor();
  assert.ok((await negatives()) > 0);
  await page.getByRole('link', { name: 'To the versions' }).click();
  await page.getByRole('button', { name: 'Freeze a version' }).waitFor();
  await leave();
});

test('an index that waits is canceled, one that is outdated says so and is built anew, and one is deleted', async () => {
  const { ask, dataset, indexes, build, ...owner } = await someoneWithVersion();
  const ready = await build();
  // No worker knows of this one, so it waits for as long as the test needs.
  const waiting = `${ready.slice(0, -4)}0000`;
  const fields = {
    id: waiting,
    state: 'queued',
    charged_micro: null,
    ready_at: null,
    metrics: null,
    request_id: 'req_waits',
  };
  await stage.database.query(
    `insert into dataset_indexes select (jsonb_populate_record(d, $2::jsonb)).* from dataset_indexes d where id = $1`,
    [ready, JSON.stringify(fields)],
  );
  const { page, go, leave } = await stage.open(owner);
  await go(`${indexes}/${waiting}`);
  await page.getByText('waiting', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel the build' }).click();
  await page.getByText('It was canceled.', { exact: false }).waitFor();

  await ask('POST', `/datasets/${dataset}/examples`, {
    examples: [{ embedding: { query: 'new', positives: ['yes'] } }],
  });
  await ask('POST', `/datasets/${dataset}/versions`, {});
  await page.getByRole('link', { name: 'All indexes' }).click();
  await page.getByRole('row').filter({ hasText: 'outdated' }).getByRole('link').click();
  await page.getByText('This index is outdated').waitFor();
  await page.getByRole('button', { name: 'Build it anew' }).click();
  assert.equal(await dialog.getByLabel('Version').locator('option').first().textContent(), 'v2 · 10 examples');
  await dialog.getByRole('button', { name: 'Build index' }).click();
  await page.getByRole('heading', { name: 'fanfold-tiny-embed on v2' }).waitFor();
  await page.getByText('ready', { exact: true }).waitFor(built);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The index is deleted.').waitFor();
  assert.equal((await ask('GET', '/dataset-indexes')).total_count, 2);
  await leave();
});

test('everybody can use the pages of indexes, in the light and in the dark, on a phone and on a wide screen', async (t) => {
  const pictures = await pictureFolder('indexes');
  const { indexes, build, ask: _ask, ...owner } = await someoneWithVersion();
  const index = await build();
  const views = [
    { name: 'light', options: {} },
    { name: 'phone-dark-zh', options: { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'zh-CN' } },
  ] as const;
  for (const { name, options } of views) {
    const { page, go, leave } = await stage.open({ ...owner, ...options });
    for (const [place, path] of [
      ['list', indexes],
      ['one', `${indexes}/${index}`],
    ] as const) {
      await go(path);
      await assertAccessible(page, `${place} ${name}`);
      await page.screenshot({ path: join(pictures, `${place}-${name}.png`), fullPage: true });
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(width) <= 0, `${place} ${name} is too wide`);
    }
    await leave();
  }
  t.diagnostic(`pictures in ${pictures}`);
});

test('an index is built on versions that have examples, and on no other', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const dataset = await createDataset('Searches');
  await ask('POST', `/datasets/${dataset}/versions`, {});
  const { page, go, leave } = await stage.open(owner);
  const dialog = page.getByRole('dialog');
  await go(`${pages}/data/${dataset}/indexes`);
  await page.getByRole('button', { name: 'New index' }).first().click();
  await dialog.getByText(/on a version that has examples/).waitFor();
  await ask('POST', `/datasets/${dataset}/examples`, { examples: questions });
  await ask('POST', `/datasets/${dataset}/versions`, {});
  await page.reload();
  await page.getByRole('button', { name: 'New index' }).first().click();
  await dialog.getByLabel('Version').waitFor();
  assert.deepEqual(await dialog.getByLabel('Version').locator('option').allTextContents(), ['v2 · 9 examples']);
  await leave();
});
