import type { EngineModel, KvType, MemoryBytes, ModelMemory, ModelPlanner } from '#engine';
import type { BaseModel } from './base-model.ts';
import { readGgufFacts, supportedContextOf } from './gguf/facts.ts';
import { formatBytes, formatMemory } from './list-models.ts';
import { ModelError } from './model-error.ts';
import type { ModelKind } from './model-kinds.ts';
import { noSettings } from './model-settings.ts';
import { engineModelOf, type ModelsService } from './models-service.ts';

export type ModelDetails = {
  id: string;
  name: string;
  kind: ModelKind;
  /** null: the file is not here. */
  path: string | null;
  context: {
    tokens: number;
    chosenBy: 'operator' | 'memory' | 'catalogue' | 'model';
    /** null: the file does not say. */
    supported: number | null;
    /** Of the choice by memory. */
    budgetBytes: number | null;
    chosenForSequences: number | null;
  };
  kv: KvType;
  /** null: as many as the server is set to. */
  sequences: number | null;
  plan: ModelPlan | null;
};

export type ModelPlan = {
  budget: MemoryBytes;
  /** From the most calls at once to the fewest. */
  options: { sequences: number; memory: MemoryBytes; context: MemoryBytes; fits: boolean }[];
  weights: MemoryBytes;
  layers: number;
  /** 0: there is no GPU. */
  gpuLayers: number;
  /** `CPU`, or a backend with its devices and layers. */
  runsOn: string;
  estimatedBecause: string | null;
  alternatives: Alternative[];
};

/** What another choice would allow. `contextTokens`: the longest context that would fit; 0: none. */
type Alternative = { option: string; contextTokens: number } | { contextTokens: number; memory: MemoryBytes };

/** What a model was given, why, and what else it could have. Throws `ModelError` where there is no such model. */
export async function showModel(models: ModelsService, planner: ModelPlanner, id: string): Promise<ModelDetails> {
  const model = findModel(models, id);
  const settings = model.settings ?? noSettings;
  const engineModel = engineModelOf(model);
  const facts = engineModel === null ? null : readGgufFacts(engineModel.ggufPath);
  const supported = facts && supportedContextOf(facts);
  const isPublished = models.catalogue.entries.some((entry) => entry.id === id);
  const isListed = models.catalogue.entries.some((entry) => entry.id === id);
  return {
    id,
    name: model.name,
    kind: model.kind,
    path: engineModel?.ggufPath ?? null,
    context: {
      tokens: model.maxContextTokens,
      chosenBy: settings.context?.chosen_by ?? (isListed ? 'catalogue' : 'model'),
      supported,
      budgetBytes: settings.context?.budget_bytes ?? null,
      chosenForSequences: settings.context?.sequences ?? null,
    },
    kv: settings.kv,
    sequences: settings.sequences,
    plan:
      engineModel &&
      (await planOf(planner, engineModel, { supported: supported ?? model.maxContextTokens, isPublished })),
  };
}

export function findModel(models: ModelsService, id: string): BaseModel {
  const model = models.findKnown(id);
  if (model) return model;
  const what = `There is no model ${JSON.stringify(id.slice(0, 80))}`;
  throw new ModelError(`${what}; \`fanfold models list\` shows all.`, { inRequest: `${what}.` });
}

async function planOf(
  planner: ModelPlanner,
  model: EngineModel,
  { supported, isPublished }: Pick<Planned, 'supported' | 'isPublished'>,
): Promise<ModelPlan> {
  const memory = await planner.memoryOf(model);
  const budget = planner.budgetFor(memory);
  return {
    budget,
    options: memory.need.map(({ sequences, base }) => ({
      sequences,
      memory: base,
      context: memory.measured.contexts.get(sequences) ?? { ram: 0, vram: 0 },
      fits: planner.fits(base, budget),
    })),
    weights: memory.measured.weights,
    layers: memory.layers,
    gpuLayers: await planner.gpuLayersOf(model, memory, budget),
    runsOn: await planner.runsOn(model, memory, budget),
    estimatedBecause: memory.estimatedBecause,
    alternatives:
      model.kind === 'text' ? await alternativesOf(planner, { model, memory, budget, supported, isPublished }) : [],
  };
}

