import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createStartToken } from '#accounts';
import { bearer, seedAccount } from '#test/accounts.ts';
import type { HubServer } from '#test/hub-server.ts';
import { seedPassword, testPassword } from '#test/sessions.ts';
import { startTinyHub, tinyId, tinyRepo } from '#test/tiny-hub.ts';
import { furnish } from '../../src/cli/first-start.ts';
import { assertAccessible } from './axe.ts';
import { answers, inSettings, say } from './playground-world.ts';
import { hasValue, openStage, pictureFolder, type Stage } from './stage.ts';

let hub: HubServer;
let stage: Stage;

before(async () => {
  hub = await startTinyHub();
  const threads = { FANFOLD_TRAINING_THREADS: '1', FANFOLD_ENGINE_THREADS: '1' };
  stage = await openStage({ settings: { HF_ENDPOINT: hub.url, ...threads } });
  await furnish(stage.database, stage.app.models);
});

after(async () => {
  await stage?.close();
  await hub?.close();
});

const trained = { timeout: 300_000 };
/** Learned in a few steps, and nothing that the base model would say. */
const reply = '[queue: fold]';
const table = [
  'Question;Answer',
  ...Array.from({ length: 30 }, (_, n) => {
    const thing = ['lamp', 'kettle', 'printer', 'drone', 'pump', 'oven'][n % 6];
    return `Ticket ${n}: the ${thing} does not start.;${reply}`;
  }),
].join('\n');

async function signIn(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Welcome to Fanfold' }).waitFor();
  await page.getByText('signed in as the operator').waitFor();
  await assertAccessible(page, 'the page of the start link');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Set and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await page.getByText('0 of 4 done').waitFor();
  await assertAccessible(page, 'the first page of an operator');
  await page.screenshot({ path: join(await pictureFolder('first-page'), 'first-page.png'), fullPage: true });
}

async function installModel(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Find a model' }).click();
  await page.getByRole('searchbox', { name: 'Search the hub' }).fill('tiny');
  await page.getByRole('button', { name: `Sizes of ${tinyRepo}` }).click();
  const sizes = page.getByRole('dialog');
  await sizes.getByText('fits', { exact: true }).waitFor();
  await sizes.getByRole('button', { name: 'Install Q8_0' }).click();
  await page.getByText('installed', { exact: true }).waitFor();
  await page.getByRole('rowheader', { name: `Fanfold tiny chat ${tinyId}` }).waitFor();
  await page.getByRole('button', { name: 'Use in a project' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click();
  await page.getByRole('dialog').getByLabel('Under which name').selectOption('chat');
  await page.getByRole('dialog').getByRole('button', { name: 'Switch model' }).click();
  await page.waitForURL(/hosted-models\/hm_/);
}

async function chatWithTool(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Hello! Who are you?' }).click();
  await hasValue(page.getByLabel('Message', { exact: true }), 'Hello! Who are you?');
  await page.getByRole('button', { name: 'Send' }).click();
  await answers(page).first().waitFor();
  await page
    .getByText(/the Fanfold demo model/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'New chat' }).click();
  await answers(page).first().waitFor({ state: 'detached' });
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByRole('button', { name: 'Add a tool' }).click();
    const form = settings.getByRole('group', { name: 'Add a tool' });
    await form.getByLabel('Name of the tool').fill('get_time');
    await form.getByLabel('Description').fill('Get the local time of a city.');
    await form.getByRole('button', { name: 'Add a tool' }).click();
  });
  await say(page, 'Which time is it in Tunis?');
  await page.getByText('Calls get_time').waitFor();
  await page.getByLabel('Result of get_time').fill('{"time": "14:05"}');
  await page.getByRole('button', { name: 'Send the results' }).click();
  await answers(page).nth(1).waitFor();
}

/** Takes the key from the code that is shown, and calls with it. */
async function callFromCode(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Make a key and show the code' }).click();
  const code = (await page.locator('pre').first().textContent()) ?? '';
  const [, key = ''] = /Bearer (fnf_[0-9A-Za-z]{49})/.exec(code) ?? [];
  assert.equal(await callChat(key, { model: 'chat' }), 200, code);
  return key;
}

async function callChat(key: string, body: object): Promise<number> {
  const response = await fetch(`${stage.origin}/api/projects/local/chat/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 8, ...body }),
  });
  await response.text();
  return response.status;
}

async function importTable(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Import it' }).click();
  await page.getByRole('link', { name: 'Import a file' }).first().click();
  const file = { name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(table) };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await page.getByRole('button', { name: 'Import 30 examples' }).click();
  await page.getByRole('heading', { name: 'Imported: 30 examples' }).waitFor();
}

async function trainAndServe(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Train on it' }).click();
  await page.getByLabel('Name (optional)').fill('Sort tickets');
  await page.getByText('All settings').click();
  await page.getByLabel('Epochs').fill('6');
  await page.getByText(/^0\.\d+ credits$/).waitFor();
  await page.getByRole('button', { name: 'Begin training' }).click();
  await page.getByText('The job has succeeded.').waitFor(trained);
  await page.getByRole('button', { name: 'Serve it' }).click();
  await page.getByRole('dialog').getByLabel('Alias').fill('tickets');
  await page.getByRole('dialog').getByRole('button', { name: 'Create alias' }).click();
  await page.getByRole('link', { name: 'Sort tickets' }).waitFor();
}

async function compare(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Compare with the base model' }).click();
  await hasValue(page.getByRole('combobox', { name: 'Model A' }), 'tickets');
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('16');
  });
  await say(page, 'Ticket 77: the lamp does not start.');
  const side = (name: string) => page.getByRole('region', { name: `Conversation: ${name}` });
  for (const name of ['Model A', 'Model B'])
    await side(name)
      .getByText(/\d tokens/)
      .waitFor();
  assert.equal(await side('Model A').locator('article').last().locator('p').first().textContent(), reply);
  assert.ok(!(await side('Model B').textContent())?.includes(reply), 'the base model has not learned it');
}

test('with a browser only: from the printed link to a model that was installed, used, trained, compared and shared', async () => {
  const token = await createStartToken(stage.database, new URL(stage.origin).host);
  const { page, go, leave } = await stage.open();
  await go(`/join#${token}`);
  await signIn(page);
  await installModel(page);
  await go('/');
  await page.getByText('1 of 4 done').waitFor();
  await chatWithTool(page);
  await go('/');
  await page.getByText('2 of 4 done').waitFor();
  const key = await callFromCode(page);
  await importTable(page);
  await trainAndServe(page);
  await compare(page);

  const friend = await seedAccount(stage.database);
  const { email } = await seedPassword(stage.database, friend);
  await go('/projects/local/chat/hosted-models');
  await page.getByRole('link', { name: 'tickets', exact: true }).click();
  await page.getByRole('textbox', { name: 'URL name or e-mail address' }).fill(email);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('rowheader', { name: friend.slug }).waitFor();
  await go('/');
  assert.equal(await page.getByText(/of 4 done/).count(), 0, 'every step is done');

  assert.equal(await callChat(key, { model: 'chat', temperature: 9 }), 400);
  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  await page
    .getByRole('row', { name: /invalid_request/ })
    .getByRole('link')
    .click();
  await page.getByRole('dialog').getByText('temperature').first().waitFor();
  await leave();

  const guest = await stage.open(friend);
  await guest.go('/activity');
  await guest.page
    .getByText(/tickets/)
    .first()
    .waitFor();
  await guest.go('/projects');
  await guest.page.getByRole('region', { name: 'Shared with me' }).getByText('local/chat/tickets').waitFor();
  await guest.leave();
});
