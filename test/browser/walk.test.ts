import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { testPassword } from '#test/sessions.ts';
import { assertAccessible } from './axe.ts';
import { answers, inSettings } from './playground-world.ts';
import { clipboardWith, hasValue, openStage, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  const threads = { FANFOLD_TRAINING_THREADS: '1', FANFOLD_ENGINE_THREADS: '1' };
  stage = await openStage({ settings: { FANFOLD_SIGNUP: 'open', FANFOLD_SIGNUP_CREDITS: '5', ...threads } });
});

after(async () => {
  await stage?.close();
});

const trained = { timeout: 300_000 };
/** One answer to everything is learned in a few steps, and nothing that the base model would say. */
const answer = '[queue: fold]';
const tickets = Array.from({ length: 30 }, (_, n) => {
  const thing = ['lamp', 'kettle', 'printer', 'drone', 'pump', 'oven'][n % 6];
  return JSON.stringify({
    messages: [
      { role: 'user', content: `Ticket ${n}: the ${thing} does not start.` },
      { role: 'assistant', content: answer },
    ],
  });
}).join('\n');

/** What the clipboard holds is run as a person would: the key is in it. */
async function runCopied(page: Page): Promise<string> {
  const command = await clipboardWith(page, /^curl /);
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -s ')], {
    env: { PATH: process.env['PATH'] },
    timeout: 120_000,
  });
  return stdout;
}

test('somebody new is led from the first page to a model that was trained, is served, and is compared with its base', async () => {
  const { page, go, leave } = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  const dialog = page.getByRole('dialog');
  await go('/');
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('0 of 4 done').waitFor();
  assert.equal(await page.getByText('Install a real model').count(), 0, 'only operators install models');

  await page.getByRole('button', { name: 'New project' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('Help desk');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'What you can do next' }).waitFor();
  await settle(page);
  await assertAccessible(page, 'new project');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('button', { name: 'Hello! Who are you?' }).click();
  await hasValue(page.getByLabel('Message', { exact: true }), 'Hello! Who are you?');
  await page.getByRole('button', { name: 'Send' }).click();
  await answers(page).first().waitFor();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('1 of 4 done').waitFor();

  await page.getByRole('link', { name: 'Name one in your project' }).click();
  await page.getByRole('button', { name: 'New alias' }).first().click();
  await dialog.getByLabel('Alias').fill('assistant');
  await dialog.getByLabel('Points to').selectOption('fanfold-tiny-chat');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await page.getByRole('heading', { name: 'assistant', exact: true }).waitFor();
  await page.getByText('active', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('2 of 4 done').waitFor();

  await page.getByRole('button', { name: 'Make a key and show the code' }).click();
  await page.getByText('Waiting for your call').waitFor();
  await assertAccessible(page, 'first steps');
  const code = page.getByRole('group', { name: 'curl' });
  await code.getByText('assistant').waitFor();
  await code.getByRole('button', { name: 'Copy' }).click();
  assert.match(await runCopied(page), /"object":"chat.completion"/);
  await page.getByText('3 of 4 done').waitFor();
  await page.getByRole('link', { name: 'See the requests' }).click();
  await page
    .getByRole('row', { name: /assistant/ })
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Dashboard' }).click();

  await page.getByRole('link', { name: 'Import it' }).click();
  await page.getByRole('link', { name: 'Import a file' }).first().click();
  const file = { name: 'tickets.jsonl', mimeType: 'application/x-ndjson', buffer: Buffer.from(tickets) };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByRole('button', { name: 'Import 30 examples' }).click();
  await page.getByRole('heading', { name: 'Imported: 30 examples' }).waitFor();
  await page.getByRole('link', { name: 'Train on it' }).click();

  await page.getByLabel('Name (optional)').fill('Sort tickets');
  await page.getByText('All settings').click();
  await page.getByLabel('Epochs').fill('1000000');
  await page.getByText('A number from 1 to 100, or empty.').waitFor();
  await page.getByText('A setting is invalid; see its field.').waitFor();
  await page.getByLabel('Epochs').fill('6');
  await page.getByText(/^0\.\d+ credits$/).waitFor();
  await page.getByText(/2\d examples are few/).waitFor();
  await assertAccessible(page, 'new job');

  await page.getByRole('button', { name: 'Begin training' }).click();
  await page.getByRole('heading', { name: 'Sort tickets' }).waitFor();
  await page.getByText('Training begins.').waitFor(trained);
  await page.getByText('The job has succeeded.').waitFor(trained);
  await page.getByRole('row', { name: /^Validation loss \d/ }).waitFor();
  await page.reload();
  await settle(page);
  await page.getByText('The job has succeeded.').waitFor();
  // Also after the page was loaded anew.
  await page.getByRole('table', { name: 'Loss over the steps' }).getByRole('row').nth(3).waitFor();
  await assertAccessible(page, 'job');

  await page.getByRole('row', { name: /^Exact match 0% 100%$/ }).waitFor();

  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the adapter' }).click();
  const archive = await readFile(await (await saving).path());
  assert.equal(archive.subarray(0, 2).toString(), 'PK');

  await page.getByRole('button', { name: 'Serve it' }).click();
  await dialog.getByLabel('Alias').fill('tickets');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await page.getByRole('link', { name: 'Sort tickets' }).waitFor();
  await page.getByRole('link', { name: 'Compare with the base model' }).click();
  await hasValue(page.getByRole('combobox', { name: 'Model A' }), 'tickets');
  await hasValue(page.getByRole('combobox', { name: 'Model B' }), 'fanfold-tiny-chat');
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('16');
  });
  await page.getByLabel('Message', { exact: true }).fill('Ticket 77: the lamp does not start.');
  await page.keyboard.press('Enter');
  const side = (name: string) => page.getByRole('region', { name: `Conversation: ${name}` });
  await Promise.all(
    ['Model A', 'Model B'].map((name) =>
      side(name)
        .getByText(/\d tokens/)
        .waitFor(),
    ),
  );
  assert.equal(await side('Model A').locator('article').last().locator('p').first().textContent(), answer);
  assert.ok(!(await side('Model B').textContent())?.includes(answer), 'the base model has not learned it');
  await assertAccessible(page, 'comparison');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('Welcome, Grace Hopper.').waitFor();
  await settle(page);
  assert.equal(await page.getByText(/of 4 done/).count(), 0, 'every step is done');
  await leave();
});
