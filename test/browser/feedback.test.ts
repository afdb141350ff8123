import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { someoneWithProject } from './data-world.ts';
import { report, shown } from './feedback-world.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('events are decided with the keyboard alone: promoted as suggested, skipped, taken back, judged anew', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const id = await createDataset();
  for (const query of ['money back', 'opening hours', 'gift card']) await report(ask, id, query);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}/feedback`);
  const pane = page.getByRole('article', { name: 'Details' });
  const lesson = pane.getByRole('region', { name: 'What a model would learn' });
  const current = (query: string) => pane.getByRole('heading', { name: query }).waitFor();
  const examples = async () => (await ask('GET', `/datasets/${id}/examples`)).data;

  await current('gift card');
  await page.keyboard.press('j');
  await current('opening hours');
  await page.keyboard.press('s');
  await page.getByText('1 event skipped.').waitFor();
  await current('money back');
  await lesson.getByText('Refunds are paid').waitFor();
  await page.keyboard.press('p');
  await page.getByText('Promoted: the example is in the dataset.').waitFor();
  const [first] = await examples();
  assert.equal(first.embedding.query, 'money back');
  assert.deepEqual(
    first.embedding.positives.map((each: { text: string }) => each.text),
    [`${shown[1]} money back`],
  );

  await current('gift card');
  await page.keyboard.press('3');
  await page.keyboard.press('2');
  await page.keyboard.press('2');
  await pane.getByText('Your marks are saved when you promote the event.', { exact: false }).waitFor();
  await lesson.getByText('We are open from nine').waitFor();
  await lesson.getByText('Refunds are paid').waitFor({ state: 'detached' });
  await page.getByLabel('Use it for tests').check({ force: true });
  await page.getByLabel('Use it for tests').blur();
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor();
  const second = (await examples()).find((each: { split: string }) => each.split === 'test');
  assert.deepEqual(
    second.embedding.positives.map((each: { text: string }) => each.text),
    [`${shown[2]} gift card`],
  );

  await page.getByRole('radiogroup', { name: 'Which events' }).getByText('Skipped').click();
  await current('opening hours');
  await page.keyboard.press('s');
  await page.getByText('It is back in the inbox.').waitFor();
  const { data } = await ask('GET', `/datasets/${id}/retrieval-events?state=pending`);
  assert.equal(data.length, 1);

  await page.getByRole('radiogroup', { name: 'Which events' }).getByText('Promoted').click();
  await pane.getByText('It became an example of this dataset.').waitFor();
  assert.deepEqual(await pane.locator('kbd').allTextContents(), ['J', 'K'], 'no other key does anything here');
  await pane.getByRole('link', { name: 'Look at it' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/data/${id}`));
  // The list of events has a button for each, too, until the page of the dataset takes its place.
  await page.getByRole('button', { name: /money back/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /gift card/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: /money back/ }).count(), 0);
  await leave();
});

test('who is quicker than the server loses no decision', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const id = await createDataset();
  for (const query of ['money back', 'opening hours', 'gift card']) await report(ask, id, query);
  const { page, go, leave } = await stage.open(owner);
  // What an event would become is never told, and what was decided arrives late.
  await page.route('**/retrieval-events/*/promote', async (route) => {
    if (!route.request().postData()?.includes('"dry_run":true')) await route.continue();
  });
  const late: (() => Promise<void>)[] = [];
  await page.route('**/retrieval-events/*/skip', (route) => void late.push(() => route.continue()));
  await go(`${pages}/data/${id}/feedback`);
  const current = (query: string) => page.getByRole('article').getByRole('heading', { name: query }).waitFor();

  await current('gift card');
  await page.keyboard.press('s');
  await page.keyboard.press('j');
  await current('opening hours');
  await page.keyboard.press('p');
  await current('money back');
  await page.keyboard.press('p');
  await current('gift card');
  for (const go of late) await go();
  await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor();
  assert.equal((await ask('GET', `/datasets/${id}/examples`)).total_count, 2);
  assert.equal((await ask('GET', `/datasets/${id}/retrieval-events?state=skipped`)).total_count, 1);
  await leave();
});

