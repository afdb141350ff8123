import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { answers, seedChat, seedPlace } from './playground-world.ts';
import { answered, openStage, pictureFolder, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('an answer is corrected and saved as an example in one dialog, which makes the dataset', async (t) => {
  const pictures = await pictureFolder('answer-feedback');
  const { owner, path, projectId } = await seedPlace(stage);
  const chatId = await seedChat(stage, { projectId, question: 'What is 2 + 3?', answer: '6' });
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?chat=${chatId}`);
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Add to dataset' }).click();
  const save = dialog.getByRole('button', { name: 'Add to dataset' });
  await dialog.getByLabel('Name of the new dataset').waitFor();
  assert.equal(await save.isEnabled(), false);
  await dialog.getByLabel('Answer', { exact: true }).fill('');
  await dialog.getByText('An example needs an answer.').waitFor();
  await dialog.getByLabel('Answer', { exact: true }).fill('5');
  await dialog.getByLabel('Name of the new dataset').fill('Sums');
  await assertAccessible(page, 'saving');
  await page.screenshot({ path: join(pictures, 'save.png') });
  await save.click();
  await page.getByText('The answer was added to the dataset.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  const examples = await stage.database.query<{ name: string; content: string }>(
    `select d.name, c.content from examples e join datasets d on d.id = e.dataset_id
       join example_contents c on c.dataset_id = d.id and c.hash = e.content_hash where d.project_id = $1`,
    [projectId],
  );
  assert.equal(examples.length, 1);
  assert.equal(examples[0]?.name, 'Sums');
  assert.match(examples[0]?.content ?? '', /"5"/);

  // The answer itself stays, and the dataset is offered from now on.
  await answers(page).first().getByText('6', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add to dataset' }).click();
  await dialog.getByRole('option', { name: /^Sums/ }).waitFor({ state: 'attached' });
  await dialog.getByRole('button', { name: 'Add to dataset' }).click();
  await dialog.waitFor({ state: 'detached' });
  await leave();
  t.diagnostic(`pictures in ${pictures}`);
});

test('a rating is stored with the answer, is there after a reload, and is taken back', async () => {
  const { owner, path, projectId } = await seedPlace(stage);
  const chatId = await seedChat(stage, { projectId, answer: 'It is red.' });
  const { page, go, leave } = await stage.open(owner);
  await go(`${path}?chat=${chatId}`);
  const good = page.getByRole('button', { name: 'Good answer' });
  const bad = page.getByRole('button', { name: 'Bad answer' });
  const ratingNow = async () => {
    const [row] = await stage.database.query<{ rating: string | null }>(
      `select rating from chat_messages where chat_id = $1 and role = 'assistant'`,
      [chatId],
    );
    return row?.rating;
  };
  await answered(page, /^PATCH .*\/messages\/msg_\w+$/, () => bad.click());
  assert.equal(await ratingNow(), 'down');
  await page.reload();
  await settle(page);
  await page.locator('button[aria-pressed="true"]').and(bad).waitFor();
  await assertAccessible(page, 'rated');
  await answered(page, /^PATCH .*\/messages\/msg_\w+$/, () => good.click());
  await page.locator('button[aria-pressed="true"]').and(good).waitFor();
  assert.equal(await ratingNow(), 'up');
  await answered(page, /^PATCH .*\/messages\/msg_\w+$/, () => good.click());
  await page.locator('button[aria-pressed="false"]').and(good).waitFor();
  assert.equal(await ratingNow(), null);
  await leave();
});
