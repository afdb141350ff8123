import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { seedPlace } from './playground-world.ts';
import { openStage, pictureFolder, type Stage } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

type Place = Awaited<ReturnType<typeof seedPlace>>;

/** What a program of the owner sends. */
async function send({ owner, slug }: Place, body: object): Promise<number> {
  const response = await fetch(`${stage.origin}/api/projects/${owner.slug}/${slug}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(owner.key), 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 8, ...body }),
  });
  await response.text();
  return response.status;
}

test('somebody finds out within three clicks why a call of his program failed', async () => {
  const place = await seedPlace(stage);
  assert.equal(await send(place, { model: 'helper' }), 200);
  assert.equal(await send(place, { model: 'helper', stream: true }), 200);
  assert.equal(await send(place, { model: 'hepler' }), 404);
  assert.equal(await send(place, { model: 'helper', temperature: 9 }), 400);
  const { page, go, leave } = await stage.open(place.owner);
  await go('/');

  await page.getByRole('link', { name: 'Requests', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
  await rows.filter({ hasText: 'hepler' }).waitFor();
  await page.getByLabel('Status').selectOption('failed');
  await rows.filter({ hasText: '200' }).first().waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'hepler' }).getByRole('link').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('model_not_found').first().waitFor();
  await dialog.getByText('hepler').first().waitFor();
  await dialog.getByText('First key').waitFor();
  await dialog.getByText('Chat completions').waitFor();
  assert.match((await dialog.getByText(/^req_/).textContent()) ?? '', /^req_[0-9A-Z]{26}$/);
  await assertAccessible(page, 'request');
  const folder = await pictureFolder('requests');
  await page.screenshot({ path: `${folder}/request.png` });

  await dialog.getByRole('button', { name: 'Requests with this error' }).click();
  await dialog.waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'invalid_request' }).waitFor({ state: 'detached' });
  assert.equal(await rows.count(), 2, 'the header and the one');
  await page.getByLabel('Error code').selectOption('');
  await rows.filter({ hasText: 'temperature' }).waitFor();
  await page.getByLabel('Status').selectOption('');
  await rows.filter({ hasText: '200' }).first().waitFor();
  assert.equal(await rows.count(), 5);
  await assertAccessible(page, 'requests');
  await page.screenshot({ path: `${folder}/requests.png`, fullPage: true });
  await leave();
});

test('prompt and answer of a request are shown where auto-save is on, and why there are none where it is off', async () => {
  const place = await seedPlace(stage);
  await send(place, { model: 'helper' });
  const autoSave = 'update projects set inference_auto_save = true where id = $1';
  await stage.database.query(autoSave, [place.projectId]);
  await send(place, { model: 'helper', messages: [{ role: 'user', content: 'What is 2 + 3?' }] });
  const count = 'select count(*)::integer as n from saved_calls where project_id = $1';
  while ((await stage.database.query<{ n: number }>(count, [place.projectId]))[0]?.n !== 1) await sleep(50);
  const { page, go, leave } = await stage.open(place.owner);
  await go('/requests');
  const links = page.getByRole('table', { name: 'Requests' }).getByRole('link', { name: 'helper' });
  const dialog = page.getByRole('dialog');
  await links.first().click();
  await dialog.getByText('What is 2 + 3?').waitFor();
  await assertAccessible(page, 'request with prompt and answer');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await links.nth(1).click();
  await dialog.getByText('Prompt and answer were not saved').waitFor();
  await dialog.getByRole('link', { name: 'Project settings' }).click();
  await page.getByRole('heading', { name: 'Auto-save' }).waitFor();
  await leave();
});

test('new requests appear while the live tail is on, and those of one project, key and ledger row are a link away', async () => {
  const place = await seedPlace(stage);
  const { page, go, leave } = await stage.open(place.owner);
  await go(`/projects/${place.owner.slug}/${place.slug}/requests`);
  await page.getByText('No requests yet').waitFor();
  await page.getByRole('switch', { name: 'Live tail' }).check();
  await send(place, { model: 'helper', temperature: 9 });
  await page.getByRole('row', { name: /temperature/ }).waitFor();

  await send(place, { model: 'helper' });
  await go('/credits');
  await page
    .getByRole('row', { name: /helper/ })
    .getByRole('link', { name: 'Show the request' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('200 Succeeded').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await go('/keys');
  await page.getByRole('button', { name: 'More actions for First key' }).click();
  await page.getByRole('menuitem', { name: 'Requests' }).click();
  await page
    .getByRole('row', { name: /helper/ })
    .first()
    .waitFor();
  assert.match(page.url(), /key_id=key_/);

  await go('/');
  await page.getByRole('link', { name: 'Show failed requests' }).click();
  await page.getByRole('row', { name: /invalid_request/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /Succeeded/ }).count(), 0);
  await leave();
});

test('requests and the dashboard are read on a phone and in the dark', async () => {
  const place = await seedPlace(stage);
  for (const model of ['helper', 'helper', 'nobody']) await send(place, { model, stream: true });
  const folder = await pictureFolder('requests');
  for (const [name, options] of [
    ['phone', { viewport: { width: 390, height: 844 } }],
    ['dark', { colorScheme: 'dark' as const }],
  ] as const) {
    const { page, go, leave } = await stage.open({ ...place.owner, ...options });
    await go('/requests');
    await page.getByRole('row', { name: /model_not_found/ }).waitFor();
    await assertAccessible(page, `requests, ${name}`);
    await page.screenshot({ path: `${folder}/requests-${name}.png`, fullPage: true });
    await go('/');
    await page.getByRole('heading', { name: 'Latency' }).waitFor();
    await assertAccessible(page, `dashboard, ${name}`);
    await page.screenshot({ path: `${folder}/dashboard-${name}.png`, fullPage: true });
    await leave();
  }
});
