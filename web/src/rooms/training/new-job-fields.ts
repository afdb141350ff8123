import { type HyperparameterName, hyperparameterNames } from './hyperparameters.ts';

export type Range = {
  default: number | string | boolean | null;
  min: number | null;
  max: number | null;
  step: number | null;
};

export type Beginning = {
  base?: string | undefined;
  dataset?: string | undefined;
  version?: string | undefined;
  settings?: Record<string, unknown>;
  control?: { dataset_version_id: string; replay_ratio: number } | null;
};

export type Ranges = Partial<Record<HyperparameterName, Range>>;

/** Form fields hold text. */
export type JobFields = {
  name: string;
  base_model: string;
  dataset_id: string;
  dataset_version_id: string;
  settings: Partial<Record<HyperparameterName, string>>;
  test_ratio: string;
  every_steps: string;
  early_stopping_patience: string;
  control: string;
  replay: string;
  alias: string;
  activate: boolean;
};

const isRange = (value: unknown): value is Range => typeof value === 'object' && value !== null && 'default' in value;

/** Known settings of a base model, in the order of the form. */
export function rangesOf(hyperparameters: Record<string, unknown>): Ranges {
  return Object.fromEntries(
    hyperparameterNames.flatMap((name) => {
      const range = hyperparameters[name];
      // Not available yet.
      return isRange(range) && name !== 'packing' ? [[name, range]] : [];
    }),
  );
}

/** Settings of an earlier job as text; defaults stay empty. */
export function settingsFrom(given: Record<string, unknown>, ranges: Ranges): JobFields['settings'] {
  return Object.fromEntries(
    Object.entries(ranges).flatMap(([name, range]) => {
      const value = given[name];
      return value === undefined || value === null || value === range.default ? [] : [[name, String(value)]];
    }),
  );
}

/** The most important settings; the others are folded. */
export const mainSettings: readonly HyperparameterName[] = [
  'epochs',
  'learning_rate',
  'lora_rank',
  'batch_size',
  'max_seq_length',
];

export const replayRange: Range = { default: 0, min: 0, max: 0.5, step: null };

export const measuringRanges = {
  test_ratio: { default: null, min: 0, max: 0.5, step: null },
  every_steps: { default: null, min: 1, max: 1_000_000, step: 1 },
  early_stopping_patience: { default: null, min: 1, max: 1_000, step: 1 },
} as const satisfies Record<string, Range>;

export type MeasuringName = keyof typeof measuringRanges;

/** Whether all numbers are valid. */
export function areFitting(fields: JobFields, ranges: Ranges): boolean {
  const given: [string, Range][] = [
    [fields.replay, replayRange],
    ...Object.entries(measuringRanges).map(([name, range]): [string, Range] => [fields[name as MeasuringName], range]),
    ...Object.entries(ranges).map(([name, range]): [string, Range] => [
      fields.settings[name as HyperparameterName] ?? '',
      range,
    ]),
  ];
  return given.every(([text, range]) => isFitting(text, range));
}

export function isFitting(text: string, { min, max, step }: Range): boolean {
  if (text.trim() === '') return true;
  const value = Number(text);
  if (step === 1 && !Number.isInteger(value)) return false;
  return Number.isFinite(value) && (min === null || value >= min) && (max === null || value <= max);
}

export const isNumeric = ({ min, max }: Range): boolean => min !== null || max !== null;
