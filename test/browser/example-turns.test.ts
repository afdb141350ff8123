import { after, before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { assertAccessible } from './axe.ts';
import { someoneWithProject } from './data-world.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const call = { id: 'call_1', type: 'function', function: { name: 'find_parcel', arguments: '{"number":"A-17"}' } };
const messages = [
  { role: 'system', content: 'You help customers.' },
  { role: 'user', content: 'Where is my parcel?' },
  { role: 'assistant', content: 'May I have its number?' },
  { role: 'user', content: 'It is A-17.' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: 'at the depot' },
  { role: 'assistant', content: `It waits at the depot. ${'We are sorry. '.repeat(60)}Goodbye.` },
];
const tools = [{ type: 'function', function: { name: 'find_parcel', parameters: { type: 'object' } } }];

async function hasAllTurns(whole: Locator): Promise<void> {
  for (const text of ['You help customers.', 'Where is my parcel?', 'May I have its number?', 'It is A-17.'])
    await whole.getByText(text).waitFor();
  await whole.getByText('calls find_parcel').waitFor();
  await whole.getByText('"number": "A-17"').waitFor();
  await whole.getByText('Tool result of find_parcel').waitFor();
  await whole.getByText('at the depot', { exact: true }).waitFor();
  await whole.getByText(/^It waits at the depot[\s\S]*Goodbye\.$/).waitFor();
}

test('every turn of a conversation is shown: in the preview of an import, in the list and in a version', async () => {
  const { ask, pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/imports/new`);
  const buffer = Buffer.from(JSON.stringify({ messages, tools }));
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'parcels.jsonl', mimeType: 'application/jsonl', buffer });
  await page.getByRole('button', { name: 'Upload and check' }).click();
  const preview = page.getByRole('list', { name: 'Preview' });
  await preview.getByText('Show all 7 messages').click();
  await hasAllTurns(preview.locator('details[open]'));
  await assertAccessible(page, 'preview');
  await page.getByLabel('Share for testing, in percent').fill('0');
  await page.getByRole('button', { name: 'Import 1 example' }).click();
  await page.getByRole('link', { name: 'Look at the dataset' }).click();

  const row = page.getByRole('list', { name: 'Examples' }).getByRole('listitem');
  await row.getByText('7 messages').waitFor();
  await row.getByRole('button', { expanded: false }).click();
  for (const [at, { content }] of messages.entries())
    if (content !== null)
      await row
        .getByRole('textbox', { name: `message ${at + 1}` })
        .getByText(content)
        .waitFor();
  await row.getByLabel('Tool calls (JSON)').getByText('find_parcel').waitFor();

  const { data } = await ask('GET', '/dataset-versions');
  await go(`${pages}/data/${data[0].dataset_id}?version=${data[0].id}`);
  await row.getByRole('button', { expanded: false }).click();
  await hasAllTurns(row.locator('dl'));
  await leave();
});
