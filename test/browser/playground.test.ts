import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addModel } from '#models';
import { seedProject } from '#test/accounts.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { seedAlias } from '#test/tenants.ts';
import { assertAccessible } from './axe.ts';
import { answered, hasValue, openStage, pictureFolder, type Stage, seedOwner, settle } from './stage.ts';

let stage: Stage;
let folder: string;

before(async () => {
  stage = await openStage();
  folder = await mkdtemp(join(tmpdir(), 'fanfold-playground-'));
  const ggufPath = join(folder, 'endless.gguf');
  const shape = { ...smallShape, contextTokens: 16_384 };
  writeRandomModel(ggufPath, { shape, seed: 7, kind: 'text', spread: 0.3, ends: false });
  await addModel(stage.app.models, { id: 'endless', kind: 'text', ggufPath, contextTokens: 16_384 });
});

after(async () => {
  await stage?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function seedPlace(kind: 'text' | 'embedding' = 'text') {
  const owner = await seedOwner(stage.database);
  const project = await seedProject(stage.database, { accountId: owner.accountId, kind, name: 'Help desk' });
  await seedAlias(stage.database, stage.app.models, { projectId: project.projectId, kind, alias: 'helper' });
  return { owner, ...project, path: `/projects/${owner.slug}/${project.slug}/playground` };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

const answers = (page: Page) => page.locator('article').filter({ hasText: /tokens/ });

test('an answer is streamed with what it cost, is found again, edited, made anew and copied as code', async () => {
  const { owner, path, slug } = await seedPlace();
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await hasValue(page.getByLabel('Temperature'), '1');
  await hasValue(page.getByLabel('Most tokens of an answer'), '1024');
  await page.getByLabel('Temperature').fill('0');
  await page.getByLabel('Reasoning').selectOption('none');
  await page.getByLabel('Most tokens of an answer').fill('24');
  await page.getByLabel('System prompt').fill('Answer briefly.');
  await say(page, 'What is 2 + 3?');
  await answers(page).first().waitFor();
  await page.getByText(/\d → \d+ tokens/).waitFor();
  await page.getByText(/0\.\d+ credits/).waitFor();
  await page.getByText(/first word/).waitFor();
  await page.waitForURL(/chat=cht_/);
  const said = await answers(page).first().locator('p').first().textContent();

  await page.reload();
  await settle(page);
  await answers(page).first().waitFor();
  assert.equal(await answers(page).first().locator('p').first().textContent(), said);
  await hasValue(page.getByLabel('System prompt'), 'Answer briefly.');

  await page.getByRole('button', { name: 'As code' }).click();
  const dialog = page.getByRole('dialog');
  const code = (await dialog.locator('code').first().textContent()) ?? '';
  await assertAccessible(page, 'code');
  assert.match(code, new RegExp(`/api/projects/${owner.slug}/${slug}/openai/v1/chat/completions`));
  const body = JSON.parse(code.slice(code.indexOf("-d '") + 4, -1));
  assert.partialDeepStrictEqual(body, {
    model: 'helper',
    messages: [
      { role: 'system', content: 'Answer briefly.' },
      { role: 'user', content: 'What is 2 + 3?' },
    ],
    temperature: 0,
    max_tokens: 24,
    reasoning_effort: 'none',
  });
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit and send again' }).click();
  await page.getByLabel('Edited message').fill('What is 4 + 4?');
  await page.getByRole('button', { name: 'Send' }).first().click();
  await page.getByText('What is 2 + 3?').waitFor({ state: 'detached' });
  await answers(page).first().waitFor();
  await answered(page, /^POST .*\/retry$/, () => page.getByRole('button', { name: 'Answer again' }).click());
  await page.getByRole('button', { name: 'Answer again' }).waitFor();
  assert.equal(await page.locator('article').count(), 2);

  const data = `${stage.origin}/api/v1/projects/${owner.slug}/${slug}/datasets`;
  const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
  const made = await fetch(data, { method: 'POST', headers, body: JSON.stringify({ name: 'Good answers' }) });
  const { id: datasetId } = JSON.parse(await made.text());
  await page.getByRole('button', { name: 'Save as example' }).click();
  await page.getByRole('dialog').getByLabel('Dataset').waitFor();
  await assertAccessible(page, 'saving');
  await page.getByRole('dialog').getByRole('button', { name: 'Save as example' }).click();
  await page.getByText('The answer is an example now.').waitFor();
  const examples = await fetch(`${data}/${datasetId}/examples`, { headers });
  assert.partialDeepStrictEqual(JSON.parse(await examples.text()), { total_count: 1, data: [{ origin: 'chat' }] });

  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'Say something to begin' }).waitFor();
  await page.getByRole('button', { name: 'Chats' }).click();
  await page.getByRole('dialog').getByText('What is 2 + 3?').waitFor();
  await assertAccessible(page, 'chats');
  await page.getByRole('dialog').getByText('What is 2 + 3?').click();
  await page.getByText('What is 4 + 4?').waitFor();
  await leave();
});

test('reasoning and calls of tools are shown apart from what is said', async () => {
  const { owner, path } = await seedPlace();
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=fanfold-tiny-chat`);
  await hasValue(page.getByLabel('Model', { exact: true }), 'fanfold-tiny-chat');
  await page.getByLabel('Temperature').fill('0');
  await page.getByLabel('Tools').fill('[{');
  await page.getByText('This is not a JSON list.').waitFor();
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const description = 'Get the local time of a city.';
  const tools = [{ type: 'function', function: { name: 'get_time', description, parameters } }];
  await page.getByLabel('Tools').fill(JSON.stringify(tools));
  await say(page, 'Which time is it in Tunis?');
  await answers(page).first().waitFor();
  await page.getByText('Calls get_time').waitFor();
  assert.match((await answers(page).first().locator('code').textContent()) ?? '', /"city": "Tunis"/);
  assert.match((await answers(page).first().locator('details').textContent()) ?? '', /^Reasoning.+/);
  await leave();
});

test('an answer is stopped, and what had arrived stays', async () => {
  const { owner, path } = await seedPlace();
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByLabel('Model', { exact: true }).selectOption('endless');
  // Without chance it never meets a token that ends it.
  await page.getByLabel('Temperature').fill('0');
  await page.getByLabel('Most tokens of an answer').fill('15000');
  await say(page, 'Go on!');
  await page.locator('article[data-live] p').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped', { exact: true }).waitFor();
  const [row] = await stage.database.query<{ state: string; length: number }>(
    `select m.state, length(m.content) as length from chat_messages m join chats c on c.id = m.chat_id
       join projects p on p.id = c.project_id where p.account_id = $1 and m.role = 'assistant'`,
    [owner.accountId],
  );
  assert.equal(row?.state, 'stopped');
  assert.ok((row?.length ?? 0) > 0);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await leave();
});

test('a model that is starting is asked again after the time it says, three times, and then by hand', async () => {
  const { owner, path, projectId } = await seedPlace();
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^503 /] });
  const setState = (state: string) =>
    stage.database.query(
      `update hosted_models set state = $2, activation = case when $2 = 'warming' then '{}'::jsonb end
        where project_id = $1`,
      [projectId, state],
    );
  await setState('warming');
  // Nobody waits for the seconds between the tries.
  await page.clock.install();
  await go(path);
  let asked = 0;
  await page.route(/\/messages(\/msg_\w+\/retry)?$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked += 1;
    const response = await route.fetch({ timeout: 60_000 });
    // So long that a countdown is seen however busy the machine is.
    const wait = response.status() === 503 ? { 'retry-after': '50' } : {};
    return route.fulfill({ response, headers: { ...response.headers(), ...wait } });
  });
  await page.getByLabel('Reasoning').selectOption('none');
  await page.getByLabel('Most tokens of an answer').fill('8');
  await say(page, 'Hello!');
  for (const retry of [1, 2, 3]) {
    const told = page.getByText(new RegExp(`Trying again in \\d+ s \\(${retry} of 3\\)`));
    const [, seconds = '1'] = /in (\d+) s/.exec((await told.textContent()) ?? '') ?? [];
    // No further than that: the next countdown must be seen as well.
    await page.clock.runFor(Number(seconds) * 1_000);
  }
  const button = page.getByRole('button', { name: 'Try again' });
  await button.waitFor();
  assert.equal(asked, 4);
  await setState('active');
  await button.click();
  await answers(page).first().waitFor();
  assert.equal(asked, 5);
  await leave();
});

test('an error within an answer is shown, and only a person tries again', async () => {
  const { owner, path } = await seedPlace();
  const { page, go, leave } = await stage.open(owner);
  await page.clock.install();
  await go(path);
  let asked = 0;
  await page.route(/\/messages$/, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked += 1;
    const error = { code: 'generation_failed', message: 'The model stopped unexpectedly.', type: 'x', param: null };
    const frame = { choices: [{ index: 0, delta: { content: 'Half an ans' } }] };
    return route.fulfill({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify(frame)}\n\ndata: ${JSON.stringify({ error })}\n\n`,
    });
  });
  await say(page, 'Hello!');
  await page.getByText('The model stopped unexpectedly.').waitFor();
  await page.clock.runFor(30_000);
  await page.waitForLoadState('networkidle');
  assert.equal(asked, 1);
  await leave();
});

