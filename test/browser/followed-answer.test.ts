import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { assertAccessible } from './axe.ts';
import { openEndlessStage } from './endless-stage.ts';
import { inSettings, say, seedChat, seedPlace } from './playground-world.ts';
import { type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openEndlessStage();
});

after(() => stage?.close());

const live = (page: Page) => page.locator('article[data-live]');

/** Waits until more of the answer is seen than before. */
async function grows(page: Page): Promise<void> {
  const lengthNow = async () => ((await live(page).textContent()) ?? '').length;
  await live(page).waitFor();
  const before = await lengthNow();
  for (const deadline = performance.now() + 60_000; (await lengthNow()) <= before; await sleep(50))
    assert.ok(performance.now() < deadline, 'the answer does not grow');
}

test('an answer goes on while its page is reloaded or left, is followed again, and is stopped', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  const stateNow = async () => {
    const rows = await stage.database.query<{ state: string; usage: object | null }>(
      `select m.state, m.usage from chat_messages m join chats c on c.id = m.chat_id
         join projects p on p.id = c.project_id where p.account_id = $1 and m.role = 'assistant' order by m.seq`,
      [owner.accountId],
    );
    return rows.map(({ state }) => state);
  };
  await go(`${path}?model=endless&temperature=0&max_tokens=60000`);
  await say(page, 'Go on!');
  await grows(page);
  await page.waitForURL(/chat=cht_/);
  await page.reload();
  await settle(page);
  await grows(page);
  assert.deepEqual(await stateNow(), ['streaming']);

  await page
    .getByRole('navigation', { name: 'Pages of the project' })
    .getByRole('link', { name: 'Data', exact: true })
    .click();
  await live(page).waitFor({ state: 'detached' });
  await page.goBack();
  await grows(page);
  assert.deepEqual(await stateNow(), ['streaming']);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await live(page).waitFor({ state: 'detached' });
  assert.deepEqual(await stateNow(), ['stopped']);
  await assertAccessible(page, 'stopped');

  await leave();
});

test('an answer that was stopped is continued, and counts that nobody knows are shown as unknown', async () => {
  const { owner, path, projectId } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  const chatId = await seedChat(stage, { projectId, answer: 'Half an ans' });
  await stage.database.query(
    `update chat_messages set state = 'stopped', usage = null, finish_reason = null where chat_id = $1 and role = 'assistant'`,
    [chatId],
  );
  await go(`${path}?chat=${chatId}`);
  await page.getByText('– → – tokens').waitFor();
  await page.getByText('– of active time').waitFor();
  await inSettings(page, (settings) => settings.getByLabel('Max tokens').fill('8'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(/\d → \d+ tokens/).waitFor();
  const [, continued] = await page.getByRole('article', { name: 'You' }).allTextContents();
  assert.equal(continued, 'Continue.');
  assert.equal(await page.getByRole('button', { name: 'Continue' }).count(), 0);
  await leave();
});
