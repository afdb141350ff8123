import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { seedChat, seedPlace } from './playground-world.ts';
import { answered, openStage, pictureFolder, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('chats are found by their titles and renamed, and keep the new title', async (t) => {
  const { owner, path, projectId } = await seedPlace(stage);
  for (const question of ['How do lamps work?', 'Where is the ferry?', 'Why is a lamp red?'])
    await seedChat(stage, { projectId, question, answer: 'Because.' });
  const { page, go, leave } = await stage.open(owner);
  await go(path);
  await page.getByRole('button', { name: 'Chats' }).click();
  const drawer = page.getByRole('dialog');
  const titles = drawer.locator('li strong');
  await titles.nth(2).waitFor();
  await drawer.getByLabel('Search chats').fill('LAMP');
  await titles.nth(2).waitFor({ state: 'detached' });
  assert.deepEqual((await titles.allTextContents()).toSorted(), ['How do lamps work?', 'Why is a lamp red?']);
  await drawer.getByLabel('Search chats').fill('zebra');
  await drawer.getByText('No chat has this in its title or its messages.').waitFor();
  // As the server stores the words of an answer when it ends.
  await stage.database.query(
    `insert into chat_words (message_id, chat_id, seq, words)
     select m.id, m.chat_id, m.seq, array_to_tsvector(array[right(c.project_id, 4) || 'because'])
       from chat_messages m join chats c on c.id = m.chat_id
      where c.project_id = $1 and c.title like '%ferry%' and m.role = 'assistant'`,
    [projectId],
  );
  await drawer.getByLabel('Search chats').fill('because');
  await drawer.locator('mark', { hasText: 'Because' }).waitFor();
  assert.deepEqual(await titles.allTextContents(), ['Where is the ferry?']);
  await assertAccessible(page, 'a search in messages');
  await page.screenshot({ path: join(await pictureFolder('chats'), 'search.png') });
  await drawer.getByLabel('Search chats').fill('');
  await titles.nth(2).waitFor();

  await drawer.getByRole('button', { name: 'Rename the chat “Where is the ferry?”' }).click();
  const field = drawer.getByLabel('Title of the chat');
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  await drawer.getByRole('button', { name: 'Rename the chat “Where is the ferry?”' }).click();
  await assertAccessible(page, 'renaming');
  const pictures = await pictureFolder('chats');
  await page.screenshot({ path: join(pictures, 'rename.png') });
  await field.fill('Harbour');
  await answered(page, /^PATCH .*\/chats\/cht_\w+$/, () => field.press('Enter'));
  await titles.getByText('Harbour').waitFor();
  await field.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Chats' }).click();
  await titles.getByText('Harbour').click();
  await page.getByText('Where is the ferry?').waitFor();
  await leave();
  t.diagnostic(`pictures in ${pictures}`);
});
