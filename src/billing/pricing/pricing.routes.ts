import type { FastifyInstance } from 'fastify';
import type { CostPace } from '#calls';
import { answerCacheable, cacheableText, pageOf, readPage, type TypeBoxProvider } from '#http';
import type { Clock, CursorCodec, Micro } from '#kernel';
import { createAddressLimit } from './address-limit.ts';
import { estimate, estimateTraining, type TrainingTime, type TrainingWork } from './estimate.ts';
import { readEstimate } from './estimate-request.ts';
import type { CreditPack, Price } from './packs.ts';
import { type PriceList, pageOfPrices } from './price-list.ts';
import { estimateContract, platformContract, pricesContract } from './pricing.contract.ts';
import { estimateBody, estimateToWire, platformToWire, pricesQuery, priceToWire } from './pricing.schema.ts';

export type PricingDeps = {
  cursors: CursorCodec;
  clock: Clock;
  prices: () => PriceList;
  /** Of a model that is installed, what this process knows about its speed. */
  pace: (baseModelId: string) => CostPace & { measured?: boolean };
  /** How long a training on a base model takes, by the rules of training jobs. Throws a fault that names a wrong hyperparameter. */
  trainingTime: (baseModelId: string, work: TrainingWork) => Promise<TrainingTime>;
  /** As it is now: operators change it. */
  signUpMicro: () => Promise<Micro>;
  packs: readonly CreditPack[];
  creditPrice: Price | null;
  checkoutEnabled: boolean;
};

const estimatesPerMinute = 60;
const json = 'application/json; charset=utf-8';

/** What things cost, for everybody. */
export function pricingRoutes(deps: PricingDeps) {
  const { cursors, clock, prices, pace, trainingTime, signUpMicro, ...terms } = deps;
  const addresses = createAddressLimit({ perMinute: estimatesPerMinute, clock });

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/pricing/platform',
      { config: { operation: 'pricing.platform', access: 'public', contract: platformContract } },
      async (request, reply) => {
        const wire = platformToWire({ ...terms, signUpMicro: await signUpMicro(), prices: prices() });
        return answerCacheable(request, reply, cacheableText(JSON.stringify(wire), json));
      },
    );

    typed.get(
      '/api/v1/pricing/models',
      {
        config: { operation: 'pricing.models', access: 'public', contract: pricesContract },
        schema: { querystring: pricesQuery },
      },
      async (request, reply) => {
        const { kind = null, operation = null } = request.query;
        const { models } = prices();
        const page = pageOfPrices({ models, cursors }, { kind, operation }, readPage(request.query));
        const wire = pageOf({ ...page, toWire: priceToWire });
        return answerCacheable(request, reply, cacheableText(JSON.stringify(wire), json));
      },
    );

    typed.post(
      '/api/v1/pricing/estimate',
      {
        config: { operation: 'pricing.estimate', access: 'public', contract: estimateContract },
        schema: { body: estimateBody },
        onRequest: async (request, reply) => void reply.headers(addresses.take(request.ip)),
      },
      async ({ body }) => {
        const requested = readEstimate(prices().models, body);
        const { rateMicroPerMinute, model } = requested.price;
        if ('training' in requested) {
          const time = await trainingTime(model.id, requested.training);
          return estimateToWire(estimateTraining(time, rateMicroPerMinute), requested.price);
        }
        const { work, price } = requested;
        const { measured = false, ...known } = pace(model.id);
        const result = estimate({
          work,
          rateMicroPerMinute,
          parameters: model.parameters,
          measured: measured ? known : null,
        });
        return estimateToWire(result, price);
      },
    );
  };
}
