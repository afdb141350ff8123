import { createGrammar, type Grammar } from './gbnf.ts';
import { unsupportedKeywords } from './schema-keywords.ts';
import { isSchema, type Schema } from './schema-merge.ts';
import { isDecimalStep } from './schema-scalars.ts';
import { patternCharacters, UnsupportedPattern } from './string-pattern.ts';

/**
 * A flat schema without the keywords that a grammar cannot enforce: for tools, whose schemas help the model and promise the caller
 * nothing. What the other keywords say still holds.
 */
export function relaxed(grammar: Grammar, schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([keyword, value]) => !isLeftOut(grammar, keyword, value));
  const rest: Schema = { ...Object.fromEntries(kept), ...openedFor(schema) };
  if (rest['pattern'] !== undefined) {
    delete rest['minLength'];
    delete rest['maxLength'];
  }
  return rest;
}

/** Where the form of a name decides about its member, any member may be there. */
function openedFor({ patternProperties, additionalProperties: others = true }: Schema): Schema {
  if (!isSchema(patternProperties)) return {};
  if (others === true) return { additionalProperties: true };
  const members = [...Object.values(patternProperties), ...(others === false ? [] : [others])];
  return { additionalProperties: { anyOf: members } };
}

function isLeftOut(grammar: Grammar, keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'uniqueItems':
    case 'unevaluatedProperties':
      return true;
    case 'multipleOf':
      return !isDecimalStep(value);
    case 'pattern':
      return typeof value === 'string' && !isEnforceable(grammar, value);
    default:
      return unsupportedKeywords.has(keyword);
  }
}

/** Tried on rules of its own, so that a refused pattern leaves none behind. */
function isEnforceable({ spend }: Grammar, pattern: string): boolean {
  try {
    patternCharacters({ ...createGrammar(), spend }, pattern);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return false;
    throw error;
  }
}
