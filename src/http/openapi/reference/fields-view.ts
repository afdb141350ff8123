import { isFields } from '#kernel';
import type { JsonSchema, Language } from '../model.ts';
import { type Html, html } from './html.ts';
import { inline } from './markdown.ts';
import { limitsOf, optionsOf, typeOf } from './schema-words.ts';
import { type Word, word } from './words.ts';

/** The fields of an object or of what a list holds; null when there are none to show. */
export type FieldsView = (schema: JsonSchema) => Html | null;

const maxDepth = 6;

/** @param schemas what others refer to, by name. */
export function createFieldsView(schemas: Record<string, JsonSchema>, language: Language): FieldsView {
  const say = (name: Word) => word(name, language);

  function resolve(schema: JsonSchema): JsonSchema {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return (name === undefined ? undefined : schemas[name]) ?? schema;
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
    const found = resolve(schema);
    if (isFields(found.properties) && Object.keys(found.properties).length > 0) return [found];
    const nested = [...optionsOf(found), found.items, found.additionalProperties];
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
    return html`<div class="field"><dt><code class="name">${name}</code> <span class="type">${typeOf(field, language)}</span>${
      isRequired ? null : html` <span class="note">· ${say('optional')}</span>`
    }</dt><dd>${typeof text === 'string' ? html`<p>${inline(text)}</p>` : null}${limitsOf(field, language)}${
      inner ? html`<details><summary>${say('fields')}</summary>${inner}</details>` : null
    }</dd></div>`;
  }

  return (schema) => fieldsAt(schema, 0);
}
