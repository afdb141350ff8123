import { FieldError } from './field-error.ts';

const vectorName = /(^|_)(embeddings?|vectors?)$/i;
/** A list of at least so many numbers is a vector, whatever its name. */
const shortestVector = 16;
const mostNames = 20;
const plainName = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Notes fields that events do not have, as the header field `x-fnf-ignored-fields` tells them. Vectors are refused instead:
 * only text becomes training data, and who sends a vector expects something else.
 */
export class UnknownFields {
  readonly #names = new Set<string>();

  /** `place` is the path without indices, as in `results.colour`; `param` the one of this field. */
  note(place: string, param: string, value: unknown): void {
    refuseVectors(param, value);
    if (this.#names.size < mostNames && plainName.test(place.slice(place.lastIndexOf('.') + 1))) this.#names.add(place);
  }

  names(): string[] {
    return [...this.#names];
  }
}

/** Throws for a vector in a value or anywhere below it. */
export function refuseVectors(param: string, value: unknown): void {
  const name = param.slice(Math.max(param.lastIndexOf('.'), param.lastIndexOf(']')) + 1);
  if (value === null || value === undefined) return;
  if (vectorName.test(name) || isVector(value))
    throw new FieldError('value', param, 'vectors are not taken: only text becomes training data');
  if (Array.isArray(value)) for (const [index, item] of value.entries()) refuseVectors(`${param}[${index}]`, item);
  else if (typeof value === 'object')
    for (const [key, item] of Object.entries(value)) refuseVectors(`${param}.${key}`, item);
}

function isVector(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length >= shortestVector && value.every((item: unknown) => typeof item === 'number')
  );
}
