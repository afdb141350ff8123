import type { MemoryBytes } from '#engine';
import { OperatorError } from '#kernel';
import { type ModelDetails, renderModel, setModel, showModel } from '#models';
import type { Config } from '../config.ts';
import { openCatalogue } from './models.ts';
import { changeOf, type SettingsFlags, withPlanner } from './planner.ts';
import { type ListFlags, note, print, printJson } from './terminal.ts';

export async function setModelCommand(config: Config, id: string, flags: SettingsFlags): Promise<void> {
  const change = changeOf(flags);
  if (Object.values(change).every((value) => value === undefined))
    throw new OperatorError('Say what to change: --context, --sequences or --kv.');
  const models = openCatalogue(config, note);
  await withPlanner(config, async (planner) => {
    const report = await setModel(models, planner, { id, change });
    for (const warning of report.warnings) note(warning);
    print(`${id} has ${report.contextTokens} tokens of context. \`fanfold models show ${id}\` explains it.`);
  });
}

export async function showModelCommand(config: Config, id: string, { json = false }: ListFlags): Promise<void> {
  const models = openCatalogue(config, note);
  const details = await withPlanner(config, (planner) => showModel(models, planner, id));
  if (json) printJson(jsonOf(details));
  else print(renderModel(details));
}

function jsonOf({ context, plan, ...details }: ModelDetails) {
  const { id, name, kind, path, sequences, kv } = details;
  return {
    id,
    name,
    kind,
    path,
    context: {
      tokens: context.tokens,
      chosen_by: context.chosenBy,
      supported_tokens: context.supported,
      budget_bytes: context.budgetBytes,
      chosen_for_sequences: context.chosenForSequences,
    },
    sequences,
    kv,
    plan: plan && {
      budget: bytesOf(plan.budget),
      weights: bytesOf(plan.weights),
      options: plan.options.map((option) => ({
        sequences: option.sequences,
        context: bytesOf(option.context),
        total: bytesOf(option.memory),
        fits: option.fits,
      })),
      layers: plan.layers,
      gpu_layers: plan.gpuLayers,
      runs_on: plan.runsOn,
      estimated_because: plan.estimatedBecause,
      alternatives: plan.alternatives.map((each) =>
        'option' in each
          ? { option: each.option, context_tokens: each.contextTokens }
          : { needed: bytesOf(each.memory), context_tokens: each.contextTokens },
      ),
    },
  };
}

function bytesOf({ ram, vram }: MemoryBytes) {
  return { memory_bytes: ram, vram_bytes: vram };
}
