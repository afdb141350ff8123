import { isFields } from '#kernel';
import type { JsonSchema, Language } from '../model.ts';
import { type Html, html } from './html.ts';
import { inline } from './markdown.ts';
import { word } from './words.ts';

/** Shows schemas; finds what they refer to. */
export type SchemaView = {
  /** The fields of an object or of what a list holds; null when there are none to show. */
  fields: (schema: JsonSchema) => Html | null;
  typeOf: (schema: JsonSchema) => string;
  /** Bounds, default and choices in words. */
  limitsOf: (schema: JsonSchema) => Html | null;
};

const maxDepth = 6;

export function createSchemaView(schemas: Record<string, JsonSchema>, language: Language): SchemaView {
  const say = (name: Parameters<typeof word>[0]) => word(name, language);

  function resolve(schema: JsonSchema): JsonSchema {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return (name === undefined ? undefined : schemas[name]) ?? schema;
  }

  function typeOf(schema: JsonSchema): string {
    if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? '';
    if ('const' in schema) return JSON.stringify(schema.const);
    const choices = optionsOf(schema);
    if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' | ');
    const types = [schema.type ?? []].flat().map((type) => nameOf(String(type), schema));
    if (types.length === 0) return Array.isArray(schema.enum) ? 'enum' : say('anything');
    return types.join(' | ');
  }

  function nameOf(type: string, schema: JsonSchema): string {
    if (type === 'array' && isFields(schema.items)) return `${say('listOf')} ${typeOf(schema.items)}`;
    if (type === 'object' && isFields(schema.additionalProperties))
      return `${say('mapOf')} ${typeOf(schema.additionalProperties)}`;
    return type === 'string' && typeof schema.format === 'string' ? schema.format : type;
  }

  function limitsOf(schema: JsonSchema): Html | null {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
    const notes: Html[] = [];
    if (Array.isArray(schema.enum))
      notes.push(
        html`${say('allowed')} ${schema.enum.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${plain(value)}</code>`)}`,
      );
    if (minimum !== undefined || maximum !== undefined) notes.push(html`${range(minimum, maximum)}`);
    if (minLength !== undefined || maxLength !== undefined)
      notes.push(html`${range(minLength, maxLength)} ${say('characters')}`);
    if (minItems !== undefined || maxItems !== undefined)
      notes.push(html`${range(minItems, maxItems)} ${say('items')}`);
    if (typeof pattern === 'string') notes.push(html`<code>${pattern}</code>`);
    if (schema.default !== undefined) notes.push(html`${say('default')} <code>${plain(schema.default)}</code>`);
    return notes.length === 0
      ? null
      : html`<p class="limits">${notes.map((note, at) => html`${at > 0 ? ' · ' : ''}${note}`)}</p>`;
  }

  function range(least: unknown, most: unknown): string {
    if (least !== undefined && most !== undefined) return `${least} – ${most}`;
    return least !== undefined ? `${say('least')} ${least}` : `${say('most')} ${most}`;
  }

  function fieldsAt(schema: JsonSchema, depth: number): Html | null {
    const options = objectsOf(schema);
    if (options.length === 0 || depth > maxDepth) return null;
    const views = options.map((option) => fieldList(option, depth));
    return views.length === 1
      ? (views[0] ?? null)
      : html`${views.map((view) => html`<div class="option">${view}</div>`)}`;
  }

  /** The objects that a value may be or hold, however they are wrapped. */
  function objectsOf(schema: JsonSchema): JsonSchema[] {
    const plainSchema = resolve(schema);
    if (isFields(plainSchema.properties) && Object.keys(plainSchema.properties).length > 0) return [plainSchema];
    const nested = [...optionsOf(plainSchema), plainSchema.items, plainSchema.additionalProperties];
    return nested.filter(isFields).flatMap(objectsOf);
  }

  function fieldList(schema: JsonSchema, depth: number): Html {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = Object.entries(isFields(schema.properties) ? schema.properties : {});
    return html`<dl class="fields">${properties.map(([name, field]) =>
      isFields(field) ? fieldView(name, field, { depth, isRequired: required.has(name) }) : null,
    )}</dl>`;
  }

  function fieldView(
    name: string,
    field: JsonSchema,
    { depth, isRequired }: { depth: number; isRequired: boolean },
  ): Html {
    const inner = fieldsAt(field, depth + 1);
    const text = field.description ?? resolve(field).description;
    return html`<div class="field"><dt><code class="name">${name}</code> <span class="type">${typeOf(field)}</span>${
      isRequired ? null : html` <span class="note">· ${say('optional')}</span>`
    }</dt><dd>${typeof text === 'string' ? html`<p>${inline(text)}</p>` : null}${limitsOf(field)}${
      inner ? html`<details><summary>${say('fields')}</summary>${inner}</details>` : null
    }</dd></div>`;
  }

  return { fields: (schema) => fieldsAt(schema, 0), typeOf, limitsOf };
}

function optionsOf(schema: JsonSchema): JsonSchema[] {
  return [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
    Array.isArray(list) ? list.filter(isFields) : [],
  );
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
