import type { ModelKind } from './model-kinds.ts';

/** What can be said about how to train; the words of the interface. */
export const hyperparameterNames = [
  'epochs',
  'max_steps',
  'learning_rate',
  'lora_rank',
  'lora_alpha',
  'lora_dropout',
  'batch_size',
  'gradient_accumulation',
  'warmup_ratio',
  'weight_decay',
  'max_seq_length',
  'seed',
  'packing',
  'temperature',
  'in_batch_negatives',
  'query_instruction',
] as const;
export type HyperparameterName = (typeof hyperparameterNames)[number];
export type HyperparameterValue = number | boolean | string | null;

export type HyperparameterRange = {
  default: HyperparameterValue;
  /** Null: it is no number. */
  min: number | null;
  max: number | null;
  step: number | null;
  isInteger: boolean;
  help: string;
};

export type TrainingProfile = {
  /** Its weights in Hugging Face form; null: they are not installed. */
  weightsFolder: string | null;
  /** How the operator installs them, in a line; null: they ship with the catalogue. */
  weightsCommand: string | null;
  hyperparameters: Partial<Record<HyperparameterName, HyperparameterRange>>;
  /** The only values of `max_seq_length`; empty: any in its range. */
  maxSeqLengths: readonly number[];
};

export type TrainingWeights = { type: 'shipped'; folder: string } | { type: 'hub'; repo: string; revision: string };

/** What the catalogue says about training a model: what differs from the ranges below. */
export type TrainingEntry = {
  weights: TrainingWeights;
  maxSeqLengths: readonly number[];
  defaults: Partial<Record<HyperparameterName, number>>;
};

type Numeric = { default: number | null; min: number; max: number; step: number; isInteger: boolean; help: string };

const whole = (fallback: number | null, min: number, max: number, help: string): Numeric => ({
  default: fallback,
  min,
  max,
  step: 1,
  isInteger: true,
  help,
});
const real = (fallback: number, [min, max, step]: [number, number, number], help: string): Numeric => ({
  default: fallback,
  min,
  max,
  step,
  isInteger: false,
  help,
});
const choice = (fallback: HyperparameterValue, help: string): HyperparameterRange => ({
  default: fallback,
  min: null,
  max: null,
  step: null,
  isInteger: false,
  help,
});

const forAll = {
  epochs: whole(3, 1, 100, 'How often each example is seen.'),
  max_steps: whole(null, 1, 1_000_000, 'Ends training early; null: after the epochs.'),
  learning_rate: real(
    0.0002,
    [0.000001, 0.01, 0.000001],
    'Lower it when the loss jumps; raise it when nothing is learned.',
  ),
  lora_rank: whole(16, 1, 128, 'Size of the adapter: more can hold more, and costs more.'),
  lora_alpha: real(32, [1, 512, 1], 'Strength of the adapter, usually twice the rank.'),
  lora_dropout: real(0, [0, 0.5, 0.01], 'Share of the adapter that is left out at random, against learning by heart.'),
  batch_size: whole(8, 1, 128, 'Examples computed at once: lower it when memory does not suffice.'),
  gradient_accumulation: whole(1, 1, 64, 'Batches of one step: raise it when batch_size is lowered.'),
  warmup_ratio: real(0.1, [0, 0.5, 0.01], 'Share of the steps in which the learning rate rises: 5 to 100 of them.'),
  weight_decay: real(0, [0, 0.5, 0.01], 'Pulls the adapter towards nothing.'),
  seed: whole(7, 0, 2_147_483_647, 'The same seed and data give the same adapter on the same machine.'),
};

const forText = {
  max_seq_length: whole(2048, 64, 32_768, 'Longest conversation in tokens; longer ones are left out and counted.'),
  packing: choice(false, 'Several conversations in one sequence are not offered: they would see each other.'),
};

const forEmbeddings = {
  max_seq_length: whole(512, 256, 2048, 'Longest text in tokens; the trained model accepts inputs up to it.'),
  temperature: real(0.02, [0.005, 1, 0.005], 'Lower values make more of small differences.'),
  in_batch_negatives: choice(true, 'Passages of other queries count as wrong answers, too.'),
  query_instruction: choice(null, 'Put in front of queries, in training and when the model is called; null: none.'),
};

/** The ranges of a kind with the defaults of a model, and no more than its context holds. */
export function trainingProfileOf(
  entry: TrainingEntry,
  model: { id: string; kind: ModelKind; maxContextTokens: number; queryInstruction: string | null },
  weightsFolder: string | null,
): TrainingProfile {
  const ranges: Partial<Record<HyperparameterName, HyperparameterRange>> =
    model.kind === 'text' ? { ...forAll, ...forText } : { ...forAll, ...forEmbeddings };
  const hyperparameters: TrainingProfile['hyperparameters'] = {};
  for (const name of hyperparameterNames) {
    const range = ranges[name];
    if (range) hyperparameters[name] = { ...range, default: entry.defaults[name] ?? range.default };
  }
  const length = hyperparameters.max_seq_length;
  if (length?.max) length.max = Math.min(length.max, model.maxContextTokens);
  if (hyperparameters.query_instruction) hyperparameters.query_instruction.default = model.queryInstruction;
  const maxSeqLengths = entry.maxSeqLengths.filter((tokens) => tokens <= model.maxContextTokens);
  const weightsCommand = entry.weights.type === 'hub' ? `fanfold models pull ${model.id} --weights` : null;
  return { weightsFolder, weightsCommand, hyperparameters, maxSeqLengths };
}
