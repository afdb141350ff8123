import { Fault, objectInOrder } from '#kernel';
import type { ToolDefinition } from '../port.ts';
import type { TaggedArguments } from './formats/derive-layout.ts';
import { anyOf, type Expression, escaped, type Grammar, literal, literalTree, sequence, textWithout } from './gbnf.ts';
import { anyObject, anyValue } from './json-rules.ts';
import { schemaExpression } from './schema-grammar.ts';
import { createLeavesOf, type Help, type Strictness } from './schema-leaves.ts';
import { asList, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';
import { asFault, isAnnotation, type Places, withoutAnnotations } from './schema-places.ts';
import { areJson, areTexts, rootOf, typesOf } from './schema-references.ts';

/** The arguments of a tool, by its schema as far as that can be enforced. */
export function argumentsExpression(grammar: Grammar, tool: ToolDefinition): Expression {
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

/** A parameter of a tool and its value as JSON. */
export type ToolParameter = {
  name: string;
  isRequired: boolean;
  schema: unknown;
  root: Schema;
  value: () => Expression;
};

/** In the order of the schema; null where it names none, so that any may be. */
export function toolParameters(grammar: Grammar, tool: ToolDefinition): ToolParameter[] | null {
  const root = rootOf(tool);
  if (root === null || takesNothing(root)) return [];
  const { properties } = root;
  if (!isSchema(properties)) return null;
  const required = new Set(asList(root['required']));
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    isRequired: required.has(name),
    schema,
    root,
    value: () => asFarAsPossible({ grammar, root }, schema) ?? anyValue(grammar),
  }));
}

export type TaggedCall = {
  tags: TaggedArguments;
  /** Held to the tool's schema; else any parameters may be. */
  isHeld: boolean;
  /** What ends the text of a parameter, and so cannot stand in it. */
  ends: readonly [string, ...string[]];
};

/** Parameters between tags, each with the separator behind it: the text of a string as it is, other types as JSON. */
export function taggedParameters(grammar: Grammar, tool: ToolDefinition, call: TaggedCall): Expression[] {
  const any = `${anyParameter(grammar, call)}*`;
  if (!call.isHeld) return [any];
  const parameters = toolParameters(grammar, tool);
  if (parameters === null) return [any];
  return parameters.map(({ name, isRequired, schema, root }) => {
    const value = parameterValue(grammar, call, { schema, root });
    const parameter = grammar.define('parameter', `${literal(call.tags.open + name)} ${value} ${behindValue(call)}`);
    return isRequired ? parameter : `${parameter}?`;
  });
}

function behindValue({ tags }: TaggedCall): Expression {
  return literal(tags.close + tags.separator);
}

function anyParameter(grammar: Grammar, call: TaggedCall): Expression {
  const { open, text, other } = call.tags;
  const name = `[^\\x0a${escaped(text.charAt(0))}]+`;
  const asText = sequence(literal(text), parameterText(grammar, call));
  const value = text === other ? asText : anyOf([asText, sequence(literal(other), anyValue(grammar))]);
  return grammar.define('parameter', sequence(literal(open), name, value, behindValue(call)));
}

function parameterText(grammar: Grammar, { ends }: TaggedCall): Expression {
  return textWithout(grammar, ends);
}

function parameterValue(
  grammar: Grammar,
  call: TaggedCall,
  { schema, root }: { schema: unknown; root: Schema | null },
): Expression {
  const { text, other } = call.tags;
  const anyText = sequence(literal(text), parameterText(grammar, call));
  const types = typesOf(schema, root);
  if (areTexts(types)) {
    const listed = listedTexts(grammar, schema, { strictness: 'relaxed', root });
    const readable = listed.filter((value) => !call.ends.some((end) => value.includes(end)));
    if (readable.length === 0) return anyText;
    return sequence(literal(text), literalTree(new Map(readable.map((value) => [value, '']))));
  }
  const asJson = () => sequence(literal(other), asFarAsPossible({ grammar, root }, schema) ?? anyValue(grammar));
  if (areJson(types)) return asJson();
  return text === other ? anyText : anyOf([anyText, sequence(literal(other), anyValue(grammar))]);
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
