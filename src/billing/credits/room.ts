import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import type { PublicUrl } from '#http';
import type { Clock, CursorCodec, Log, Micro } from '#kernel';
import { checkoutRoutes } from '../checkout/checkout.routes.ts';
import { createReconciliation } from '../checkout/reconciliation.ts';
import type { Sales } from '../checkout/sales.ts';
import { createStripe } from '../checkout/stripe.ts';
import { webhookRoutes } from '../checkout/webhook.routes.ts';
import { type PricingDeps, pricingRoutes } from '../pricing/pricing.routes.ts';
import { createUsageSums } from '../usage/summing.ts';
import { creditsRoutes } from './credits.routes.ts';

export type CreditsOptions = Pick<PricingDeps, 'prices' | 'pace' | 'trainingTime' | 'signUpMicro'> & {
  database: Database;
  cursors: CursorCodec;
  clock: Clock;
  publicUrl: PublicUrl;
  /** Below it, credits are low. */
  lowMicro: Micro;
  sales: Sales;
  log?: Log;
};

/** All that an account sees of its credits: prices, balance, ledger and purchases, with the work behind them. */
export type Credits = {
  routes: (app: FastifyInstance) => Promise<void>;
  /** Accounts with new rows in the ledger, to be added here. */
  changed: Set<string>;
  /** @param options.works false: other processes look for what was forgotten, at the ledger and at the payment provider. */
  start: (options: { works: boolean }) => void;
  stop: () => Promise<void>;
};

export function createCredits(options: CreditsOptions): Credits {
  const { database, cursors, clock, lowMicro, sales, log, publicUrl, prices, pace, trainingTime, signUpMicro } =
    options;
  const { stripe, packs, creditPrice } = sales;
  const logged = log ? { log } : {};
  const sums = createUsageSums({ database, lowMicro, ...logged });
  const provider = stripe && createStripe(stripe);
  const checkouts = {
    database,
    provider,
    packs,
    creditPrice,
    clock,
    onPurchase: (id: string) => sums.changed.add(id),
    ...logged,
  };
  const reconciliation = createReconciliation(checkouts);

  return {
    async routes(app) {
      const terms = { signUpMicro, packs, creditPrice, checkoutEnabled: provider !== null };
      await app.register(pricingRoutes({ cursors, clock, prices, pace, trainingTime, ...terms }));
      await app.register(creditsRoutes({ sql: database, cursors, clock, lowMicro }));
      await app.register(checkoutRoutes({ ...checkouts, publicUrl }));
      await app.register(webhookRoutes(checkouts));
    },
    changed: sums.changed,
    start({ works }) {
      sums.start({ sweeps: works });
      if (works) reconciliation.start();
    },
    async stop() {
      await Promise.all([sums.stop(), reconciliation.stop()]);
    },
  };
}
