import { readFileSync } from 'node:fs';
import { OperatorError, secretIn } from '#kernel';
import { type CreditPack, type Price, readPacks, readPrice } from '../pricing/packs.ts';
import type { StripeSettings } from './stripe.ts';

export type SalesConfig = {
  stripeSecretKey: string | null;
  stripeSecretKeyFile: string | null;
  stripeWebhookSecret: string | null;
  stripeWebhookSecretFile: string | null;
  stripeUrl: string;
  creditPacks: string | null;
  creditPrice: string | null;
};

/** What is sold, and who takes the money; null: nobody, so nothing is sold. */
export type Sales = { stripe: StripeSettings | null; packs: CreditPack[]; creditPrice: Price | null };

/** Reads what belongs together; throws an `OperatorError` that names what is missing or wrong. */
export function salesOf(config: SalesConfig): Sales {
  const packs = config.creditPacks === null ? [] : readPacks(config.creditPacks);
  if (!packs)
    throw new OperatorError('FANFOLD_CREDIT_PACKS must be packs such as small=100@10.00USD, large=1000@90USD.');
  const creditPrice = config.creditPrice === null ? null : readPrice(config.creditPrice);
  if (creditPrice === undefined) throw new OperatorError('FANFOLD_CREDIT_PRICE must be a price such as 0.10USD.');
  const stripe = stripeOf(config);
  if (stripe && packs.length === 0 && creditPrice === null)
    throw new OperatorError('STRIPE_SECRET_KEY needs FANFOLD_CREDIT_PACKS or FANFOLD_CREDIT_PRICE: what is sold?');
  return { stripe, packs, creditPrice };
}

const readText = (file: string) => readFileSync(file, 'utf8');

function stripeOf(config: SalesConfig): StripeSettings | null {
  const secretKey = config.stripeSecretKey ?? secretIn(config.stripeSecretKeyFile, 'STRIPE_SECRET_KEY_FILE', readText);
  const webhookSecret =
    config.stripeWebhookSecret ?? secretIn(config.stripeWebhookSecretFile, 'STRIPE_WEBHOOK_SECRET_FILE', readText);
  if (secretKey === null && webhookSecret === null) return null;
  if (secretKey === null) throw new OperatorError('STRIPE_WEBHOOK_SECRET needs STRIPE_SECRET_KEY.');
  if (webhookSecret === null) throw new OperatorError('STRIPE_SECRET_KEY needs STRIPE_WEBHOOK_SECRET.');
  return { secretKey, webhookSecret, apiUrl: config.stripeUrl };
}
