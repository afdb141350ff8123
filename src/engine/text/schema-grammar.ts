import { anyOf, type Expression, type Grammar, literal } from './gbnf.ts';
import { anyArray, anyObject, anyValue } from './json-rules.ts';
import { arrayExpression, type Compile, objectExpression } from './schema-containers.ts';
import { checkKeywords } from './schema-keywords.ts';
import {
  asList,
  canonical,
  createFlatten,
  merge,
  refuse,
  type Schema,
  schemaList,
  Unsatisfiable,
} from './schema-merge.ts';
import { inPlainWords } from './schema-names.ts';
import { checkDistinct } from './schema-one-of.ts';
import { relaxed } from './schema-relaxed.ts';
import { numberExpression, stringExpression } from './schema-scalars.ts';

const maxSchemaChars = 65_536;
const maxGrammarChars = 524_288;
const maxDepth = 48;

/*
 * Our own translation, because node-llama-cpp's is not to be had without an engine, makes every property required and
 * passes over what it does not know: docs/adr/0005-json-schema-grammar.md.
 */

const allTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'];
/** Where no type is given, these keywords tell which one is meant. */
const keywordTypes: readonly (readonly [string, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/**
 * The JSON texts that satisfy the schema, as rules in `grammar`. The grammar may know fewer texts than the schema allows
 * (members in the order of `properties`, further members only where `additionalProperties` asks for them, bounded
 * blanks and digits), never more. Throws `invalid_request` (`response_format`) naming what cannot be enforced; with `isHelp`, that is
 * passed over where the rest can be enforced without it.
 */
export function schemaExpression(grammar: Grammar, root: unknown, isHelp = false): Expression {
  if (canonical(root).length > maxSchemaChars) throw refuse(`The schema is longer than ${maxSchemaChars} characters.`);
  try {
    return createCompiler(grammar, { root, isHelp })(root);
  } catch (error) {
    if (error instanceof Unsatisfiable) throw refuse('No value can satisfy the schema.');
    throw error;
  }
}

function createCompiler(grammar: Grammar, { root, isHelp }: { root: unknown; isHelp: boolean }): Compile {
  const flatten = createFlatten(root);
  /** By the text of the schema: its rule, or null where nothing satisfies it. */
  const known = new Map<string, Expression | null>();
  /** Schemas that are being compiled and have not demanded a character yet: meeting one again is a circle. */
  let open = new Set<string>();
  /** Rules that were referred to before they had a body. */
  const circular = new Set<Expression>();
  let depth = 0;

  const compile: Compile = (schema) => {
    const key = canonical(schema);
    if (open.has(key)) throw refuse('The schema refers to itself without end.');
    const earlier = known.get(key);
    if (earlier === null) throw new Unsatisfiable();
    if (earlier !== undefined) {
      if (!grammar.has(earlier)) circular.add(earlier);
      return earlier;
    }
    if (depth > maxDepth) throw refuse(`The schema is nested more than ${maxDepth} levels deep.`);
    if (grammar.size() > maxGrammarChars) throw refuse('The schema is too large to be enforced.');
    const name = grammar.reserve('schema');
    known.set(key, name);
    open.add(key);
    depth += 1;
    try {
      grammar.fill(name, anyOf(alternatives(flatten(schema))));
      return name;
    } catch (error) {
      // Whoever already refers to the rule would be left with a name without a body.
      if (error instanceof Unsatisfiable && circular.has(name)) throw refuse('No value can satisfy the schema.');
      if (error instanceof Unsatisfiable) known.set(key, null);
      throw error;
    } finally {
      depth -= 1;
      open.delete(key);
    }
  };
  /** For what stands inside brackets, where a schema may meet itself again. */
  const compileInside: Compile = (schema) => {
    const outer = open;
    open = new Set();
    try {
      return compile(schema);
    } finally {
      open = outer;
    }
  };

  const alternatives = (flat: Schema): Expression[] => {
    const plain = inPlainWords(flat, flatten);
    const schema = isHelp ? relaxed(grammar, plain) : plain;
    checkKeywords(schema);
    for (const keyword of ['anyOf', 'oneOf']) {
      if (schema[keyword] === undefined) continue;
      const { [keyword]: list, ...base } = schema;
      const branches = schemaList(keyword, list);
      if (keyword === 'oneOf' && !isHelp) checkDistinct(branches.map((branch) => mergedOrNull(base, branch)));
      return satisfiable(branches, (branch) => compile({ allOf: [base, branch] }));
    }
    if (schema['enum'] !== undefined || 'const' in schema) return enumerated(schema);
    if (Object.keys(schema).every((keyword) => !isAssertion(keyword))) return [anyValue(grammar)];
    return satisfiable(typesOf(schema), (type) => typed(type, schema));
  };
  const mergedOrNull = (base: Schema, branch: unknown): Schema | null => {
    try {
      return merge(base, flatten(branch));
    } catch (error) {
      if (error instanceof Unsatisfiable) return null;
      throw error;
    }
  };
  const typed = (type: unknown, schema: Schema): Expression => {
    switch (type) {
      case 'object':
        return isBare(schema, 'object') ? anyObject(grammar) : objectExpression(grammar, schema, compileInside);
      case 'array':
        return isBare(schema, 'array') ? anyArray(grammar) : arrayExpression(grammar, schema, compileInside);
      case 'string':
        return stringExpression(grammar, schema);
      case 'number':
      case 'integer':
        return numberExpression(grammar, schema, type);
      case 'boolean':
        return '("true" | "false")';
      case 'null':
        return '"null"';
      default:
        throw refuse(`"type": ${canonical(type)} is not a type of JSON Schema.`);
    }
  };
  return compile;
}

/** The results for those items that something can satisfy; `Unsatisfiable` where there is none. */
function satisfiable<Item>(items: readonly Item[], compile: (item: Item) => Expression): Expression[] {
  const results: Expression[] = [];
  for (const item of items) {
    try {
      results.push(compile(item));
    } catch (error) {
      if (!(error instanceof Unsatisfiable)) throw error;
    }
  }
  if (results.length === 0) throw new Unsatisfiable();
  return results;
}

function typesOf(schema: Schema): unknown[] {
  if (schema['type'] !== undefined) return asList(schema['type']);
  const implied = keywordTypes.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return implied.length === 0 ? allTypes : implied.map(([type]) => type);
}

function isAssertion(keyword: string): boolean {
  return keyword === 'type' || keywordTypes.some(([, keywords]) => keywords.includes(keyword));
}

/** Whether nothing is said about objects (arrays) but that they are ones. */
function isBare(schema: Schema, type: string): boolean {
  const keywords = keywordTypes.find(([name]) => name === type)?.[1] ?? [];
  return keywords.every((keyword) => !(keyword in schema));
}

const jsonTypeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** The listed values of the right type, written without blanks. */
function enumerated(schema: Schema): Expression[] {
  const listed = schema['enum'] === undefined ? [schema['const']] : schema['enum'];
  if (!Array.isArray(listed)) throw refuse('"enum" must be a list.');
  const types = schema['type'] === undefined ? null : asList(schema['type']);
  const beside = Object.keys(schema).filter(
    (keyword) => keyword !== 'type' && keyword !== 'format' && isAssertion(keyword),
  );
  if (beside.length > 0) throw refuse(`"${beside[0]}" beside "enum" or "const" is not supported.`);
  const texts = listed
    .filter((value) => !('const' in schema) || canonical(value) === canonical(schema['const']))
    .filter((value) => {
      const isInteger = typeof value === 'number' && Number.isInteger(value);
      return types === null || types.includes(jsonTypeOf(value)) || (isInteger && types.includes('integer'));
    })
    .map((value) => literal(JSON.stringify(value)));
  if (texts.length === 0) throw new Unsatisfiable();
  return texts;
}