test('many events are promoted after it was shown what would become of them', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const id = await createDataset();
  for (let n = 0; n < 5; n++) await report(ask, id, `question ${n}`);
  await report(ask, id, 'question 4');
  await report(ask, id, 'unclicked', { isClicked: false });
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}/feedback`);
  const choices = page.getByLabel(/^Select: question 4/);
  // The events come after the page.
  await choices.first().waitFor();
  const [same, other, ...more] = await choices.all();
  assert.notEqual(await same?.getAttribute('aria-label'), await other?.getAttribute('aria-label'));
  assert.equal(more.length, 0);
  await page.getByLabel('Select: question 3').check();
  await page.getByLabel('Select: question 2').check();
  await page.getByRole('button', { name: 'Promote …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 would become examples, as suggested.').waitFor();
  // The focus waits in the dialog until there is something to promote.
  await dialog.locator('button:focus', { hasText: 'Promote 2' }).waitFor();
  await dialog.getByRole('button', { name: 'Promote 2' }).click();
  await page.getByText('2 events became examples.').waitFor();
  await page.getByRole('button', { name: /^question 1/ }).click();
  await page.waitForURL(/event=/);
  await page.getByRole('button', { name: 'Promote all …' }).click();
  await dialog.getByText(/1 × The dataset has learned exactly this already/).waitFor();
  await dialog.getByRole('button', { name: 'Promote 3' }).click();
  await page.getByText('3 events became examples.').waitFor();
  // What was looked at has left the inbox.
  await page.waitForURL((url) => !url.searchParams.has('event'));
  // Only what the dataset has learned already is left: there is nothing to promote, and it is said what to do.
  await page.getByText('learned exactly this already: skip the event.').waitFor();
  await page.getByRole('button', { name: 'Promote all …' }).waitFor({ state: 'detached' });
  assert.equal((await ask('GET', `/datasets/${id}/examples`)).total_count, 5);

  await page.getByRole('radiogroup', { name: 'Which events' }).getByText('Without a click').click();
  await page.getByText('Nothing is marked as right yet.').waitFor();
  await page.getByRole('button', { name: 'Result 1 is right' }).click();
  await page.getByRole('button', { name: /^Promote/ }).click();
  await page.getByRole('heading', { name: 'The inbox is empty' }).waitFor();
  assert.equal((await ask('GET', `/datasets/${id}/examples`)).total_count, 6);
  await leave();
});

test('selected events are skipped at once, and restored at once, also with the keyboard alone', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const id = await createDataset();
  for (let n = 0; n < 4; n++) await report(ask, id, `question ${n}`);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}/feedback`);
  await page.getByLabel('Select: question 3').check();
  await page.getByLabel('Select: question 1').check();
  await page.getByRole('button', { name: 'Skip selected' }).click();
  await page.getByText('2 events skipped.').waitFor();
  await page.getByLabel('Select: question 3').waitFor({ state: 'detached' });
  const skipped = async () => (await ask('GET', `/datasets/${id}/retrieval-events?state=skipped`)).total_count;
  assert.equal(await skipped(), 2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Back in the inbox: 2.').waitFor();
  await page.getByLabel('Select: question 3').waitFor();
  assert.equal(await skipped(), 0);

  await page.locator('body').press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Skip selected' }).press('Enter');
  await page.getByLabel('Select: question 2').waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await page.getByLabel('Select: question 2').waitFor();
  await page.getByRole('heading', { name: 'question 3' }).waitFor();
  await page.keyboard.press('s');
  await page.getByLabel('Select: question 3').waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await page.getByLabel('Select: question 3').waitFor();
  assert.equal(await skipped(), 0);
  await leave();
});

test('the inbox can be used by everybody, and on a phone it shows the list, then the event', async () => {
  const { ask, createDataset, pages, ...owner } = await someoneWithProject(stage, 'embedding');
  const [id, empty] = [await createDataset(), await createDataset('Empty')];
  await report(ask, id, 'money back');
  const wide = await stage.open({ ...owner, colorScheme: 'dark', locale: 'zh-CN' });
  for (const dataset of [id, empty]) {
    await wide.go(`${pages}/data/${dataset}/feedback`);
    await wide.page.waitForLoadState('networkidle');
    await assertAccessible(wide.page, dataset);
  }
  await wide.leave();
  const { page, go, leave } = await stage.open({
    ...owner,
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await go(`${pages}/data/${id}/feedback`);
  const pane = page.getByRole('article', { name: 'Details' });
  assert.ok(!(await pane.isVisible()));
  await page.getByRole('button', { name: /^money back/ }).click();
  await pane.getByRole('heading', { name: 'money back' }).waitFor();
  await pane.getByRole('button', { name: /^Promote/ }).waitFor();
  for (const key of ['P', 'S', 'J', 'K'])
    assert.ok(!(await pane.locator('kbd', { hasText: key }).first().isVisible()), `no key ${key} without a keyboard`);
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  assert.ok(Number(tooWide) <= 0, `${tooWide} pixels too wide`);
  await page.getByRole('button', { name: 'Back to the list' }).click();
  const row = page.getByRole('button', { name: /^money back/ });
  await row.click();
  await row.waitFor({ state: 'hidden' });
  await page.goBack();
  await row.waitFor();
  await leave();
});
