import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seedPlace } from './playground-world.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const screens = { phone: { width: 412, height: 823 }, wide: { width: 1280, height: 800 } };

/** Addresses of the files that a page asks for by itself, before any code of the app has run. */
const filesOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('script[src], link[rel="modulepreload"], link[rel="preload"]')]
      .map(({ src, href }) => src ?? href)`,
  );

/** Compressed as browsers get it, and counted as it comes. */
function bytesOf(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { 'accept-encoding': 'br' } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
    }).on('error', reject);
  });
}

/** Lets none of the app's code in: what is seen then is what the page itself brings. */
const withoutCode = (page: Page) => page.route(/\/assets\/.*\.js$/, (route) => route.abort());

const places = { dashboard: 170_000, playground: 182_000 };

test('the first view of the dashboard and of the playground needs no more than a few files of so many bytes', async (t) => {
  const { owner, path } = await seedPlace(stage);
  for (const [name, most] of Object.entries(places)) {
    const { page } = await stage.open(owner);
    await withoutCode(page);
    await page.goto(stage.origin + (name === 'dashboard' ? '/' : path));
    const files = await filesOf(page);
    await page.context().close();
    const bytes = (await Promise.all(files.map(bytesOf))).reduce((sum, each) => sum + each, 0);
    t.diagnostic(`${name}: ${bytes} bytes in ${files.length} files`);
    assert.ok(files.length >= 6 && files.length <= 12, `${name} asks for ${files.length} files`);
    assert.ok(bytes <= most, `${name} takes ${bytes} bytes`);
  }
});

test('the frame is seen before any code has come, at the place where the app puts it', async () => {
  const owner = await seedOwner(stage.database);
  for (const viewport of Object.values(screens)) {
    const bare = await stage.open({ ...owner, viewport });
    await withoutCode(bare.page);
    await bare.page.goto(`${stage.origin}/`);
    const before = await bare.page.locator('.boot-brand svg').boundingBox();
    await bare.page.context().close();

    const { page, go, leave } = await stage.open({ ...owner, viewport });
    await go('/');
    const isWide = viewport === screens.wide;
    const brand = page.locator(isWide ? 'aside' : 'header').getByRole('link', { name: 'Fanfold' });
    assert.deepEqual(await brand.locator('svg').boundingBox(), before);
    await leave();
  }
});

test('nobody sees a frame who has not signed in, and no style without the nonce of the page is let in', async () => {
  const { page } = await stage.open();
  await withoutCode(page);
  const response = await page.goto(`${stage.origin}/keys`);
  assert.equal(await page.locator('.boot').isVisible(), false);
  const policy = response?.headers()['content-security-policy'] ?? '';
  const nonce = /style-src 'self' 'nonce-([^']+)';/.exec(policy)?.[1];
  assert.ok(nonce, policy);
  assert.ok((await response?.text())?.includes(`<style nonce="${nonce}">`));
  await page.context().close();
});

test('menus that come when they are asked for take the focus and give it back', async () => {
  const owner = await seedOwner(stage.database);
  const wide = await stage.open({ ...owner, viewport: screens.wide });
  await wide.go('/');
  await wide.page.getByRole('button', { name: /^Account of/ }).press('Enter');
  await wide.page.getByRole('menuitem', { name: 'Account settings' }).waitFor();
  await wide.page.locator('[role="menu"]:focus-within').waitFor();
  await wide.page.keyboard.press('Escape');
  await wide.page.locator('button[aria-haspopup="menu"]:focus').waitFor();
  await wide.leave();

  const phone = await stage.open({ ...owner, viewport: screens.phone });
  await phone.go('/');
  await phone.page.getByRole('button', { name: 'Open the navigation' }).press('Enter');
  await phone.page.locator('[role="dialog"]:focus-within').waitFor();
  await phone.page.keyboard.press('Escape');
  await phone.page.locator('button[aria-label="Open the navigation"]:focus').waitFor();
  await phone.leave();
});
