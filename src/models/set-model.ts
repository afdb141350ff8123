import type { ContextChoice, ModelPlanner } from '#engine';
import { chooseSettings, type SettingsChange, storedSettings } from './choose-settings.ts';
import { readGgufFacts, supportedContextOf } from './gguf/facts.ts';
import { inOneLine, ModelError } from './model-error.ts';
import { noSettings } from './model-settings.ts';
import type { ModelsService } from './models-service.ts';
import { readRegistry, updateSettings } from './registry.ts';
import { findModel } from './show-model.ts';

export type SetReport = { id: string; contextTokens: number; choice: ContextChoice | null; warnings: string[] };

/** Changes how a model is loaded. A running server loads it anew for the next call; running calls finish. */
export function setModel(
  models: ModelsService,
  planner: ModelPlanner,
  { id, change }: { id: string; change: SettingsChange },
): Promise<SetReport> {
  return inOneLine(async () => {
    const { kind, installed } = findModel(models, id);
    if (!installed) throw new ModelError(`${id} is not installed; its settings are chosen when it is.`);
    const { ggufPath } = installed;
    const registry = readRegistry(models.registryPath);
    const { contextTokens, settings, choice, warnings } = await chooseSettings(planner, {
      model: { id, kind, ggufPath },
      supportedTokens: publishedContextOf(models, id),
      fileTokens: supportedContextOf(readGgufFacts(ggufPath)),
      before: registry.settings.get(id) ?? noSettings,
      change,
    });
    await updateSettings(models.registryPath, id, storedSettings(settings));
    return { id, contextTokens, choice, warnings };
  });
}

/** Of the catalogue, or of the registry: the most that is chosen without an operator's word. */
function publishedContextOf({ catalogue, registryPath }: ModelsService, id: string): number {
  const listed = catalogue.entries.find((entry) => entry.id === id)?.maxContextTokens;
  const added = readRegistry(registryPath).entries.get(id)?.added?.max_context_tokens;
  return listed ?? added ?? 0;
}
