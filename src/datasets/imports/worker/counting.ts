import { createTokenCounter, type EngineModel } from '#engine';
import type { BaseModel } from '#models';
import type { TokenRuler } from '../../examples/new-examples.ts';
import { rulerOf } from '../../token-ruler.ts';

/** What a worker needs to count tokens by itself: in a process of its own again, so that reading and counting go on at once. */
export type Counting = { baseModels: readonly BaseModel[]; engineModels: readonly EngineModel[] };

export type Rulers = {
  rulerOf: (dataset: Parameters<typeof rulerOf>[1]) => TokenRuler | null;
  close: () => Promise<void>;
};

export function openRulers({ baseModels, engineModels }: Counting): Rulers {
  const tokenCounter = createTokenCounter({ models: () => engineModels, log: () => {} });
  return {
    rulerOf: (dataset) => rulerOf({ models: { baseModels: () => baseModels }, tokenCounter }, dataset),
    close: tokenCounter.close,
  };
}