test('two models answer the same words side by side', async () => {
  const { owner, path } = await seedPlace();
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByText('Compare', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Model B' }).selectOption('fanfold-tiny-chat');
  await page.getByLabel('Reasoning').selectOption('none');
  await page.getByLabel('Most tokens of an answer').fill('12');
  await say(page, 'What is the capital of France?');
  for (const side of ['Model A', 'Model B']) {
    const column = page.getByRole('region', { name: `Conversation: ${side}` });
    await column.getByText(/\d tokens/).waitFor();
    assert.equal(await column.getByText('What is the capital of France?').count(), 1);
  }
  const models = await stage.database.query<{ model: string }>(
    'select model from chats c join projects p on p.id = c.project_id where p.account_id = $1 order by model',
    [owner.accountId],
  );
  assert.deepEqual(
    models.map(({ model }) => model),
    ['fanfold-tiny-chat', 'helper'],
  );
  await leave();
});

test('texts are compared by their vectors, and a query ranks them', async () => {
  const { owner, path } = await seedPlace('embedding');
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  const texts = ['How do I fold a paper fan?', 'Fold the paper like an accordion.', 'The ferry leaves at noon.'];
  await page.getByRole('textbox', { name: 'Texts' }).fill(texts.join('\n'));
  await page.getByRole('button', { name: 'Compare the texts' }).click();
  const table = page.getByRole('table');
  await table.waitFor();
  const cells = await table.locator('td').allTextContents();
  assert.equal(cells.length, 9);
  assert.deepEqual([cells[0], cells[4], cells[8]], ['1.00', '1.00', '1.00']);
  assert.equal(cells[1], cells[3]);
  await page.getByLabel('Query').fill('ferry departure');
  await page.getByRole('button', { name: 'Find' }).click();
  const list = page.getByRole('list').filter({ hasText: 'ferry' }).last();
  await list.waitFor();
  assert.equal(await list.getByRole('listitem').count(), 3);
  await page.getByRole('button', { name: 'As code' }).click();
  assert.match((await page.getByRole('dialog').locator('code').first().textContent()) ?? '', /openai\/v1\/embeddings/);
  await leave();
});

test('everybody can use the playground, in the light and in the dark, on a phone and on a wide screen', async (t) => {
  const pictures = await pictureFolder('playground');
  const text = await seedPlace();
  const embedding = await seedPlace('embedding');
  const views = [
    { name: 'light', options: {} },
    { name: 'phone-dark-zh', options: { viewport: { width: 360, height: 740 }, colorScheme: 'dark', locale: 'zh-CN' } },
  ] as const;
  for (const { name, options } of views) {
    const talk = await stage.open({ ...text.owner, ...options });
    await talk.go(text.path);
    await assertAccessible(talk.page, `empty ${name}`);
    await talk.page.screenshot({ path: join(pictures, `empty-${name}.png`), fullPage: true });
    await talk.page.locator('form textarea').first().fill('What is the capital of France?');
    await talk.page.keyboard.press('Enter');
    await talk.page.locator('article').nth(1).waitFor();
    await talk.page.locator('article[data-live]').waitFor({ state: 'detached', timeout: 240_000 });
    await assertAccessible(talk.page, `answered ${name}`);
    await talk.page.screenshot({ path: join(pictures, `answered-${name}.png`), fullPage: true });
    const width = await talk.page.evaluate('document.documentElement.scrollWidth - innerWidth');
    assert.ok(Number(width) <= 0, `${name} is too wide`);
    await talk.go(`${text.path}?compare=true`);
    await assertAccessible(talk.page, `compare ${name}`);
    await talk.page.screenshot({ path: join(pictures, `compare-${name}.png`), fullPage: true });
    await talk.leave();

    const vectors = await stage.open({ ...embedding.owner, ...options });
    await vectors.go(embedding.path);
    await vectors.page
      .locator('form textarea')
      .first()
      .fill('A red lamp\nA crimson light\nA ferry at noon\nA boat at midday');
    await vectors.page.locator('form button[type=submit]').first().click();
    await vectors.page.getByRole('table').waitFor();
    await vectors.page.locator('form input').first().fill('lamp');
    await vectors.page.keyboard.press('Enter');
    await vectors.page.locator('ol li').first().waitFor();
    await assertAccessible(vectors.page, `vectors ${name}`);
    await vectors.page.screenshot({ path: join(pictures, `vectors-${name}.png`), fullPage: true });
    await vectors.leave();
  }
  t.diagnostic(`pictures in ${pictures}`);
});
