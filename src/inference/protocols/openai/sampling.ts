import type { Sampling } from '#engine';
import type { Fields } from '#kernel';
import { chatDefaults } from '#models';
import { acceptOnly, given, readInteger, readNumber, refuse } from './fields.ts';

const maxStops = 8;

/** Of either sign: clients draw seeds of 64 bits. */
export const mostSeed = 2 ** 63;

/** Sampling fields shared by chat and legacy completions, with the defaults that the catalogue publishes. */
export function readSampling(fields: Fields): Sampling {
  refuseSeveralAnswers(fields);
  return {
    maxTokens: readMaxTokens(fields),
    temperature: readNumber(fields, 'temperature', chatDefaults.temperature, { min: 0, max: 2 }),
    topP: readNumber(fields, 'top_p', chatDefaults.top_p, { min: 0, max: 1 }),
    presencePenalty: readNumber(fields, 'presence_penalty', 0, { min: -2, max: 2 }),
    frequencyPenalty: readNumber(fields, 'frequency_penalty', 0, { min: -2, max: 2 }),
    seed: readSeed(fields),
    stop: readStop(fields),
  };
}

function readMaxTokens(fields: Fields): number {
  const named = readInteger(fields, 'max_tokens', { min: 1 });
  const alias = readInteger(fields, 'max_completion_tokens', { min: 1 });
  if (named !== undefined && alias !== undefined && named !== alias) {
    throw refuse('max_completion_tokens', 'differs from max_tokens; send one of them');
  }
  return named ?? alias ?? chatDefaults.max_tokens;
}

/** A remote engine is sent the number, and a number of JSON is exact up to 53 bits. */
function readSeed(fields: Fields): number | null {
  const seed = readInteger(fields, 'seed', { min: -mostSeed, max: mostSeed });
  return seed === undefined ? null : seed % 2 ** 53;
}

function readStop(fields: Fields): string[] {
  const value = given(fields, 'stop');
  if (value === undefined) return [];
  const stops = Array.isArray(value) ? value : [value];
  if (stops.length > maxStops) throw refuse('stop', `expected at most ${maxStops} strings`);
  return stops.map((stop) => {
    if (typeof stop !== 'string' || stop === '') throw refuse('stop', 'expected a non-empty string or a list of them');
    return stop;
  });
}

function refuseSeveralAnswers(fields: Fields): void {
  acceptOnly(fields, 'n', (value) => value === 1, 'only 1 is supported');
  acceptOnly(fields, 'logit_bias', isEmptyObject, 'not supported');
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
