import { isFields } from '#kernel';
import type { JsonSchema, Language } from '../model.ts';
import { type Html, html } from './html.ts';
import { word } from './words.ts';

/** The type of a value: of what has a name, the name. */
export function typeOf(schema: JsonSchema, language: Language): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? '';
  if ('const' in schema) return JSON.stringify(schema.const);
  const choices = optionsOf(schema);
  if (choices.length > 0) return [...new Set(choices.map((choice) => typeOf(choice, language)))].join(' | ');
  const types = [schema.type ?? []].flat().map((type) => nameOf(String(type), schema, language));
  if (types.length === 0) return Array.isArray(schema.enum) ? 'enum' : word('anything', language);
  return types.join(' | ');
}

function nameOf(type: string, { items, additionalProperties, format }: JsonSchema, language: Language): string {
  if (type === 'array' && isFields(items)) return `${word('listOf', language)} ${typeOf(items, language)}`;
  if (type === 'object' && isFields(additionalProperties))
    return `${word('mapOf', language)} ${typeOf(additionalProperties, language)}`;
  return type === 'string' && typeof format === 'string' ? format : type;
}

/** Bounds, default and choices in words; null: there are none. */
export function limitsOf(schema: JsonSchema, language: Language): Html | null {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const notes: Html[] = [];
  if (Array.isArray(schema.enum))
    notes.push(
      html`${word('allowed', language)} ${schema.enum.map((value, at) => html`${at > 0 ? ', ' : ''}<code>${plain(value)}</code>`)}`,
    );
  if (minimum !== undefined || maximum !== undefined) notes.push(html`${range(minimum, maximum, language)}`);
  if (minLength !== undefined || maxLength !== undefined)
    notes.push(html`${range(minLength, maxLength, language)} ${word('characters', language)}`);
  if (minItems !== undefined || maxItems !== undefined)
    notes.push(html`${range(minItems, maxItems, language)} ${word('items', language)}`);
  if (typeof pattern === 'string') notes.push(html`<code>${pattern}</code>`);
  if (schema.default !== undefined)
    notes.push(html`${word('default', language)} <code>${plain(schema.default)}</code>`);
  return notes.length === 0
    ? null
    : html`<p class="limits">${notes.map((note, at) => html`${at > 0 ? ' · ' : ''}${note}`)}</p>`;
}

function range(least: unknown, most: unknown, language: Language): string {
  if (least !== undefined && most !== undefined) return `${least} – ${most}`;
  return least !== undefined ? `${word('least', language)} ${least}` : `${word('most', language)} ${most}`;
}

/** The schemas of which a value has one, or all. */
export function optionsOf(schema: JsonSchema): JsonSchema[] {
  return [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
    Array.isArray(list) ? list.filter(isFields) : [],
  );
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
