import assert from 'node:assert/strict';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { grant } from '#billing';
import { seedAccount, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedSession } from '#test/sessions.ts';
import { root } from '#test/source-tree.ts';
import { openSite, type Site } from '#web';
import { findBrowser } from '../../scripts/browser.mjs';

/** The wired program with its built web app, a database of its own, and a real Chromium. */
export type Stage = {
  app: TestApp;
  database: TestDatabase['database'];
  browser: Browser;
  origin: string;
  /** A visitor in a browser profile of his own. */
  open: (options?: VisitOptions) => Promise<Visit>;
  close: () => Promise<void>;
};

export type VisitOptions = {
  /** Whose session the browser has; none by default. */
  accountId?: string;
  /** Requests that are meant to fail, as `404 /api/v1/...`: browsers write each into the console. */
  expected?: readonly RegExp[];
} & BrowserContextOptions;

export type Visit = {
  page: Page;
  /** Goes to an address and waits until the page is complete. */
  go: (path: string) => Promise<void>;
  /** Ends the visit; fails when the console, the policy or the network had something to complain about. */
  leave: () => Promise<void>;
};

const buildMs = 600_000;
/** A wait costs nothing when what it waits for comes; the machine may have other work. */
const patienceMs = 60_000;

/**
 * For hunting races by hand: every request of a page to the interface waits for a random time up to `lagMs` on its way, and
 * the page's processor is so many times slower. A test that is sound passes with any of them.
 */
const hunting = {
  lagMs: Number(process.env['FANFOLD_TEST_LAG_MS'] ?? 0),
  slowness: Number(process.env['FANFOLD_TEST_SLOWNESS'] ?? 1),
};

export type StageOptions = {
  /** Settings as in the environment. */
  settings?: Record<string, string>;
  /** A name of the server that only this browser knows; plain HTTP, as in somebody's house. */
  host?: string;
  /** Default: one of its own. */
  dataDir?: string;
};

export async function openStage({ settings = {}, host, dataDir }: StageOptions = {}): Promise<Stage> {
  // First: where the app cannot be built, nothing is open that would keep the test from ending.
  const site = await readySite();
  const database = await createTestDatabase();
  const app = await startApp(database.database, { settings, site, ...(dataDir === undefined ? {} : { dataDir }) });
  const origin = host === undefined ? app.origin : `http://${host}`;
  const browser = await launchBrowser(host === undefined ? [] : [resolverRule(host, app.origin)]);
  const place = { origin, browser, database: database.database };
  return {
    ...place,
    app,
    open: (options = {}) => openVisit(place, options),
    close: async () => {
      await browser.close();
      await app.stop();
      await database.drop();
    },
  };
}

/** The web app as the program serves it, built if it must be. */
async function readySite(): Promise<Site> {
  const failures: string[] = [];
  const log = { info: () => {}, error: (fields: { err?: unknown }) => void failures.push(String(fields.err)) };
  const site = openSite({ root, publicUrl: null, log });
  const deadline = performance.now() + buildMs;
  while (site.now().kind === 'building' && performance.now() < deadline) await sleep(50);
  assert.equal(site.now().kind, 'ready', failures.join('\n'));
  return site;
}

const resolverRule = (host: string, origin: string) => `--host-resolver-rules=MAP ${host} ${new URL(origin).host}`;

export async function launchBrowser(extra: readonly string[] = []): Promise<Browser> {
  const { path, args, env } = await findBrowser();
  return chromium.launch({
    executablePath: path,
    args: [...args, ...extra],
    env: { ...process.env, ...env },
    timeout: 180_000,
  });
}

/** An account with credits and a key, as somebody who has just arrived has it. */
export async function seedOwner(database: Stage['database'], { credits = 100n }: { credits?: bigint } = {}) {
  const account = await seedAccount(database);
  const { key, keyId } = await seedKey(database, { accountId: account.accountId, name: 'First key' });
  if (credits > 0n)
    await database.transaction((tx) =>
      grant(tx, { accountId: account.accountId, micro: credits * 1_000_000n, note: 'Test' }),
    );
  return { ...account, key, keyId };
}

