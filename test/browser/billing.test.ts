import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { grant } from '#billing';
import { bearer, seedProject } from '#test/accounts.ts';
import { type StripeServer, startStripe } from '#test/stripe-server.ts';
import { assertAccessible } from './axe.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

const keys = { secretKey: 'sk_test_fanfold', webhookSecret: 'whsec_fanfold' };
let stripe: StripeServer;
let stage: Stage;

before(async () => {
  stripe = await startStripe(keys);
  stage = await openStage({
    settings: {
      STRIPE_SECRET_KEY: keys.secretKey,
      STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
      STRIPE_API_URL: stripe.url,
      FANFOLD_CREDIT_PACKS: 'small=100@10.00USD,big=1000@90.00USD',
    },
  });
});

after(async () => {
  await stage?.close();
  await stripe?.stop();
});

async function callOnce(key: string, path: string): Promise<void> {
  const response = await fetch(`${stage.origin}/api/projects/${path}/openai/v1/embeddings`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fanfold-tiny-embed', input: 'fold a paper fan' }),
  });
  assert.equal(response.status, 200, await response.text());
}

test('what was spent is shown by model, leads to its rows, and is exported as a spreadsheet can read it', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, kind: 'embedding' });
  await callOnce(owner.key, `${owner.slug}/${slug}`);
  await callOnce(owner.key, `${owner.slug}/${slug}`);
  await stage.database.transaction((tx) =>
    grant(tx, { accountId: owner.accountId, micro: 1_000_000n, note: '=1+1, "gift"' }),
  );
  const { page, go, leave } = await stage.open(owner);
  await go('/credits');
  await page.getByRole('rowheader', { name: '=1+1, "gift"' }).waitFor();
  await assertAccessible(page, 'credits');
  await page.getByRole('radiogroup', { name: 'Grouped by' }).getByText('Model').click();
  // What a call costs is the time that it took, and the machine may have other work.
  await page.getByText(/^0\.0\d+ credits, 2 calls/).waitFor();
  await page.getByRole('link', { name: 'fanfold-tiny-embed' }).click();
  await page.getByRole('rowheader', { name: /gift/ }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('rowheader').count(), 2);
  assert.match(page.url(), /model=fanfold-tiny-embed/);

  await page.getByRole('button', { name: 'model: fanfold-tiny-embed' }).click();
  await page.getByRole('rowheader', { name: /gift/ }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const download = await saving;
  assert.match(download.suggestedFilename(), /^fanfold-usage-\d{4}-\d\d-\d\d\.csv$/);
  const [head, newest, ...rows] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  assert.match(head ?? '', /^\uFEFFcreated_at,type,credits,balance_after,project/);
  assert.match(newest ?? '', /,grant,1\.000000,100\.9\d{5},.*,"'=1\+1, ""gift""",/);
  assert.equal(rows.length, 3);
  assert.match(rows[0] ?? '', new RegExp(`,inference,-0\\.0\\d{5},.*,${owner.slug}/${slug},fanfold-tiny-embed,`));
  await leave();
});

test('credits are bought: a pack is chosen, paid for, and there when the payment is confirmed', async () => {
  const owner = await seedOwner(stage.database, { credits: 0n });
  const { page, go, leave } = await stage.open({ ...owner });
  await page.route('https://checkout.stripe.example/**', (route) =>
    route.fulfill({ body: '<h1>Pay</h1>', contentType: 'text/html' }),
  );
  await go('/credits');
  await page.getByText('No credits are left').waitFor();
  await page.getByRole('button', { name: 'Buy credits' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('1,000.00 credits · $90.00').check();
  await assertAccessible(page, 'buy credits');
  await dialog.getByRole('button', { name: 'Go to payment' }).click();
  await page.getByRole('heading', { name: 'Pay' }).waitFor();
  const [session] = stripe.sessions.values();
  assert.ok(session);
  assert.equal(session.amount_total, 9_000);

  await page.goto(session.success_url);
  await page.getByRole('heading', { name: 'Waiting for your payment' }).waitFor();
  stripe.pay(session.id);
  const told = stripe.event('checkout.session.completed', session.id);
  assert.equal(await stripe.send(`${stage.origin}/api/v1/stripe/webhook`, told), 200);
  await page.getByRole('heading', { name: 'The credits are there' }).waitFor();
  await page.getByRole('link', { name: 'To your credits' }).click();
  await page
    .getByRole('definition')
    .filter({ hasText: /^1,000\.00$/ })
    .first()
    .waitFor();
  await page.getByRole('row', { name: /purchase .* \+1,000\.000000/ }).waitFor();
  await leave();
});

test('prices are listed, and work is estimated with a wrong field told beside it', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/credits/prices');
  await page.getByRole('row', { name: /fanfold-tiny-chat text 0\.03 0\.06 –/ }).waitFor();
  await page.getByLabel('What for').selectOption('fanfold-tiny-chat · training');
  await page.getByLabel('Examples').fill('many');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByText('A whole number of at least 1.').waitFor();
  await page.getByLabel('Examples').fill('2000');
  await page.getByRole('button', { name: 'Estimate' }).click();
  await page.getByText(/^about \d+\.\d+ credits$/).waitFor();
  // It could not be pressed while it was at work, and has the focus back.
  await page.locator('button:focus', { hasText: 'Estimate' }).waitFor();
  await assertAccessible(page, 'prices');
  await leave();
});

test('from a purchase that does not exist a link leads to the credits', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/credits\/checkout\//] });
  await go('/credits/checkout/unknown');
  await page.getByText('There is no such checkout.').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Credits' }).click();
  await page.getByRole('heading', { name: 'Credits', exact: true }).waitFor();
  await leave();
});
