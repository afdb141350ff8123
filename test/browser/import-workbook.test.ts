import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { workbookOf } from '../../src/datasets/imports/reading/xlsx/workbook.fixture.ts';
import { assertAccessible } from './axe.ts';
import { someoneWithProject } from './data-world.ts';
import { hasValue, openStage, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

test('an Excel workbook is imported like a CSV file, from the sheet that is chosen', async () => {
  const { ask, pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  const buffer = await workbookOf([
    { name: 'Read me', rows: [['These are our answers.']] },
    {
      name: 'Old',
      rows: [
        ['Frage', 'Antwort'],
        ['Was kostet das?', 'Nichts.'],
      ],
    },
    {
      name: 'New',
      rows: [
        ['Customer', 'Agent'],
        ['When was it?', 1989],
        ['Does it work?', true],
        ['Why?', 'So.'],
      ],
    },
  ]);
  await go(`${pages}/data/imports/new`);
  await page.locator('input[type="file"]').setInputFiles({ name: 'answers.xlsx', mimeType, buffer });
  await page.getByRole('button', { name: 'Upload and check' }).click();
  const sheet = page.getByLabel('Sheet of the workbook');
  await hasValue(sheet, 'Old');
  await page
    .getByRole('list', { name: 'Preview' })
    .filter({ hasText: /Was kostet das\?[\s\S]*Nichts\./ })
    .waitFor();
  await assertAccessible(page, 'sheet');
  await sheet.selectOption('New');
  await page
    .getByRole('list', { name: 'Preview' })
    .filter({ hasText: /When was it\?[\s\S]*1989/ })
    .waitFor();
  await hasValue(sheet, 'New');
  await page.getByLabel('Share for testing, in percent').fill('0');
  await page.getByRole('button', { name: 'Import 3 examples' }).click();
  await page.getByRole('heading', { name: 'Imported: 3 examples' }).waitFor();
  const { data } = await ask('GET', '/datasets');
  const { data: examples } = await ask('GET', `/datasets/${data[0].id}/examples`);
  assert.deepEqual(
    examples.map((example: { text: { messages: { content: string }[] } }) => example.text.messages[1]?.content).sort(),
    ['1989', 'So.', 'TRUE'],
  );
  await leave();
});

test('a workbook with a password is refused with what helps', async () => {
  const { pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  const mark = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  const buffer = Buffer.concat([mark, Buffer.alloc(600), Buffer.from('EncryptedPackage', 'utf16le')]);
  await go(`${pages}/data/imports/new`);
  await page.locator('input[type="file"]').setInputFiles({ name: 'secret.xlsx', mimeType, buffer });
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByRole('heading', { name: 'The import has failed' }).waitFor();
  await page.getByText('The workbook has a password.').waitFor();
  await page.getByText('remove the password if it has one').waitFor();
  await leave();
});
