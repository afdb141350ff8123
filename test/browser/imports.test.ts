import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bearer } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { conversation, someoneWithProject } from './data-world.ts';
import { hasValue, openStage, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const csv = [
  'question,answer',
  ...Array.from({ length: 12 }, (_, n) => `What is ${n}?,It is ${'long '.repeat(n)}${n}.`),
  'no answer,',
];
const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
const questions = fileOf('our-questions.csv', csv.join('\n'));

/** Puts a file into the browser's hands and lets it fall on the page. */
async function drop(page: Page, { name, buffer }: { name: string; buffer: Buffer }): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(buffer.toString())}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  const zone = page.getByText('Drop a file here');
  await zone.dispatchEvent('dragover', { dataTransfer });
  await zone.dispatchEvent('drop', { dataTransfer });
}

test('a file is dropped, looked through, and comes into a new dataset without its broken row', async () => {
  const { ask, pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data`);
  await page.getByRole('link', { name: 'Import a file' }).first().click();
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await drop(page, questions);
  await hasValue(page.getByLabel('Name of the new dataset'), 'Our questions');
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByText('Recognised: Question and answer.').waitFor();
  assert.equal((await ask('GET', '/datasets')).total_count, 0, 'nothing is there before the confirmation');

  await page.getByRole('group', { name: 'How long the examples are' }).waitFor();
  await page.getByText('1 row cannot be read. Fix the file, or leave it out.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled());
  await page.getByRole('button', { name: 'Look at: Something is missing' }).click();
  await page.getByRole('dialog').getByText('Line 14').waitFor();
  await page.getByRole('dialog').getByText('Column “answer”').waitFor();
  await page.keyboard.press('Escape');
  await assertAccessible(page, 'check');
  await page.getByRole('button', { name: /^Leave (it|them) out$/ }).press('Enter');
  // The button is gone; what comes after it is next.
  await page.getByRole('button', { name: /^Leave (it|them) out$/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');
  await page.locator('button:focus', { hasText: 'Cancel the import' }).waitFor();
  await page.getByLabel('Share for testing, in percent').fill('0');
  // Disabled until the preview is that of the last change.
  await page.getByRole('button', { name: 'Import 12 examples' }).click();
  await page.getByRole('heading', { name: 'Imported: 12 examples' }).waitFor();
  await page.getByRole('link', { name: 'Look at the dataset' }).click();
  await page.getByText('12 examples', { exact: true }).waitFor();
  const { data } = await ask('GET', '/datasets');
  assert.partialDeepStrictEqual(data[0], { name: 'Our questions', split_counts: { train: 12, test: 0 } });
  await leave();
});

test('an interrupted upload goes on where it was after a reload, and the choices survive another', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'text');
  const datasetId = await createDataset();
  const { page, go, leave } = await stage.open({ ...owner, expected: [/never/] });
  await page.route('**/imports/*/content', (route) => route.abort('connectionreset'));
  await go(`${pages}/data/imports/new?dataset=${datasetId}`);
  await hasValue(page.getByLabel('Where the examples go'), datasetId);
  await page.locator('input[type="file"]').setInputFiles(questions);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByText('The connection is lost.').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const part = questions.buffer.subarray(0, 100);
  const sent = await fetch(`${stage.origin}/api/v1${pages}/imports/${id}/content`, {
    method: 'PUT',
    headers: { ...bearer(owner.key), 'content-range': `bytes 0-99/${questions.buffer.length}` },
    body: part,
  });
  assert.equal(sent.status, 202);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await settle(page);
  await page.getByText(/^100 bytes of/).waitFor();
  // Not before: the page that was left tries again by itself.
  await page.unroute('**/imports/*/content');
  const input = page.locator('input[type="file"]');
  await input.setInputFiles(fileOf('another.csv', 'a,b'));
  await page.getByText('This is another file.').waitFor();
  await input.setInputFiles(questions);
  await page.getByText('Recognised: Question and answer.').waitFor();

  await page.getByRole('button', { name: /^Leave (it|them) out$/ }).click();
  await page.getByRole('button', { name: 'Import 12 examples', disabled: false }).waitFor();
  await page.reload();
  await settle(page);
  assert.ok(await page.getByLabel('Leave out rows that cannot be read').isChecked());
  await page.getByRole('button', { name: 'Import 12 examples' }).click();
  await page.getByRole('heading', { name: 'Imported: 12 examples' }).waitFor();
  const { data } = await ask('GET', `/datasets/${datasetId}/examples`);
  assert.equal(data.length, 12);
  await leave();
});

test('columns that are not recognised are named by hand, the suggestion is one click away, and a canceled import leaves nothing', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'text');
  const datasetId = await createDataset();
  await ask('POST', `/datasets/${datasetId}/examples`, { examples: [conversation('there already', 'yes')] });
  const { page, go, leave } = await stage.open(owner);
  const upload = async (text: string) => {
    await go(`${pages}/data/imports/new?dataset=${datasetId}`);
    await page.locator('input[type="file"]').setInputFiles(fileOf('odd.csv', text));
    await page.getByRole('button', { name: 'Upload and check' }).click();
    await page.getByRole('heading', { name: 'What is in the file' }).waitFor();
  };
  await upload('said,reply\nthere already,yes\na lamp,bright\n');
  await page.getByText('The columns were not recognised.').waitFor();
  await page.getByLabel('Question of the user').selectOption('said');
  await page.getByLabel('Answer to learn').selectOption('reply');
  await page.getByRole('button', { name: 'Import 1 example', exact: true }).waitFor();
  const preview = page.getByRole('list', { name: 'Preview' });
  await preview
    .filter({ hasText: /there already[\s\S]*The dataset has the same example already[\s\S]*a lamp/ })
    .waitFor();
  await page.getByRole('heading', { name: 'Issues' }).waitFor();
  await preview.locator('li[data-harmless]').filter({ hasText: 'The dataset has the same example already' }).waitFor();
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('heading', { name: 'The import was canceled' }).waitFor();

  await upload('question,answer,note\na,b,c\n');
  await page.getByLabel('Answer to learn').selectOption('note');
  await page.getByRole('list', { name: 'Preview' }).getByText('c', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Use the suggestion' }).click();
  await page.getByRole('list', { name: 'Preview' }).getByText('b', { exact: true }).waitFor();
  await page.goto(`${stage.origin}${pages}/data`);
  await page.getByRole('heading', { name: 'Unfinished imports' }).waitFor();
  assert.equal((await ask('GET', `/datasets/${datasetId}/examples`)).total_count, 1);
  await leave();
});

test('whoever imports with the keyboard alone is at the title after each step, and the confirmation covers nothing in focus', async () => {
  const { pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/imports/new`);
  await page.locator('input[type="file"]').setInputFiles(questions);
  await page.getByRole('button', { name: 'Upload and check' }).press('Enter');
  const title = page.locator('h2:focus', { hasText: 'Import of our-questions.csv' });
  await page.getByRole('button', { name: /^Leave (it|them) out$/ }).waitFor();
  await title.waitFor();
  const isCovered = () =>
    page.evaluate<boolean>(`(() => {
      const focused = document.activeElement;
      const { top, bottom } = document.querySelector('[aria-live="polite"][tabindex="-1"]').parentElement.getBoundingClientRect();
      const box = focused.getBoundingClientRect();
      return box.height < 100 && box.bottom > top + 1 && box.top < bottom && !focused.closest('[class*="foot"]');
    })()`);
  for (let n = 0; n < 22; n++) {
    await page.keyboard.press('Tab');
    assert.equal(
      await isCovered(),
      false,
      String(await page.evaluate('document.activeElement.outerHTML.slice(0, 200)')),
    );
  }
  await page.getByRole('button', { name: /^Leave (it|them) out$/ }).press('Enter');
  await page.getByRole('button', { name: 'Import 12 examples', disabled: false }).press('Enter');
  await page.getByRole('heading', { name: 'Imported: 12 examples' }).waitFor();
  await title.waitFor();
  await leave();
});

