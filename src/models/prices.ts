import type { ModelsService } from './models-service.ts';

/**
 * What operations on the base models cost, as the price list needs it; null: not offered. The catalogue's rates hold since
 * its own day, those of an added model since it was added.
 */
export function listPrices({ baseModels, catalogue }: ModelsService) {
  return {
    priceVersion: catalogue.priceVersion,
    effectiveFrom: catalogue.pricesSince,
    models: baseModels().map(({ id, kind, parameters, created, source, rateMicroPerMinute, priceVersion }) => {
      const others = catalogue.otherRates.get(id);
      return {
        id,
        kind,
        parameters,
        listedAt: created,
        priceVersion,
        effectiveFrom: source === null ? created : catalogue.pricesSince,
        rates: {
          inference: rateMicroPerMinute,
          training: others?.trainingMicroPerMinute ?? null,
          index: others?.indexMicroPerMinute ?? null,
        },
      };
    }),
  };
}
