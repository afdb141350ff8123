import type { Micro } from '#kernel';
import type { BaseModel } from './base-model.ts';
import type { ModelsService } from './models-service.ts';

/**
 * What operations on the base models cost, as the price list needs it; null: not offered. The catalogue's rates hold since
 * its own day, those of an added model since it was added.
 */
export function listPrices({ baseModels, catalogue }: Pick<ModelsService, 'baseModels' | 'catalogue'>) {
  return {
    priceVersion: catalogue.priceVersion,
    effectiveFrom: catalogue.pricesSince,
    models: baseModels().map((model) => {
      const { id, kind, parameters, created, rateMicroPerMinute, priceVersion } = model;
      const others = catalogue.otherRates.get(id);
      return {
        id,
        kind,
        parameters,
        listedAt: created,
        priceVersion,
        effectiveFrom: others ? catalogue.pricesSince : created,
        rates: {
          inference: rateMicroPerMinute,
          training: others?.trainingMicroPerMinute ?? null,
          index: indexRateOf({ catalogue }, model),
        },
      };
    }),
  };
}

/** Rate of building a vector index: that of a call, unless the catalogue has one of its own. Null: it does not embed. */
export function indexRateOf(
  { catalogue }: Pick<ModelsService, 'catalogue'>,
  { id, kind, rateMicroPerMinute }: Pick<BaseModel, 'id' | 'kind' | 'rateMicroPerMinute'>,
): Micro | null {
  if (kind !== 'embedding') return null;
  return catalogue.otherRates.get(id)?.indexMicroPerMinute ?? rateMicroPerMinute;
}
