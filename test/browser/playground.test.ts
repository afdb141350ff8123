import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { answers, inSettings, say, seedPlace } from './playground-world.ts';
import { openStage, pictureFolder, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('two models answer the same words side by side', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByText('Compare', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Model B' }).selectOption('fanfold-tiny-chat');
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('12');
  });
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

test('nothing is sent while a setting is invalid: the settings stay open, and its field is focused and says what is wrong', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-invalid")');
  const message = page.getByLabel('Message', { exact: true });
  await message.fill('Hello');
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const tools = page.getByLabel('Tools');
  const temperature = page.getByLabel('Temperature');
  for (const [field, wrong, right, told] of [
    [temperature, '9', '1', 'A number from 0 to 2'],
    [tools, '[{', '', 'JSON'],
  ] as const) {
    await field.fill(wrong);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.waitForFunction('document.activeElement?.getAttribute("aria-invalid") === "true"');
    assert.equal(await focused(), 'true');
    assert.ok(
      (await page.getByRole('alert').or(page.locator('[id$="-error"]')).allTextContents()).join().includes(told),
    );
    assert.equal(await message.inputValue(), 'Hello');
    assert.equal(await page.locator('article').count(), 0);
    await page.getByRole('dialog').waitFor();
    await field.fill(right);
  }
  const chats = await stage.database.query(
    'select 1 from chats c join projects p on p.id = c.project_id where p.account_id = $1',
    [owner.accountId],
  );
  assert.equal(chats.length, 0);
  await page.getByLabel('Max tokens').fill('4');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await message.press('Enter');
  await page.locator('article').nth(1).waitFor();
  await leave();
});

test('tools keep the digits of numbers and the order of names while a conversation is read again and goes on', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  const properties = '{"reason":{"const":9007199254740993},"10":{"maximum":1e400},"2":{"enum":[1.0]}}';
  const parameters = `{"type":"object","properties":${properties}}`;
  await inSettings(page, async (settings) => {
    await settings
      .getByLabel('Tools')
      .fill(`[{"type":"function","function":{"name":"look","parameters":${parameters}}}]`);
    await settings.getByLabel('Max tokens').fill('4');
  });
  await say(page, 'Hello');
  await answers(page).first().waitFor();
  await page.waitForURL(/cht_/);
  await page.reload();
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Max tokens').fill('5');
    const tools = await settings.getByLabel('Tools').inputValue();
    assert.equal(tools.replaceAll(/\s/g, '').includes(properties), true, tools);
  });
  await say(page, 'And now?');
  await answers(page).nth(1).waitFor();
  const [chat] = await stage.database.query<{ params: string }>(
    'select params::text from chats c join projects p on p.id = c.project_id where p.account_id = $1',
    [owner.accountId],
  );
  assert.ok(chat?.params.includes(parameters) && chat.params.includes('"max_tokens":5'), chat?.params);
  await page.getByRole('button', { name: 'As code' }).last().click();
  const code = await page.getByRole('dialog').locator('code').first().textContent();
  assert.ok(code?.replaceAll(/\s/g, '').includes(properties), code ?? '');
  await leave();
});

test('texts are compared by their vectors, and a query ranks them', async () => {
  const { owner, path } = await seedPlace(stage, 'embedding');
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
  const text = await seedPlace(stage);
  const embedding = await seedPlace(stage, 'embedding');
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
    await talk.page.locator('main button').first().click();
    await talk.page.getByRole('dialog').locator('li').first().waitFor();
    await assertAccessible(talk.page, `chats ${name}`);
    await talk.page.keyboard.press('Escape');
    await talk.page.getByRole('dialog').waitFor({ state: 'detached' });
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
