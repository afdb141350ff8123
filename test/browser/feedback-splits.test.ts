import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { someoneWithProject } from './data-world.ts';
import { report } from './feedback-world.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a row says why its event can be promoted or not, and what puts a query into both splits is warned of first', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const id = await createDataset();
  const known = (query: string, split: string) => ({
    embedding: { query, positives: [{ text: `Known answer to ${query}` }] },
    split,
  });
  await ask('POST', `/datasets/${id}/examples`, {
    examples: [known('gift card', 'test'), known('parcel', 'test'), known('parcel lost', 'test')],
  });
  for (const query of ['money back', 'parcel', 'gift card']) await report(ask, id, query);
  await report(ask, id, 'unclicked', { isClicked: false });
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}/feedback`);
  const row = (query: string) => page.getByRole('button', { name: new RegExp(`^${query}`) });
  await row('gift card').getByText('ready').waitFor();
  await row('gift card').getByText('query is in the test split').waitFor();
  await row('money back').getByText('ready').waitFor();
  assert.equal(await row('money back').getByText('query is in').count(), 0);

  const pane = page.getByRole('article', { name: 'Details' });
  await pane.getByText('The dataset has this query in the test split, so').waitFor();
  const toTest = page.getByLabel('Use it for tests');
  await pane.getByRole('region', { name: 'What a model would learn' }).getByText('Refunds are paid').waitFor();
  assert.ok(await toTest.isChecked());
  await toTest.uncheck({ force: true });
  await pane.getByRole('alert').getByText('in the train split and in the test split').waitFor();
  await assertAccessible(page, 'warning');
  await pane.getByRole('button', { name: /^Promote/ }).click();
  await page.getByText(/Promoted: .* 1 query is in the train split and in the test split/).waitFor();

  await page.getByLabel('Test share, in percent').fill('0');
  await page.waitForURL(/share=0/);
  await ask('POST', `/datasets/${id}/retrieval-events`, {
    query: 'Gift  card',
    results: [{ rank: 1, text: 'Gift cards never expire.' }],
    judgments: [{ rank: 1, label: 'positive' }],
  });
  await page.reload();
  await page.getByLabel('Test share, in percent').waitFor();
  assert.equal(await page.getByLabel('Test share, in percent').inputValue(), '0');
  await page.getByRole('button', { name: 'Promote all …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('3 would become examples').waitFor();
  await dialog.getByText('0% of the new queries go to the test split.').waitFor();
  await dialog.getByRole('alert').getByText('1 query is in the train split and in the test split.').waitFor();
  await assertAccessible(page, 'warning before many');
  await dialog.getByRole('button', { name: 'Promote 3' }).click();
  await page.getByText(/3 events became examples\. 1 query is in/).waitFor();
  const { data } = await ask('GET', `/datasets/${id}/examples?limit=100`);
  const splitsOf = (query: string) =>
    data
      .flatMap((each: { embedding: { query: string }; split: string }) =>
        each.embedding.query.trim() === query ? [each.split] : [],
      )
      .sort();
  assert.deepEqual(splitsOf('money back'), ['train']);
  assert.deepEqual(splitsOf('parcel'), ['test', 'test']);

  await page.getByRole('radiogroup', { name: 'Which events' }).getByText('Without a click').click();
  await row('unclicked').getByText('no positive result').waitFor();
  assert.equal(await page.getByLabel('Test share, in percent').inputValue(), '0');
  await leave();
});
