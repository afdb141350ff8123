import { type ContextChoice, defaultSettings, type EngineModel, type KvType, kvTypes, ModelPlanner } from '#engine';
import { ModelError } from './model-error.ts';
import { type ModelSettings, mostSequences, noSettings } from './model-settings.ts';

/** What a person asks for: null chooses anew, left out keeps what is there. */
export type SettingsChange = {
  contextTokens?: number | null | undefined;
  sequences?: number | null | undefined;
  kv?: KvType | undefined;
};

export type SettingsQuery = {
  model: Omit<EngineModel, 'maxContextTokens' | 'sequences' | 'kv'>;
  /** What the catalogue publishes, or what the file says. */
  supportedTokens: number;
  /** What the file says, whatever is published; null: nothing. */
  fileTokens: number | null;
  before: ModelSettings;
  change: SettingsChange;
};

export type ChosenSettings = {
  settings: ModelSettings;
  contextTokens: number;
  /** null: the context was given. */
  choice: ContextChoice | null;
  warnings: string[];
};

export function isKvType(text: string): text is KvType {
  return kvTypes.some((type) => type === text);
}

/** Throws `ModelError` for what cannot be. */
export async function chooseSettings(planner: ModelPlanner, query: SettingsQuery): Promise<ChosenSettings> {
  const { model, supportedTokens, before, change } = query;
  checkChange(change, model.kind);
  const sequences = change.sequences === undefined ? before.sequences : change.sequences;
  const kv = change.kv ?? before.kv;
  const planned: EngineModel = { ...model, maxContextTokens: supportedTokens, sequences, kv };
  const refusal = await planner.refusalOf(planned, kv);
  if (refusal !== null) throw new ModelError(`${model.id} cannot store its key-value cache as ${kv}: ${refusal}`);
  const given = change.contextTokens === undefined ? operatorsContext(before) : change.contextTokens;
  if (given !== null) return withContext(given, { ...query, sequences, kv });
  if (model.kind !== 'text') {
    return { settings: { context: null, sequences, kv }, contextTokens: supportedTokens, choice: null, warnings: [] };
  }
  if (change.contextTokens === null || before.context === null) return chooseContext(planner, planned);
  const { context } = before;
  return { settings: { context, sequences, kv }, contextTokens: context.tokens, choice: null, warnings: [] };
}

async function chooseContext(planner: ModelPlanner, model: EngineModel): Promise<ChosenSettings> {
  const { sequences = null, kv = 'f16', maxContextTokens: supportedTokens } = model;
  const choice = await planner.chooseContext(model, supportedTokens);
  const warnings: string[] = [];
  if (choice.estimatedBecause !== null)
    warnings.push(
      `The memory of ${model.id} is an estimate, because llama.cpp cannot lay it out: ${choice.estimatedBecause}`,
    );
  if (!choice.fits) warnings.push(`${model.id} does not fit into the memory of this machine.`);
  const context =
    choice.limitedBy === 'model'
      ? null
      : {
          tokens: choice.contextTokens,
          chosen_by: 'memory' as const,
          budget_bytes: choice.budget.ram,
          sequences: choice.sequences,
        };
  return { settings: { context, sequences, kv }, contextTokens: choice.contextTokens, choice, warnings };
}

function withContext(
  tokens: number,
  { fileTokens, sequences, kv }: SettingsQuery & Pick<ModelSettings, 'sequences' | 'kv'>,
): ChosenSettings {
  const isLonger = fileTokens !== null && tokens > fileTokens;
  const warnings = isLonger ? [`The model was made for ${fileTokens} tokens; answers past that may be poor.`] : [];
  const context = { tokens, chosen_by: 'operator' as const, budget_bytes: null, sequences: null };
  return { settings: { context, sequences, kv }, contextTokens: tokens, choice: null, warnings };
}

function operatorsContext({ context }: ModelSettings): number | null {
  return context?.chosen_by === 'operator' ? context.tokens : null;
}

function checkChange({ contextTokens, sequences }: SettingsChange, kind: EngineModel['kind']): void {
  if (contextTokens != null && (!Number.isSafeInteger(contextTokens) || contextTokens < 1))
    throw new ModelError('The context must be a whole number of tokens, at least 1.');
  if (sequences == null) return;
  if (kind !== 'text')
    throw new ModelError('Such a model reads one input after another; it takes no number of sequences.');
  if (!Number.isSafeInteger(sequences) || sequences < 1 || sequences > mostSequences)
    throw new ModelError(`The sequences must be a whole number of calls at once, from 1 to ${mostSequences}.`);
}

/** What the registry stores; null: nothing that differs from a model without settings. */
export function storedSettings(settings: ModelSettings): ModelSettings | null {
  const { context, sequences, kv } = settings;
  return context === null && sequences === null && kv === noSettings.kv ? null : settings;
}

/** With a planner of the usual settings where none is given. */
export async function withPlanner<Result>(
  given: ModelPlanner | undefined,
  work: (planner: ModelPlanner) => Promise<Result>,
): Promise<Result> {
  if (given) return work(given);
  const planner = new ModelPlanner({
    settings: defaultSettings(),
    memoryLimitBytes: null,
    environment: {},
    log: () => {},
  });
  try {
    return await work(planner);
  } finally {
    await planner.close();
  }
}
