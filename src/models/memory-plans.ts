import { type PlannedMemory, planMemory } from './list-models.ts';
import type { ModelsService } from './models-service.ts';
import type { UsePlanner } from './pull/pulls.ts';

/** What each installed model takes when it is loaded, by its id. */
export type MemoryPlans = () => Promise<ReadonlyMap<string, PlannedMemory>>;

/** Laying a model out takes a second, so a plan is kept until the file or its settings change. */
export function createMemoryPlans(models: ModelsService, usePlanner: UsePlanner): MemoryPlans {
  let known = new Map<string, PlannedMemory | null>();
  return async () => {
    const engineModels = models.engineModels();
    const keyOf = (model: (typeof engineModels)[number]) =>
      JSON.stringify([model, models.find(model.id)?.installed?.sha256]);
    const missing = engineModels.filter((model) => !known.has(keyOf(model)));
    if (missing.length > 0)
      await usePlanner(async (planner) => {
        // Whose file is gone has no size either.
        for (const model of missing) known.set(keyOf(model), await planMemory(planner, model).catch(() => null));
      });
    known = new Map(engineModels.map((model) => [keyOf(model), known.get(keyOf(model)) ?? null]));
    return new Map(
      engineModels.flatMap((model) => {
        const plan = known.get(keyOf(model));
        return plan ? [[model.id, plan] as const] : [];
      }),
    );
  };
}