type Place = Pick<Stage, 'origin' | 'browser' | 'database'>;

async function openVisit({ origin, browser, database }: Place, options: VisitOptions): Promise<Visit> {
  const { accountId, expected = [], ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en', ...contextOptions });
  context.setDefaultTimeout(patienceMs);
  if (accountId !== undefined) {
    const { cookie } = await seedSession(database, { accountId });
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }]);
  }
  const page = await context.newPage();
  await makeSlow(page);
  const complaints = collectComplaints(page, { origin, expected });
  return {
    page,
    go: async (path) => {
      await page.goto(origin + path);
      await settle(page);
    },
    leave: async () => {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

async function makeSlow(page: Page): Promise<void> {
  const { lagMs, slowness } = hunting;
  if (lagMs > 0)
    await page.context().route('**/api/**', async (route) => {
      await sleep(Math.random() * lagMs);
      await route.continue().catch(() => {});
    });
  if (slowness > 1)
    await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slowness });
}

/** Waits until there is a title and nothing stands in for what is still on its way. */
export async function settle(page: Page): Promise<void> {
  await page.waitForSelector('h1');
  // Not in the page: its policy lets no code in that comes as a text.
  const deadline = performance.now() + patienceMs;
  while ((await page.locator('[role="status"]').count()) > 0) {
    assert.ok(performance.now() < deadline, 'something still stands in for what is on its way');
    await sleep(20);
  }
}

/** Waits until a field has a value, which may come after the field. */
export async function hasValue(field: Locator, wanted: string): Promise<void> {
  for (const deadline = performance.now() + patienceMs; ; await sleep(20)) {
    const value = await field.inputValue();
    if (value === wanted) return;
    assert.ok(performance.now() < deadline, `the field holds ${JSON.stringify(value)}`);
  }
}

/** What a click has put into the clipboard, once it is there. */
export async function clipboardWith(page: Page, pattern: RegExp): Promise<string> {
  for (const deadline = performance.now() + patienceMs; ; await sleep(50)) {
    const text = String(await page.evaluate('navigator.clipboard.readText()'));
    if (pattern.test(text)) return text;
    assert.ok(performance.now() < deadline, `the clipboard holds ${JSON.stringify(text)}`);
  }
}

/** Does what makes the page send a change (`PATCH /api/v1/...`), and waits until the server has answered it. */
export async function answered(page: Page, change: RegExp, act: () => Promise<unknown>): Promise<void> {
  const isIt = (request: Request) => change.test(`${request.method()} ${new URL(request.url()).pathname}`);
  const [answer] = await Promise.all([page.waitForResponse((response) => isIt(response.request())), act()]);
  await answer.finished();
}

function collectComplaints(
  page: Page,
  { origin, expected }: { origin: string; expected: readonly RegExp[] },
): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    // A failed request is told below, with its address.
    if (!/^(error|warning)$/.test(message.type()) || /^Failed to load resource/.test(message.text())) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || /^(data|blob):/.test(request.url());
    if (isOwn || request.isNavigationRequest() || !request.frame().url().startsWith(`${origin}/`)) return;
    complaints.push(`asked a stranger: ${request.url()}`);
  });
  page.on('response', (response) => {
    const line = `${response.status()} ${response.url().replace(origin, '')}`;
    if (response.status() >= 400 && !expected.some((pattern) => pattern.test(line))) complaints.push(line);
  });
  return complaints;
}

/** A folder for pictures of this run; its path is printed, so that a person can look at them. */
export async function pictureFolder(name: string): Promise<string> {
  const place = join(tmpdir(), 'fanfold-pictures');
  await mkdir(place, { recursive: true });
  return mkdtemp(join(place, `${name}-`));
}
