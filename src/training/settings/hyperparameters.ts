import { fault } from '#kernel';
import {
  type HyperparameterName,
  type HyperparameterRange,
  type HyperparameterValue,
  hyperparameterNames,
  type TrainingProfile,
} from '#models';

/** Resolved: every one that the model has. */
export type Hyperparameters = Partial<Record<HyperparameterName, HyperparameterValue>>;

const longestInstruction = 2_000;

/** Fills in what was not given. Throws a fault that names the field and its range: 422 for a wrong type, 400 for a wrong value. */
export function resolveHyperparameters(
  { hyperparameters: ranges, maxSeqLengths }: TrainingProfile,
  given: Record<string, unknown>,
): Hyperparameters {
  const stranger = Object.keys(given).find(
    (name) => !hyperparameterNames.some((known) => known === name && ranges[known]),
  );
  if (stranger !== undefined) {
    const names = hyperparameterNames.filter((name) => ranges[name]).join(', ');
    throw refuse(stranger, `this base model has no such hyperparameter; it has ${names}`, null);
  }
  const resolved: Hyperparameters = {};
  for (const name of hyperparameterNames) {
    const range = ranges[name];
    if (!range) continue;
    const value = given[name];
    resolved[name] = value === undefined ? range.default : check(name, value, range);
  }
  const length = resolved.max_seq_length;
  if (maxSeqLengths.length > 0 && !maxSeqLengths.some((tokens) => tokens === length)) {
    throw refuse('max_seq_length', `expected one of ${maxSeqLengths.join(', ')}`, { allowed: [...maxSeqLengths] });
  }
  return resolved;
}

function check(name: HyperparameterName, value: unknown, range: HyperparameterRange): HyperparameterValue {
  if (name === 'query_instruction') return checkInstruction(value);
  if (name === 'packing') {
    if (value === false) return false;
    if (value !== true) throw misfit(name, 'expected false', 'boolean_type');
    throw refuse(
      name,
      'packing is not offered: conversations in one sequence would see each other; expected false',
      null,
    );
  }
  if (typeof range.default === 'boolean') {
    if (typeof value === 'boolean') return value;
    throw misfit(name, 'expected true or false', 'boolean_type');
  }
  if (value === null && range.default === null) return null;
  return checkNumber(name, value, range);
}

function checkNumber(name: HyperparameterName, value: unknown, { min, max, isInteger }: HyperparameterRange): number {
  const [low, high] = [min ?? 0, max ?? 0];
  const fits = typeof value === 'number' && value >= low && value <= high && (!isInteger || Number.isInteger(value));
  if (fits) return value;
  const what = isInteger ? 'an integer' : 'a number';
  if (typeof value !== 'number') throw misfit(name, `expected ${what} from ${low} to ${high}`, 'number_type');
  throw refuse(name, `expected ${what} from ${low} to ${high}`, { min: low, max: high });
}

function checkInstruction(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value.trim() !== '' && value.length <= longestInstruction && !value.includes('\0'))
    return value;
  const message = `expected null or a text of at most ${longestInstruction} characters`;
  if (typeof value !== 'string') throw misfit('query_instruction', message, 'string_type');
  throw refuse('query_instruction', message, null);
}

function refuse(name: string, message: string, details: Record<string, unknown> | null) {
  const shown = name.length > 80 ? `${name.slice(0, 80)}...` : name;
  const param = `hyperparameters.${shown}`;
  return fault('invalid_request', { message: `${param}: ${message}.`, param, ...(details ? { details } : {}) });
}

function misfit(name: HyperparameterName, expected: string, type: string) {
  const param = `hyperparameters.${name}`;
  const detail = [{ type, loc: ['body', 'hyperparameters', name], msg: expected }];
  return fault('invalid_shape', { message: `${param}: ${expected}.`, param, detail });
}

export function numberOf(hyperparameters: Hyperparameters, name: HyperparameterName, fallback: number): number {
  const value = hyperparameters[name];
  return typeof value === 'number' ? value : fallback;
}

/** What an embedding model is called with at most, and what is put in front of queries. */
export function servingOf({ max_seq_length: length, query_instruction: instruction }: Hyperparameters) {
  return {
    maxInputTokens: typeof length === 'number' ? Math.max(512, length) : null,
    queryInstruction: typeof instruction === 'string' ? instruction : null,
  };
}