test('a file that cannot be read is shown as stuck in the check, and says where it is broken', async () => {
  const { pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/imports/new`);
  await page
    .locator('input[type="file"]')
    .setInputFiles(fileOf('broken.csv', 'question,answer\na,b\n"never closed,c\n'));
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByRole('heading', { name: 'The import has failed' }).waitFor();
  await page.getByText('A quote that opens after line 2 is never closed.').waitFor();
  await page.locator('[aria-current="step"]', { hasText: 'Check' }).waitFor();
  await leave();
});

test('an import that waits for somebody never pushes down the list of datasets, however late it is told', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'text');
  await createDataset();
  await ask('POST', '/imports', { dataset_name: 'More', file_name: 'waiting.csv', size_bytes: 10 });
  const { page, leave } = await stage.open(owner);
  let tell = () => {};
  const isTime = new Promise<void>((resolve) => {
    tell = resolve;
  });
  await page.route(/\/imports(\?|$)/, async (route) => {
    await isTime;
    await route.continue();
  });
  // The list is seen without what stands above it.
  await page.addInitScript(`new MutationObserver(() => {
    if (document.querySelector('table') && !document.body.textContent.includes('waiting.csv')) window.isPushed = true;
  }).observe(document, { childList: true, subtree: true })`);
  const listed = page.waitForResponse(/\/datasets(\?|$)/);
  await page.goto(`${stage.origin}${pages}/data`);
  await (await listed).finished();
  // The list has all that it needs: time enough to be shown where it waits for nothing else.
  await sleep(1_000);
  tell();
  await page.getByRole('link', { name: 'waiting.csv' }).waitFor();
  await page.getByRole('link', { name: 'Answers' }).waitFor();
  assert.equal(await page.evaluate('window.isPushed'), undefined);
  await leave();
});
