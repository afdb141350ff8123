import { fault, isFields } from '#kernel';

/** The schema cannot be enforced. */
class Refusal extends Error {
  /** Where in the schema; null: in all of it. */
  place: string | null = null;
}

/** There is too much in all, whatever a single place says. */
class TooLarge extends Refusal {}

export function refuse(message: string): Error {
  return new Refusal(message);
}

export function tooLarge(message = 'The schema is too large to be enforced.'): Error {
  return new TooLarge(message);
}

/** The rest of the schema may be enforced without the place that is refused. */
export function isOfOnePlace(error: unknown): boolean {
  return error instanceof Refusal && !(error instanceof TooLarge);
}

/** What the caller is told; other errors stay what they are. */
export function asFault(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  const { place, message } = error;
  const where = place === null ? '' : `response_format.json_schema.schema${place}: `;
  return fault('invalid_request', { param: 'response_format', message: where + message });
}

/** The way from the whole schema to a part of it, as keywords, names and numbers. */
export type Path = { above: Path | null; steps: readonly (string | number)[] };

/** Where the parts of a schema stand in it. */
export type Places = WeakMap<object, Path>;

/** Says of a refusal where in the schema it belongs, as far in as that is known. */
export function placed<Result>(places: Places, schema: unknown, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw atPlace(places, schema, error);
  }
}

export function atPlace<Thrown>(places: Places, schema: unknown, error: Thrown): Thrown {
  const path = error instanceof Refusal && error.place === null ? pathOf(places, schema) : null;
  if (error instanceof Refusal && path !== null) error.place = pathText(path);
  return error;
}

/** Of schemas that were joined, the last one that stands somewhere. */
export function pathOf(places: Places, schema: unknown): Path | null {
  if (!isFields(schema)) return null;
  const known = places.get(schema);
  if (known !== undefined) return known;
  const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.reduce<Path | null>((last, part) => pathOf(places, part) ?? last, null);
}

/** As in JavaScript: `.properties.tags.anyOf[0]`. */
function pathText({ above, steps }: Path): string {
  const text = steps.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return (above === null ? '' : pathText(above)) + text.join('');
}
