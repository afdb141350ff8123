import { type Expression, type Grammar, sequence } from './gbnf.ts';
import { checkKeywords } from './schema-keywords.ts';
import { asList, isSchema, type Schema } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { stringForm, supported } from './schema-scalars.ts';
import { matchingTexts, type TextPattern, textCharacters } from './text-pattern.ts';

/** What the names of members say about them. */
export type KeyForm = {
  /** The names of all members must be such a text. */
  all: TextPattern | null;
  /** Members whose name is such a text. */
  some: { text: TextPattern; schema: unknown } | null;
};

/** `propertyNames` and `patternProperties`. */
export function keyForm(schema: Schema): KeyForm {
  const { propertyNames, patternProperties } = schema;
  const all = propertyNames === undefined ? null : textOfNames(propertyNames);
  if (patternProperties === undefined) return { all, some: null };
  const patterns = isSchema(patternProperties) ? Object.entries(patternProperties) : [];
  const [[pattern, of] = ['', true]] = patterns;
  const isKnown = patterns.length === 1 && (isSchema(of) || typeof of === 'boolean') && all === null;
  if (!isKnown || !isFree(schema['additionalProperties'])) {
    throw refuse(
      '"patternProperties" is supported with one pattern, without "propertyNames" and without a schema for "additionalProperties".',
    );
  }
  return { all, some: { text: { pattern, length: [0, null] }, schema: of } };
}

function isFree(additional: unknown): boolean {
  return additional === undefined || typeof additional === 'boolean';
}

function textOfNames(names: unknown): TextPattern {
  const known = ['type', 'pattern', 'minLength', 'maxLength', 'format'];
  const isOfText = isSchema(names) && (names['type'] === undefined || asList(names['type']).includes('string'));
  if (!isOfText || Object.keys(names).some((keyword) => !known.includes(keyword)))
    throw refuse('"propertyNames" is supported only as a list of names, a pattern, a format or bounds of the length.');
  checkKeywords(names);
  return { pattern: '', ...stringForm(names) };
}

/** What the named members must be, beside what is said of each by name. */
export function byName(
  grammar: Grammar,
  { all, some }: KeyForm,
  names: readonly string[],
): (name: string) => { schema: unknown } | null {
  const allowed = all === null ? null : supported(() => matchingTexts(grammar, all, names));
  const matched = some === null ? null : supported(() => matchingTexts(grammar, some.text, names));
  return (name) => {
    if (allowed !== null && !allowed.has(name)) return { schema: false };
    return some !== null && matched?.has(name) ? { schema: some.schema } : null;
  };
}

/** The keys of such a form that are none of the names; null: there are none. */
export function keyRule(grammar: Grammar, text: TextPattern, names: readonly string[]): Expression | null {
  const characters = supported(() => textCharacters(grammar, { ...text, others: names }));
  return characters === null ? null : grammar.define('key', sequence('"\\""', characters, '"\\""'));
}
