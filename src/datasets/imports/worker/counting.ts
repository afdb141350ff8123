import { createTokenCounter, type EngineModel } from '#engine';
import type { BaseModel } from '#models';
import { countingModel, rulerOf } from '../../token-ruler.ts';
import type { WorkDeps } from './room.ts';

/** What a worker needs to count tokens by itself: in a process of its own again, so that reading and counting go on at once. */
export type Counting = { baseModels: readonly BaseModel[]; engineModels: readonly EngineModel[] };

/** Texts of a batch are short-lived, so the young generation needs room. */
const youngMb = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/** Gives the rulers of the models that an order names; null there: none is installed. */
export function createRulers(
  environment: Environment,
): (counting: Counting | null) => Pick<WorkDeps, 'rulerOf' | 'surveyRulerOf'> {
  let now: Counting | null = null;
  const models = () => now?.engineModels ?? [];
  const tokenCounter = createTokenCounter({ models, environment, log: () => {}, youngMb });
  return (counting) => {
    now = counting;
    const installed = { baseModels: () => counting?.baseModels ?? [] };
    return {
      rulerOf: (dataset) => rulerOf({ models: installed, tokenCounter }, dataset),
      surveyRulerOf: async (dataset) => {
        const model = countingModel({ models: installed }, dataset);
        return (
          model && {
            maxTokens: model.maxContextTokens,
            basis: await tokenCounter.basis(model.id),
            countTexts: (texts) => tokenCounter.countTexts(model.id, texts),
          }
        );
      },
    };
  };
}
