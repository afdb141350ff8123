import { decimalStep } from './decimal-step.ts';
import type { Grammar } from './gbnf.ts';
import { unsupportedKeywords } from './schema-keywords.ts';
import { isSchema, type Schema } from './schema-merge.ts';
import { stringForm } from './schema-scalars.ts';
import { UnsupportedPattern } from './string-pattern.ts';
import { checkText } from './text-pattern.ts';

/**
 * A flat schema without the keywords that a grammar cannot enforce: for tools, whose schemas help the model and promise the caller
 * nothing. What the other keywords say still holds.
 */
export function relaxed(grammar: Grammar, schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isLeftOut(keyword, value));
  const rest: Schema = { ...Object.fromEntries(kept), ...openedFor(schema) };
  const { minLength: _min, maxLength: _max, ...withoutLength } = rest;
  const { pattern: _pattern, ...withoutPattern } = rest;
  if (typeof rest['pattern'] !== 'string') return rest;
  return [rest, withoutLength].find((each) => isEnforceable(grammar, each)) ?? withoutPattern;
}

/** Where the form of a name decides about its member, any member may be there. */
function openedFor({ patternProperties, additionalProperties: others = true }: Schema): Schema {
  if (!isSchema(patternProperties)) return {};
  if (others === true) return { additionalProperties: true };
  const members = [...Object.values(patternProperties), ...(others === false ? [] : [others])];
  return { additionalProperties: { anyOf: members } };
}

function isLeftOut(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'uniqueItems':
    case 'unevaluatedProperties':
    case 'patternProperties':
    case 'propertyNames':
      return true;
    case 'multipleOf':
      return decimalStep(value)?.units !== 1n;
    default:
      return unsupportedKeywords.has(keyword);
  }
}

function isEnforceable({ spend }: Grammar, schema: Schema): boolean {
  try {
    const form = stringForm(schema);
    if ('pattern' in form) checkText({ spend }, form);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return false;
    throw error;
  }
}
