import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { seedProject } from '#test/accounts.ts';
import { seedAlias } from '#test/tenants.ts';
import { assertAccessible } from './axe.ts';
import { answers, inSettings, say, seedChat, seedPlace } from './playground-world.ts';
import { hasValue, openStage, pictureFolder, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('settings are kept per project, stand in the URL, and a new chat begins with them', async () => {
  const { owner, path } = await seedPlace(stage);
  const other = await seedProject(stage.database, { accountId: owner.accountId, name: 'Other' });
  await seedAlias(stage.database, stage.app.models, { projectId: other.projectId, kind: 'text', alias: 'helper' });
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByLabel('Model', { exact: true }).selectOption('fanfold-tiny-chat');
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Temperature').fill('0');
    await settings.getByLabel('Max tokens').fill('9');
    await settings.getByLabel('System prompt').fill('Be brief.');
  });
  await page.waitForURL(/model=fanfold-tiny-chat/);
  await page.waitForURL(/max_tokens=9/);
  const address = page.url();
  const areKept = () =>
    inSettings(page, async (settings) => {
      await hasValue(settings.getByLabel('Temperature'), '0');
      await hasValue(settings.getByLabel('Max tokens'), '9');
      await hasValue(settings.getByLabel('System prompt'), 'Be brief.');
    });
  await say(page, 'Hello!');
  await answers(page).first().waitFor();
  // The conversation has them now.
  await page.waitForURL(/\?chat=cht_\w+$/);
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('heading', { name: 'Send a message to begin' }).waitFor();
  await hasValue(page.getByLabel('Model', { exact: true }), 'fanfold-tiny-chat');
  await areKept();

  await go(path.replace(/[^/]+\/playground$/, `${other.slug}/playground`));
  await inSettings(page, async (settings) => {
    await hasValue(settings.getByLabel('Temperature'), '1');
    await hasValue(settings.getByLabel('System prompt'), '');
  });
  await go(path);
  await areKept();
  await leave();

  // Somebody else's browser.
  const stranger = await stage.open(owner);
  await stranger.go(address.replace(stage.origin, ''));
  await hasValue(stranger.page.getByLabel('Model', { exact: true }), 'fanfold-tiny-chat');
  await inSettings(stranger.page, async (settings) => {
    await hasValue(settings.getByLabel('Temperature'), '0');
    await hasValue(settings.getByLabel('Max tokens'), '9');
  });
  await stranger.leave();
});

test('a comparison has its conversation and both models again after a reload', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?compare=true`);
  await page.getByRole('combobox', { name: 'Model A' }).selectOption('fanfold-tiny-chat');
  await page.getByRole('combobox', { name: 'Model B' }).selectOption('helper');
  await inSettings(page, async (settings) => {
    await settings.getByLabel('Reasoning').selectOption('none');
    await settings.getByLabel('Max tokens').fill('8');
  });
  await say(page, 'Who are you?');
  const sides = ['Model A', 'Model B'].map((name) => page.getByRole('region', { name: `Conversation: ${name}` }));
  const areAnswered = () => Promise.all(sides.map((side) => side.getByText(/\d tokens/).waitFor()));
  await areAnswered();
  await page.waitForURL(/chat_b=cht_/);
  await page.reload();
  await settle(page);
  await areAnswered();
  assert.deepEqual(await Promise.all(sides.map((side) => side.getByText('Who are you?').count())), [1, 1]);
  await hasValue(page.getByRole('combobox', { name: 'Model A' }), 'fanfold-tiny-chat');
  await hasValue(page.getByRole('combobox', { name: 'Model B' }), 'helper');
  await inSettings(page, (settings) => hasValue(settings.getByLabel('Max tokens'), '8'));
  await say(page, 'And now?');
  await Promise.all(
    sides.map((side) =>
      side
        .getByText(/\d tokens/)
        .nth(1)
        .waitFor(),
    ),
  );
  const [{ count } = { count: 0 }] = await stage.database.query<{ count: number }>(
    'select count(*)::integer as count from chats c join projects p on p.id = c.project_id where p.account_id = $1',
    [owner.accountId],
  );
  assert.equal(count, 2);
  await leave();
});

test('a long conversation opens at its end, and the message field is in view on every screen', async (t) => {
  const pictures = await pictureFolder('playground-layout');
  const { owner, path, projectId } = await seedPlace(stage);
  const answer = Array.from({ length: 80 }, (_, line) => `Line ${line} of **${80}**.`).join('\n\n');
  const chatId = await seedChat(stage, { projectId, answer });
  const views = [
    { name: 'wide', options: { viewport: { width: 1600, height: 900 } } },
    { name: 'phone', options: { viewport: { width: 390, height: 740 }, colorScheme: 'dark' } },
  ] as const;
  for (const { name, options } of views) {
    const { page, go, leave } = await stage.open({ ...owner, ...options });
    await go(`${path}?chat=${chatId}`);
    const isAtEnd = `(() => {
      const list = document.querySelector('section[aria-label="Conversation"]');
      return list.scrollHeight > list.clientHeight + 500 && list.scrollHeight - list.scrollTop - list.clientHeight < 4;
    })()`;
    await answers(page).getByText('Line 79').waitFor();
    for (const deadline = performance.now() + 20_000; !(await page.evaluate(isAtEnd)); )
      assert.ok(performance.now() < deadline, `${name} is not at the end`);
    const { height } = options.viewport;
    for (const part of [
      page.getByLabel('Message', { exact: true }),
      page.getByRole('button', { name: 'Send', exact: true }),
    ]) {
      const box = await part.boundingBox();
      assert.ok(box && box.y > 0 && box.y + box.height <= height, `${name}: ${JSON.stringify(box)}`);
    }
    for (const side of ['Width', 'Height']) {
      const overflow = await page.evaluate(`document.documentElement.scroll${side} - inner${side}`);
      assert.ok(Number(overflow) <= 0, `${name}: ${side} ${overflow}`);
    }
    await page.screenshot({ path: join(pictures, `end-${name}.png`) });
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Temperature').waitFor();
    await assertAccessible(page, `settings ${name}`);
    await page.screenshot({ path: join(pictures, `settings-${name}.png`) });
    await leave();
  }
  t.diagnostic(`pictures in ${pictures}`);
});
