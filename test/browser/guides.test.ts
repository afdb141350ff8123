import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { assertAccessible } from './axe.ts';
import { seedPlace } from './playground-world.ts';
import { clipboardWith, openStage, pictureFolder, type Stage, seedOwner, settle } from './stage.ts';

let stage: Stage;
let pictures: string;

before(async () => {
  stage = await openStage();
  pictures = await pictureFolder('guides');
});

after(async () => {
  await stage?.close();
});

/** Waits until the page was scrolled to a heading, or to its own end. */
async function isAtTop(page: Page, anchor: string): Promise<void> {
  const heading = `document.getElementById('${anchor}')`;
  const isEnd = 'scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2';
  const isThere = `${heading} !== null && (${heading}.getBoundingClientRect().top < 150 || ${isEnd})`;
  for (const deadline = performance.now() + 60_000; !(await page.evaluate(isThere)); await sleep(20))
    assert.ok(performance.now() < deadline, `the page was not scrolled to ${anchor}`);
}

test('somebody who is not signed in finds a guide, reads it, follows its links, and copies its code', async (t) => {
  t.diagnostic(pictures);
  const { page, go, leave } = await stage.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await go('/guides');
  await page.getByRole('heading', { name: 'Guides', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Benchmarks' }).waitFor();
  await assertAccessible(page, 'guides');
  await page.screenshot({ path: join(pictures, 'all.png'), fullPage: true });

  await page.getByRole('link', { name: 'Train a model' }).click();
  await page.getByRole('heading', { name: 'Train a model', level: 1 }).waitFor();
  await settle(page);
  await page.getByRole('cell').first().waitFor();
  await page.locator('article .hljs-string').first().waitFor();
  await assertAccessible(page, 'guide');
  await page.screenshot({ path: join(pictures, 'guide.png'), fullPage: true });
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await clipboardWith(page, /^KEY=fnf_/);

  const contents = page.getByRole('navigation', { name: 'On this page' });
  await contents.getByRole('link', { name: 'Regression check' }).click();
  await page.waitForURL(/\/guides\/training#regression-check$/);
  await page.locator('#regression-check').waitFor();
  await page.getByRole('article').getByRole('link', { name: 'teach a chat model a skill' }).first().click();
  await page.getByRole('heading', { name: 'Teach a chat model a skill', level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Train a model', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('E-mail address').waitFor();
  assert.match(new URL(page.url()).searchParams.get('next') ?? '', /^\/guides\/training/);
  await leave();
});

test('a search over all guides leads to the heading of what it found', async () => {
  const { page, go, leave } = await stage.open();
  await go('/guides/credits');
  await page.getByRole('searchbox', { name: 'Search the guides' }).fill('rotate key');
  await page.keyboard.press('Enter');
  const found = page.getByRole('link', { name: 'API keys › Rotate a key without an outage' });
  await found.waitFor();
  await page.locator('mark').first().waitFor();
  await assertAccessible(page, 'found sections');
  await page.screenshot({ path: join(pictures, 'found.png') });
  await found.click();
  const heading = page.getByRole('heading', { name: 'Rotate a key without an outage' });
  await heading.waitFor();
  await isAtTop(page, 'rotate-a-key-without-an-outage');
  await page.goBack();
  await page.getByRole('searchbox').fill('zzzz');
  await page.getByText('No guide contains “zzzz”.').waitFor();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByRole('link', { name: 'Benchmarks' }).waitFor();
  await leave();
});

test('an address opens a guide at its heading, and one of no guide says so', async () => {
  const { page, go, leave } = await stage.open({ expected: [/^404 .*guides\/nothing$/] });
  await go('/guides/operate#updates');
  await isAtTop(page, 'updates');
  await go('/guides/nothing');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await leave();
});

test('every guide renders with all its headings, its links lead somewhere, and it can be read on a phone and in the dark', async () => {
  const { accountId } = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({
    accountId,
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    locale: 'zh-CN',
  });
  const list = await (await fetch(`${stage.origin}/api/v1/guides`)).json();
  // as: the shape is that of the contract.
  const guides = (list as { data: { name: string; title: string }[] }).data;
  for (const { name, title } of guides) {
    await go(`/guides/${name}`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    const guide = await (await fetch(`${stage.origin}/api/v1/guides/${name}`)).json();
    const { headings } = guide as { headings: { anchor: string }[] };
    assert.deepEqual(
      await page.locator('article :is(h2, h3, h4, h5, h6)').evaluateAll((all) => all.map(({ id }) => id)),
      headings.map(({ anchor }) => anchor),
      name,
    );
    assert.deepEqual(await page.locator('article a:not([href])').allTextContents(), [], name);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    assert.equal(width, 390, `${name} is as wide as the phone`);
  }
  await page.getByText('指南仅提供英文版。').waitFor();
  await assertAccessible(page, 'guide on a phone');
  await page.screenshot({ path: join(pictures, 'phone.png') });
  await go('/guides');
  await page.screenshot({ path: join(pictures, 'phone-all.png') });
  await leave();
});

test('pages link to their guides, and the innermost page to the most fitting one', async () => {
  const { owner, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  const help = page.getByRole('link', { name: /^Help/ });
  await go('/keys');
  assert.equal(await help.getAttribute('href'), '/guides/api-keys');
  const [opened] = await Promise.all([page.waitForEvent('popup'), help.click()]);
  await opened.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
  await opened.getByRole('link', { name: 'Guides' }).first().waitFor();
  await opened.screenshot({ path: join(pictures, 'signed-in.png') });
  await opened.close();
  await page.screenshot({ path: join(pictures, 'help.png') });
  const project = path.replace('/playground', '');
  const guides = {
    playground: 'playground',
    'hosted-models': 'models#hosted-models-and-sharing',
    data: 'datasets',
    'data/imports/new': 'importing',
    'training-jobs': 'training',
  };
  for (const [tab, guide] of Object.entries(guides)) {
    await go(`${project}/${tab}`);
    assert.equal(await help.getAttribute('href'), `/guides/${guide}`, tab);
  }
  await leave();
});
