import type { TSchema } from 'typebox';
import { isFields } from '#kernel';

/**
 * Query strings are text; where a schema asks for a number or a boolean, what is clearly one becomes it. Anything else
 * stays as it is and fails its check, which names the field.
 */
export function convertQuery(schema: TSchema, query: unknown): unknown {
  if (!isFields(query)) return query;
  const properties: unknown = Reflect.get(schema, 'properties');
  if (!isFields(properties)) return query;
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isFields(property) && typeof value === 'string' ? convert(property.type, value) : value];
    }),
  );
}

function convert(type: unknown, text: string): unknown {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
