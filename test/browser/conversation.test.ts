import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { openEndlessStage } from './endless-stage.ts';
import { answers, inSettings, say, seedPlace } from './playground-world.ts';
import { answered, hasValue, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openEndlessStage();
});

after(() => stage?.close());

test('an answer is streamed with what it cost, is found again, edited, made anew and copied as code', async () => {
  const { owner, path, slug } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await inSettings(page, async (settings) => {
    await hasValue(settings.getByLabel('Temperature'), '1');
    await hasValue(settings.getByLabel('Max tokens'), '1024');
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('24');
    await settings.getByLabel('System prompt').fill('Answer briefly.');
  });
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
  await inSettings(page, (settings) => hasValue(settings.getByLabel('System prompt'), 'Answer briefly.'));

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

  const edit = page.getByRole('button', { name: 'Edit and send again' });
  await edit.press('Enter');
  await page.locator('textarea:focus').and(page.getByLabel('Edited message')).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await page.locator('button:focus').and(edit).waitFor();
  await edit.click();
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
  await page.getByRole('button', { name: 'Add to dataset' }).click();
  await page.getByRole('dialog').getByLabel('Dataset').waitFor();
  await assertAccessible(page, 'saving');
  await page.getByRole('dialog').getByRole('button', { name: 'Add to dataset' }).click();
  await page.getByText('The answer was added to the dataset.').waitFor();
  const examples = await fetch(`${data}/${datasetId}/examples`, { headers });
  assert.partialDeepStrictEqual(JSON.parse(await examples.text()), { total_count: 1, data: [{ origin: 'chat' }] });
  await page.getByRole('link', { name: 'Look at the dataset' }).click();
  await page.getByRole('heading', { name: 'Good answers' }).waitFor();
  await page.goBack();

  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'Send a message to begin' }).waitFor();
  await page.getByRole('button', { name: 'Chats' }).click();
  await page.getByRole('dialog').getByText('What is 2 + 3?').waitFor();
  await assertAccessible(page, 'chats');
  await page.getByRole('dialog').getByText('What is 2 + 3?').click();
  await page.getByText('What is 4 + 4?').waitFor();
  await leave();
});

test('what was not heard comes back to be sent again, and what is written outlasts another page and a reload', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  const message = page.getByLabel('Message', { exact: true });
  await page.route(/\/chats$/, (route) => route.abort());
  await say(page, 'What is 2 + 3?');
  await page.getByText('The server could not be reached.').waitFor();
  await hasValue(message, 'What is 2 + 3?');
  await page
    .getByRole('navigation', { name: 'Pages of the project' })
    .getByRole('link', { name: 'Data', exact: true })
    .click();
  await message.waitFor({ state: 'detached' });
  await page
    .getByRole('navigation', { name: 'Pages of the project' })
    .getByRole('link', { name: 'Playground', exact: true })
    .click();
  await hasValue(message, 'What is 2 + 3?');
  await inSettings(page, (settings) => settings.getByLabel('System prompt').fill('Answer briefly.'));
  await page.reload();
  await settle(page);
  await hasValue(message, 'What is 2 + 3?');
  await inSettings(page, (settings) => hasValue(settings.getByLabel('System prompt'), 'Answer briefly.'));
  await page.unroute(/\/chats$/);
  await message.press('Enter');
  await answers(page).first().waitFor();
  await hasValue(message, '');
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'Send a message to begin' }).waitFor();
  await hasValue(message, '');
  await leave();
});

test('a conversation whose model is switched off says so, and goes on with another', async () => {
  const { owner, path, slug } = await seedPlace(stage);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/messages$/] });
  await go(path);
  await inSettings(page, (settings) => settings.getByLabel('Max tokens').fill('12'));
  await say(page, 'What is 2 + 3?');
  await answers(page).first().waitFor();
  const models = `${stage.origin}/api/v1/projects/${owner.slug}/${slug}/hosted-models`;
  const headers = bearer(owner.key);
  const { data } = JSON.parse(await (await fetch(`${models}?source=alias`, { headers })).text());
  const off = await fetch(`${models}/${data[0].id}/deactivate`, { method: 'PATCH', headers });
  assert.equal(off.status, 200);
  await say(page, 'And 3 + 3?');
  await page.getByText('The model "helper" of this project is not active.').waitFor();
  await page.getByText('Activate it under Models, or choose another one.', { exact: true }).waitFor();
  await page.reload();
  await settle(page);
  const model = page.getByLabel('Model', { exact: true });
  await hasValue(model, 'helper');
  await page.getByText('It cannot be called at present.').waitFor();
  await assertAccessible(page, 'inactive model');
  await model.selectOption('fanfold-tiny-chat');
  await page.getByText('It cannot be called at present.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await answers(page).nth(1).waitFor();
  await leave();
});

test('reasoning and calls of tools are shown apart from what is said', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=fanfold-tiny-chat`);
  await hasValue(page.getByLabel('Model', { exact: true }), 'fanfold-tiny-chat');
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const description = 'Get the local time of a city.';
  const tools = [{ type: 'function', function: { name: 'get_time', description, parameters } }];
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Tools').fill('[{');
    await settings.getByText('This is not a JSON list.').waitFor();
    await settings.getByLabel('Tools').fill(JSON.stringify(tools));
  });
  await say(page, 'Which time is it in Tunis?');
  await answers(page).first().waitFor();
  await page.getByText('Calls get_time').waitFor();
  assert.match((await answers(page).first().locator('code').textContent()) ?? '', /"city": "Tunis"/);
  assert.match((await answers(page).first().locator('details').textContent()) ?? '', /^Reasoning.+/);
  await leave();
});

test('an answer is stopped, and what had arrived stays', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByLabel('Model', { exact: true }).selectOption('endless');
  // Without chance it never meets a token that ends it.
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Max tokens').fill('15000');
  });
  await say(page, 'Go on!');
  await page.locator('article[data-live] p').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
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
  const { owner, path, projectId } = await seedPlace(stage);
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
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('8');
  });
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
  const { owner, path } = await seedPlace(stage);
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
