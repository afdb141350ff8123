import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { answers, inSettings, say, seedPlace } from './playground-world.ts';
import { hasValue, openStage, pictureFolder, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a tool is added with a form, an answer calls it, and goes on with the result', async (t) => {
  const pictures = await pictureFolder('tool-loop');
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=fanfold-tiny-chat&temperature=0`);
  await inSettings(page, async (settings) => {
    await settings.getByRole('button', { name: 'Add a tool' }).click();
    const form = settings.getByRole('group', { name: 'Add a tool' });
    await form.getByRole('button', { name: 'Insert an example' }).click();
    await hasValue(form.getByLabel('Name of the tool'), 'get_weather');
    await assertAccessible(page, 'tool form');
    await page.screenshot({ path: join(pictures, 'form.png') });
    await form.getByLabel('Name of the tool').fill('get time');
    await form.getByText('1 to 64 letters, digits').waitFor();
    await form.getByLabel('Name of the tool').fill('get_time');
    await form.getByLabel('Description').fill('Get the local time of a city.');
    await form.getByRole('button', { name: 'Add a tool' }).click();
    assert.match(await settings.getByLabel('Tools', { exact: true }).inputValue(), /"name": "get_time"/);
  });
  await say(page, 'Which time is it in Tunis?');
  await page.getByText('Calls get_time').waitFor();
  const result = page.getByLabel('Result of get_time');
  const send = page.getByRole('button', { name: 'Send the results' });
  assert.equal(await send.isEnabled(), false);
  await result.fill('{"time": "14:05"}');
  await assertAccessible(page, 'result');
  await page.screenshot({ path: join(pictures, 'result.png') });
  await send.click();
  await answers(page).nth(1).waitFor();
  await result.waitFor({ state: 'detached' });
  await page.reload();
  await settle(page);
  await answers(page).nth(1).waitFor();
  assert.equal(
    await page.getByRole('article', { name: 'Result of a tool' }).locator('code').textContent(),
    '{"time": "14:05"}',
  );
  const roles = await stage.database.query<{ role: string }>(
    `select m.role from chat_messages m join chats c on c.id = m.chat_id join projects p on p.id = c.project_id
      where p.account_id = $1 order by m.seq`,
    [owner.accountId],
  );
  assert.deepEqual(
    roles.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant'],
  );
  await leave();
  t.diagnostic(`pictures in ${pictures}`);
});

test('an answer fits a JSON schema, and further settings are sent and found again', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?model=fanfold-tiny-chat`);
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('80');
    await settings.getByLabel('Answer format').selectOption('json_schema');
    const schema = settings.getByRole('textbox', { name: 'JSON schema' });
    assert.match(await schema.inputValue(), /is_certain/);
    await schema.fill('[]');
    await settings.getByText('This is not a JSON object.').waitFor();
    await settings.getByRole('button', { name: 'Insert an example' }).click();
    assert.match(await schema.inputValue(), /is_certain/);
    await schema.fill('{"type":"object","properties":{"is_certain":{"type":"boolean"}},"required":["is_certain"]}');
    await settings.getByLabel('Top K').fill('5');
    await settings.getByLabel('Seed').fill('7');
    await settings.getByLabel('Presence penalty').fill('0.5');
    await settings.getByLabel('Stop sequences').fill('###\n\\n\\n');
  });
  await say(page, 'Are you sure?');
  await answers(page).first().waitFor();
  const [row] = await stage.database.query<{ content: string; request: Record<string, unknown> }>(
    `select m.content, m.request from chat_messages m join chats c on c.id = m.chat_id
       join projects p on p.id = c.project_id where p.account_id = $1 and m.role = 'assistant'`,
    [owner.accountId],
  );
  assert.partialDeepStrictEqual(row?.request, { top_k: 5, seed: 7, presence_penalty: 0.5, stop: ['###', '\n\n'] });
  assert.equal(typeof JSON.parse(row?.content ?? '').is_certain, 'boolean');
  await page.waitForURL(/cht_/);
  await page.reload();
  await settle(page);
  await inSettings(page, async (settings) => {
    await hasValue(settings.getByLabel('Top K'), '5');
    await hasValue(settings.getByLabel('Stop sequences'), '###\n\\n\\n');
    await hasValue(settings.getByLabel('Answer format'), 'json_schema');
    await settings.getByLabel('Seed').fill('');
    await settings.getByRole('button', { name: 'Back to the defaults' }).click();
    await hasValue(settings.getByLabel('Top K'), '');
  });
  await leave();
});
