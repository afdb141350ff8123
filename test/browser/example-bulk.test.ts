import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { conversation, fillDataset, someoneWithDataset } from './data-world.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const question = (number: number) => `Question ${number}`;

test('examples are selected one by one or as a range, moved to the test split, and moved back with Undo', async () => {
  const examples = [1, 2, 3, 4, 5, 6].map((number) => conversation(question(number)));
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage, examples);
  const { page, go, leave } = await stage.open(owner);
  const counts = async () => (await ask('GET', `/datasets/${id}`)).split_counts;
  const choose = (number: number) => page.getByRole('checkbox', { name: `Select: ${question(number)}` });
  await go(`${pages}/data/${id}`);
  await choose(5).check();
  await choose(2).click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selected examples' });
  await bar.getByText('4 selected').waitFor();
  await choose(3).uncheck();
  await bar.getByText('3 selected').waitFor();
  await assertAccessible(page, 'selected');
  await bar.getByRole('button', { name: 'Move to test' }).click();
  await page.getByText('Moved to test: 3 examples').waitFor();
  await bar.waitFor({ state: 'detached' });
  assert.deepEqual(await counts(), { train: 3, test: 3 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Moved to train: 3 examples').waitFor();
  assert.deepEqual(await counts(), { train: 6, test: 0 });
  await leave();
});

test('all examples that match the filters are moved or deleted, also those that are not loaded, and another filter selects none', async () => {
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage, []);
  await fillDataset(stage, id, 1_300);
  await ask('POST', `/datasets/${id}/examples`, { examples: [{ ...conversation('Keep me'), split: 'test' }] });
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}?split=train`);
  await page.getByText('1,300 examples').waitFor();
  await page.getByRole('checkbox', { name: 'Select all that match' }).check();
  const bar = page.getByRole('region', { name: 'Selected examples' });
  await bar.getByText('1,300 selected').waitFor();
  await page.getByLabel('Split').selectOption('test');
  await page.getByText('1 example', { exact: true }).waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByLabel('Split').selectOption('train');
  await page.getByRole('checkbox', { name: 'Select all that match' }).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1,300 examples?' });
  await assertAccessible(page, 'delete many');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await ask('GET', `/datasets/${id}`)).example_count, 1_301);
  await bar.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted: 1,300 examples').waitFor();
  await page.getByText('No example fits the search and the filters.').waitFor();
  const { data } = await ask('GET', `/datasets/${id}/examples`);
  assert.deepEqual(
    data.map((example: { text: { messages: { content: string }[] } }) => example.text.messages[0]?.content),
    ['Keep me'],
  );
  await leave();
});
