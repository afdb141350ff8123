import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { type SalesConfig, salesOf } from './sales.ts';

const nothing: SalesConfig = {
  stripeSecretKey: null,
  stripeSecretKeyFile: null,
  stripeWebhookSecret: null,
  stripeWebhookSecretFile: null,
  stripeUrl: 'https://api.stripe.com',
  creditPacks: null,
  creditPrice: null,
};

test('without settings nothing is sold; with all of them packs and credits are, or either alone', () => {
  assert.deepEqual(salesOf(nothing), { stripe: null, packs: [], creditPrice: null });
  const all = { stripeSecretKey: 'sk', stripeWebhookSecret: 'wh', creditPacks: 'a=1@2USD', creditPrice: '0.10 EUR' };
  assert.deepEqual(salesOf({ ...nothing, ...all }), {
    stripe: { secretKey: 'sk', webhookSecret: 'wh', apiUrl: 'https://api.stripe.com' },
    packs: [{ id: 'a', micro: 1_000_000n, price: { minorUnits: 200n, currency: 'USD' } }],
    creditPrice: { minorUnits: 10n, currency: 'EUR' },
  });
  for (const unsold of ['creditPacks', 'creditPrice'])
    assert.ok(salesOf({ ...nothing, ...all, [unsold]: null }).stripe);
});

test('secrets can come from files, without the line break at their end', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-sales-'));
  t.after(() => rm(folder, { recursive: true }));
  const [stripeSecretKeyFile, stripeWebhookSecretFile] = [join(folder, 'key'), join(folder, 'webhook')];
  await writeFile(stripeSecretKeyFile, 'sk_file\n');
  await writeFile(stripeWebhookSecretFile, 'wh_file\n');
  const { stripe } = salesOf({ ...nothing, stripeSecretKeyFile, stripeWebhookSecretFile, creditPrice: '1USD' });
  assert.deepEqual([stripe?.secretKey, stripe?.webhookSecret], ['sk_file', 'wh_file']);
});

test('an empty file is no secret: with it anybody could sign a payment', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-sales-'));
  t.after(() => rm(folder, { recursive: true }));
  const stripeWebhookSecretFile = join(folder, 'webhook');
  await writeFile(stripeWebhookSecretFile, '\n');
  assert.throws(
    () => salesOf({ ...nothing, stripeSecretKey: 'sk', stripeWebhookSecretFile, creditPrice: '1USD' }),
    (error) =>
      error instanceof OperatorError && /^The file of STRIPE_WEBHOOK_SECRET_FILE, .* is empty/.test(error.message),
  );
});

test('half a configuration is refused in one line that names what is missing, and never a secret', () => {
  for (const [change, message] of [
    [{ stripeSecretKey: 'sk_live_1' }, /^STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET/],
    [{ stripeWebhookSecret: 'wh_1' }, /^STRIPE_WEBHOOK_SECRET needs STRIPE_SECRET_KEY/],
    [{ stripeSecretKey: 'sk_live_1', stripeWebhookSecret: 'wh_1' }, /needs FANFOLD_CREDIT_PACKS/],
    [{ creditPacks: 'small' }, /^FANFOLD_CREDIT_PACKS must be/],
    [{ creditPrice: 'cheap' }, /^FANFOLD_CREDIT_PRICE must be/],
    [{ stripeSecretKeyFile: '/nowhere/key' }, /^The file of STRIPE_SECRET_KEY_FILE, \/nowhere\/key/],
  ] as const)
    assert.throws(
      () => salesOf({ ...nothing, ...change }),
      (error) => error instanceof OperatorError && message.test(error.message) && !/_1/.test(error.message),
    );
});