type Planned = {
  model: EngineModel;
  memory: ModelMemory;
  budget: MemoryBytes;
  supported: number;
  /** The catalogue says which context it has. */
  isPublished: boolean;
};

/** Only those that give a longer context than there is. */
async function alternativesOf(planner: ModelPlanner, planned: Planned): Promise<Alternative[]> {
  const { model, memory, budget, supported, isPublished } = planned;
  if (model.maxContextTokens >= supported) return [];
  const sequences = memory.need[0]?.sequences ?? 1;
  const isMeasured = memory.estimatedBecause === null;
  const found: Alternative[] = [];
  const look = async (option: string, changed: Partial<EngineModel>) => {
    const query = { supportedTokens: supported, budget, isWhole: true, isMeasured };
    const changedModel = { ...model, ...changed };
    const contextTokens = await planner.largestContext(changedModel, {
      ...query,
      sequences: changed.sequences ?? sequences,
    });
    // What is chosen for a model of the catalogue is never more than it publishes.
    const context = isPublished ? `--context ${contextTokens}` : '--context auto';
    if (contextTokens > model.maxContextTokens) found.push({ option: `${context}${option}`, contextTokens });
  };
  await look('', {});
  if (sequences > 1) await look(' --sequences 1', { sequences: 1 });
  for (const kv of ['q8_0', 'q4_0'] as const)
    if (model.kv === 'f16' && (await planner.refusalOf(model, kv)) === null) await look(` --kv ${kv}`, { kv });
  const full = await planner.memoryOf({ ...model, maxContextTokens: supported });
  return [...found, { contextTokens: supported, memory: full.need[0]?.base ?? budget }];
}

const count = (value: number) => value.toLocaleString('en-US');
const calls = (value: number) => `${value} ${value === 1 ? 'call' : 'calls'} at once`;

export function renderModel(details: ModelDetails): string {
  const { id, name, kind, path, plan, kv } = details;
  const lines = [
    `${id} (${name}), ${kind} model`,
    `file: ${path ?? `not installed; fanfold models pull ${id}`}`,
    `context: ${contextLine(details.context)}`,
    `calls at once: ${callsLine(details)}`,
    `key-value cache: ${kv}`,
  ];
  return [...lines, ...(plan ? planLines(plan) : [])].join('\n');
}

function callsLine({ kind, sequences, plan }: ModelDetails): string {
  if (kind !== 'text') return 'one input after another';
  if (sequences !== null) return `${sequences}, set with --sequences`;
  return `${plan?.options[0]?.sequences ?? 'as many as the server is set to'}, fewer where memory is short`;
}

function contextLine({ tokens, chosenBy, supported, ...choice }: ModelDetails['context']): string {
  const whole =
    supported === null ? 'The file does not say what the model supports' : `The model supports ${count(supported)}`;
  const reasons = {
    operator: 'set with --context',
    memory: `chosen for ${calls(choice.chosenForSequences ?? 1)} within ${formatBytes(choice.budgetBytes ?? 0)} of memory`,
    catalogue: 'as the catalogue publishes it',
    model: 'all that the model supports',
  };
  return `${count(tokens)} tokens, ${reasons[chosenBy]}. ${whole}.`;
}

function planLines({ budget, options, weights, runsOn, estimatedBecause, alternatives }: ModelPlan) {
  const lines = [`runs on: ${runsOn}`, `models may take: ${formatMemory(budget)}`, `weights: ${formatMemory(weights)}`];
  for (const { sequences, memory, fits } of options)
    lines.push(`memory with ${calls(sequences)}: ${formatMemory(memory)}${fits ? '' : ', does not fit'}`);
  if (estimatedBecause !== null)
    lines.push(`these are estimates, because llama.cpp cannot lay the file out: ${estimatedBecause}`);
  for (const each of alternatives)
    lines.push(
      'option' in each
        ? `with ${each.option}: ${count(each.contextTokens)} tokens`
        : `with ${formatMemory(each.memory)} of memory: ${count(each.contextTokens)} tokens`,
    );
  return lines;
}
