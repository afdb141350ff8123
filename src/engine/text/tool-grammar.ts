import { Fault } from '#kernel';
import type { ToolDefinition } from '../port.ts';
import { anyOf, type Expression, type Grammar, literal, sequence, textWithout } from './gbnf.ts';
import { anyObject, anyValue } from './json-rules.ts';
import { areJson, definitionOf, rootOf, typesOf } from './parameter-types.ts';
import { isAnnotation } from './schema-annotations.ts';
import { schemaExpression } from './schema-grammar.ts';
import type { Strictness } from './schema-leaves.ts';
import { asList, isSchema, type Schema } from './schema-merge.ts';
import { callOpen } from './tool-call.ts';

export type CallOptions = {
  /** `callOpen`, or '' where that has come already. */
  opening: string;
  /** The arguments of a tool are held to its schema; else they are any object. */
  isHeld: (tool: ToolDefinition) => boolean;
};

export const wholeCall: CallOptions = { opening: callOpen, isHeld: () => true };

/** A call as Hermes and Qwen3 models write it. */
export function jsonCall(grammar: Grammar, tool: ToolDefinition, { opening, isHeld } = wholeCall): Expression {
  const head = literal(`${opening}\n{"name": ${JSON.stringify(tool.name)}, "arguments": `);
  const value = isHeld(tool) ? argumentsExpression(grammar, tool.parameters) : anyObject(grammar);
  return grammar.define('tool', sequence(head, value, literal('}\n</tool_call>')));
}

function argumentsExpression(grammar: Grammar, parameters: Schema | null): Expression {
  if (parameters === null || takesNothing(parameters)) return literal('{}');
  return asFarAsPossible(grammar, { ...parameters, type: 'object' }) ?? anyObject(grammar);
}

/** So libraries write that a tool has no arguments. */
function takesNothing({ properties, additionalProperties: others = false, ...rest }: Schema): boolean {
  const isEmpty = isSchema(properties) && Object.keys(properties).length === 0;
  return (
    isEmpty && others === false && Object.keys(rest).every((keyword) => keyword === 'type' || isAnnotation(keyword))
  );
}

/**
 * Tool schemas are help for the model, not a promise to the caller: what cannot be enforced is passed over. null where nothing is left
 * to hold on to.
 */
function asFarAsPossible(grammar: Grammar, schema: unknown): Expression | null {
  for (const strictness of ['exact', 'relaxed', 'satisfiable'] as const) {
    const expression = enforced(grammar, schema, strictness);
    if (expression !== null) return expression;
  }
  return null;
}

/** null where the schema is refused. */
function enforced(grammar: Grammar, schema: unknown, strictness: Strictness): Expression | null {
  try {
    return grammar.attempt(() => schemaExpression(grammar, schema, strictness));
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** A call as Qwen3-Coder models write it: a parameter's text stands between its tags; other types are JSON. */
export function xmlCall(grammar: Grammar, tool: ToolDefinition, { opening, isHeld } = wholeCall): Expression {
  const head = literal(`${opening}\n<function=${tool.name}>\n`);
  const parameters = isHeld(tool) ? namedParameters(grammar, tool) : [`${anyParameter(grammar)}*`];
  return grammar.define('tool', sequence(head, ...parameters, literal('</function>\n</tool_call>')));
}

function namedParameters(grammar: Grammar, tool: ToolDefinition): Expression[] {
  const root = rootOf(tool);
  const properties = isSchema(root?.['properties']) ? root['properties'] : {};
  const required = new Set(asList(root?.['required']));
  return Object.entries(properties).map(([name, schema]) => {
    const value = parameterValue(grammar, { schema, root });
    const tags = [literal(`<parameter=${name}>\n`), literal('\n</parameter>\n')];
    const parameter = grammar.define('parameter', tags.join(` ${value} `));
    return required.has(name) ? parameter : `${parameter}?`;
  });
}

function anyParameter(grammar: Grammar): Expression {
  const name = '[^\\x3e\\x0a]+';
  const tags = [literal('<parameter='), name, literal('>\n'), parameterText(grammar), literal('\n</parameter>\n')];
  return grammar.define('parameter', sequence(...tags));
}

/** The end of a call ends its parameters, too. */
const textEnds = ['</parameter>', '</tool_call>'] as const;

function parameterText(grammar: Grammar): Expression {
  return textWithout(grammar, textEnds);
}

function parameterValue(grammar: Grammar, { schema, root }: { schema: unknown; root: Schema | null }): Expression {
  const text = parameterText(grammar);
  const types = typesOf(schema, root);
  if (isSchema(schema) && types.length === 1 && types[0] === 'string') {
    const target = definitionOf(schema['$ref'], root);
    const listed = asList(schema['enum'] ?? (isSchema(target) ? target['enum'] : undefined)).filter(isReadable);
    return listed.length === 0 ? text : anyOf(listed.map((value) => literal(value)));
  }
  if (!areJson(types)) return text;
  const definitions = { $defs: root?.['$defs'], definitions: root?.['definitions'] };
  const whole = isSchema(schema) ? { ...definitions, ...schema } : schema;
  return asFarAsPossible(grammar, whole) ?? anyValue(grammar);
}

/** Not cut by what ends the text of a parameter. */
function isReadable(text: unknown): text is string {
  return typeof text === 'string' && !textEnds.some((end) => text.includes(end));
}
