import type { TSchema } from 'typebox';
import { isFields } from '#kernel';
import { localize } from './localize.ts';
import type { JsonSchema, Language } from './model.ts';

/** Turns the schemas of routes into those of a document in one language; what has an `$id` becomes a component. */
export type SchemaWriter = {
  write: (schema: TSchema) => JsonSchema;
  components: () => Record<string, JsonSchema>;
};

const componentName = /^[A-Z][A-Za-z0-9]*$/;
const maps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const single = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else']);

export function createSchemaWriter(language: Language): SchemaWriter {
  const components = new Map<string, JsonSchema>();

  function write(schema: unknown): JsonSchema {
    if (!isFields(schema)) throw new Error(`Not a schema: ${JSON.stringify(schema)}. This is a bug.`);
    const name = schema.$id;
    const plain = simplify(writeKeywords(schema), language);
    if (typeof name !== 'string') return plain;
    if (!componentName.test(name)) throw new Error(`The name of a schema is in PascalCase, not ${name}.`);
    const known = components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(plain))
      throw new Error(`Two different schemas have the name ${name}.`);
    components.set(name, plain);
    return { $ref: `#/components/schemas/${name}` };
  }

  function writeKeywords(schema: Record<string, unknown>): JsonSchema {
    const out: JsonSchema = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$id' || keyword === 'x-expected' || keyword === 'x-within') continue;
      if (keyword === 'description') out.description = localize(String(value), language);
      else if (maps.has(keyword) && isFields(value)) out[keyword] = mapValues(value, write);
      else if (lists.has(keyword) && Array.isArray(value)) out[keyword] = value.map(write);
      else if (single.has(keyword) && isFields(value)) out[keyword] = write(value);
      else out[keyword] = value;
    }
    return out;
  }

  return {
    write,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Says the same with fewer words: what TypeBox spells out has a short form that people and tools read better. */
function simplify(schema: JsonSchema, language: Language): JsonSchema {
  return withNull(withType(withFreeProperties(asEnum(schema))), language);
}

/** A choice between constants is an enumeration, unless the constants have texts of their own. */
function asEnum(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length === 0) return schema;
  const isPlain = (option: JsonSchema) => 'const' in option && Object.keys(option).length <= 2 && 'type' in option;
  return anyOf.every(isPlain) ? { ...rest, enum: anyOf.map((option) => option.const) } : schema;
}

function withFreeProperties(schema: JsonSchema): JsonSchema {
  const { patternProperties, ...rest } = schema;
  if (!isFields(patternProperties)) return schema;
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties);
  if (pattern !== '^.*$' || others.length > 0) return schema;
  return { ...rest, additionalProperties: isFields(value) && Object.keys(value).length === 0 ? true : value };
}

function withType(schema: JsonSchema): JsonSchema {
  if (!Array.isArray(schema.enum) || 'type' in schema) return schema;
  return schema.enum.every((value) => typeof value === 'string') ? { type: 'string', ...schema } : schema;
}

/** Something simple or null is a type of two names; a choice or null is a choice with one more. */
function withNull(schema: JsonSchema, language: Language): JsonSchema {
  const { anyOf, ...outer } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [value, none]: JsonSchema[] = anyOf;
  if (!value || none?.type !== 'null') return schema;
  const { const: only, enum: words, ...inner } = value;
  const allowed = Array.isArray(words) ? words : only === undefined ? [] : [only];
  const description = [inner.description, outer.description].filter(Boolean).join(language === 'zh' ? '' : ' ');
  const both = { ...inner, ...outer, ...(description ? { description } : {}) };
  if (Array.isArray(value.anyOf)) return { ...both, anyOf: [...value.anyOf, none] };
  if (typeof value.type !== 'string') return schema;
  return { ...both, type: [value.type, 'null'], ...(allowed.length > 0 ? { enum: [...allowed, null] } : {}) };
}

function mapValues(record: Record<string, unknown>, map: (value: unknown) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
