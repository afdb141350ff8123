import { type Fields, isExactNumber, isFields } from '#kernel';

/**
 * Says where arguments do not fit the JSON schema of their tool; null: they fit, as far as is looked. Schemas come from
 * strangers, so nothing is compiled or matched against patterns, and the number of steps is bounded: what is left out
 * (patterns, formats, what the budget does not reach) counts as fitting.
 */
export function findMismatch(schema: Fields, value: unknown): string | null {
  return new Checker(schema).check(schema, value, '');
}

const maxSteps = 20_000;
const maxDepth = 64;

class Checker {
  readonly #root: Fields;
  #steps = maxSteps;
  #depth = 0;

  constructor(root: Fields) {
    this.#root = root;
  }

  check(schema: unknown, value: unknown, at: string): string | null {
    if (schema === false) return `${at || 'the value'} is not allowed`;
    if (!isFields(schema) || this.#steps <= 0 || this.#depth >= maxDepth) return null;
    this.#steps--;
    this.#depth++;
    try {
      return (
        this.#checkType(schema, value, at) ?? this.#checkChoice(schema, value, at) ?? this.#within(schema, value, at)
      );
    } finally {
      this.#depth--;
    }
  }

  #checkType({ type, enum: choices, const: only }: Fields, value: unknown, at: string): string | null {
    const types: unknown[] = type === undefined ? [] : [type].flat();
    const name = at || 'the value';
    if (types.length > 0 && !types.some((one) => isOfType(one, value))) return `${name} must be ${types.join(' or ')}`;
    if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
      return `${name} must be one of ${JSON.stringify(choices).slice(0, 100)}`;
    if (only !== undefined && !isSame(only, value)) return `${name} must be ${JSON.stringify(only).slice(0, 100)}`;
    return null;
  }

  #checkChoice(schema: Fields, value: unknown, at: string): string | null {
    const { $ref: ref, allOf, anyOf, oneOf } = schema;
    const mismatch = typeof ref === 'string' ? this.check(this.#resolve(ref), value, at) : null;
    if (mismatch !== null) return mismatch;
    for (const part of listOf(allOf)) {
      const problem = this.check(part, value, at);
      if (problem !== null) return problem;
    }
    for (const choices of [listOf(anyOf), listOf(oneOf)])
      if (choices.length > 0 && choices.every((choice) => this.check(choice, value, at) !== null))
        return `${at || 'the value'} fits none of its ${choices.length} forms`;
    return null;
  }

  #within(schema: Fields, value: unknown, at: string): string | null {
    if (Array.isArray(value)) return this.#first(value.map((item, index) => [schema.items, item, `${at}/${index}`]));
    if (!isFields(value)) return null;
    for (const name of listOf(schema.required))
      if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${at || 'the value'} needs ${name}`;
    const known = isFields(schema.properties) ? schema.properties : {};
    const others = isFields(schema.patternProperties) ? undefined : schema.additionalProperties;
    return this.#first(
      Object.entries(value).map(([name, field]) => [
        Object.hasOwn(known, name) ? known[name] : others,
        field,
        `${at}/${name}`,
      ]),
    );
  }

  #first(parts: readonly [schema: unknown, value: unknown, at: string][]): string | null {
    for (const [schema, value, at] of parts) {
      const problem = this.check(schema, value, at);
      if (problem !== null) return problem;
    }
    return null;
  }

  /** Only references within the schema are followed. */
  #resolve(ref: string): unknown {
    if (!ref.startsWith('#')) return undefined;
    let found: unknown = this.#root;
    for (const part of ref.slice(1).split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = Reflect.get(found, name);
    }
    return found;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'boolean':
    case 'string':
      return typeof value === type;
    case 'number':
      return numberOf(value) !== null;
    case 'integer':
      return isExactNumber(value) ? isWhole(value.rawJSON) : Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isFields(value);
    default:
      // An unknown type name restricts nothing.
      return true;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  const [first, second] = [numberOf(one), numberOf(other)];
  // Larger ones are rounded: of those the digits count.
  if (first !== null && first === second && Math.abs(first) <= Number.MAX_SAFE_INTEGER) return true;
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Whether a number as it is written has no digits but noughts behind its point. */
function isWhole(text: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(text) ?? [];
  return /^0*$/.test((whole + fraction).slice(Math.max(0, whole.length + Number(exponent))));
}

function numberOf(value: unknown): number | null {
  if (isExactNumber(value)) return Number(value.rawJSON);
  return typeof value === 'number' ? value : null;
}
