import { Fault, objectInOrder } from '#kernel';
import type { ToolDefinition } from '../port.ts';
import { type Expression, type Grammar, literal, literalTree, sequence, textWithout } from './gbnf.ts';
import { anyObject, anyValue } from './json-rules.ts';
import { schemaExpression } from './schema-grammar.ts';
import { createLeavesOf, type Help, type Strictness } from './schema-leaves.ts';
import { asList, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';
import { asFault, isAnnotation, type Places, withoutAnnotations } from './schema-places.ts';
import { areJson, areTexts, rootOf, typesOf } from './schema-references.ts';
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
  const value = isHeld(tool) ? argumentsExpression(grammar, tool) : anyObject(grammar);
  return grammar.define('tool', sequence(head, value, literal('}\n</tool_call>')));
}

function argumentsExpression(grammar: Grammar, tool: ToolDefinition): Expression {
  const root = rootOf(tool);
  if (root === null || takesNothing(root)) return literal('{}');
  return asFarAsPossible({ grammar, root }, { ...root, type: 'object' }) ?? anyObject(grammar);
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
function asFarAsPossible(tool: Tool, schema: unknown): Expression | null {
  const { grammar } = tool;
  const tries = [
    { strictness: 'relaxed', share: 3 / 4 },
    { strictness: 'satisfiable', share: 1 / 2 },
  ] as const;
  for (const each of tries) {
    const whole = unlessRefused(() => grammar.attempt(() => expressionOf(tool, schema, each)));
    if (whole !== null) return whole;
  }
  if (!grammar.spend(stepsOfTry)) return null;
  const part = enforceablePart(tool, schema);
  return unlessRefused(() => grammar.attempt(() => expressionOf(tool, part)));
}

/** To begin with a schema takes as long as so many steps of a pattern. */
const stepsOfTry = 100;

type Try = { strictness: Strictness; share: number };

const partTry: Try = { strictness: 'relaxed', share: 1 / 2 };

type Tool = { grammar: Grammar; root: Schema | null };

/** What follows has steps left, too. */
function expressionOf({ grammar, root }: Tool, schema: unknown, { strictness, share }: Try = partTry): Expression {
  return grammar.within(share, () => schemaExpression(grammar, schema, { strictness, root }));
}

/** A schema that is refused as a whole: its members and items are tried by themselves, and where one is refused, anything may be. */
function enforceablePart(tool: Tool, schema: unknown): unknown {
  if (!isSchema(schema)) return true;
  const { properties, items } = schema;
  const part = (inner: unknown): unknown => {
    if (isEnforceable(tool, inner)) return inner;
    const less = enforceablePart(tool, inner);
    return isEnforceable(tool, less) ? less : true;
  };
  const members = isSchema(properties)
    ? { properties: objectInOrder(Object.entries(properties).map(([name, inner]) => [name, part(inner)])) }
    : {};
  return { ...schema, ...members, ...(isSchema(items) ? { items: part(items) } : {}) };
}

function isEnforceable(tool: Tool, schema: unknown): boolean {
  if (!tool.grammar.spend(stepsOfTry)) return false;
  const work = () => tool.grammar.trial(() => expressionOf(tool, schema));
  return unlessRefused(() => [work()]) !== null;
}

function unlessRefused<Result>(work: () => Result): Result | null {
  try {
    return work();
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
  if (root === null || takesNothing(root)) return [];
  const { properties } = root;
  if (!isSchema(properties)) return [`${anyParameter(grammar)}*`];
  const required = new Set(asList(root['required']));
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
  if (areTexts(types)) {
    const listed = listedTexts(grammar, schema, { strictness: 'relaxed', root }).filter(isReadable);
    return listed.length === 0 ? text : literalTree(new Map(listed.map((value) => [value, ''])));
  }
  if (!areJson(types)) return text;
  return asFarAsPossible({ grammar, root }, schema) ?? anyValue(grammar);
}

/** Not cut by what ends the text of a parameter. */
function isReadable(text: string): boolean {
  return !textEnds.some((end) => text.includes(end));
}

/** The texts that a schema lists, whatever stands beside them; none where it allows anything else. */
export function listedTexts(grammar: Grammar, schema: unknown, help: Help): string[] {
  const places: Places = new WeakMap();
  try {
    const leavesOf = () => createLeavesOf(grammar, { ...help, places })(withoutAnnotations(schema, places));
    const leaves = grammar.trial(() => grammar.within(1 / 2, leavesOf));
    const values = leaves.map((leaf): unknown => (leaf.kind === 'literal' ? JSON.parse(leaf.text) : null));
    const texts = values.filter((value) => typeof value === 'string');
    return texts.length === values.length ? texts : [];
  } catch (error) {
    if (error instanceof Unsatisfiable || asFault(error) instanceof Fault) return [];
    throw error;
  }
}
