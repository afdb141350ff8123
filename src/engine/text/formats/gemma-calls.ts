import type { ToolDefinition } from '../../port.ts';
import { anyOf, type Expression, type Grammar, literal, sequence, textWithout } from '../gbnf.ts';
import { anyObject, anyValue } from '../json-rules.ts';
import { argumentsExpression, toolParameters } from '../tool-grammar.ts';
import type { AllowedCalls, CallFormatModule, CallReading } from './call-format.ts';
import type { CallInput } from './call-input.ts';
import { asObject, callOf, isKnown } from './json-values.ts';
import { pythonToJson } from './python-literal.ts';
import { memberList, type SchemaShape, scalarExpression, shapeOf } from './schema-shape.ts';

const open = '<|tool_call>';
const close = '<tool_call|>';
const quote = '<|"|>';

/** Gemma 4: `<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|>`. */
export const gemmaCalls: CallFormatModule<Record<string, never>> = {
  name: 'gemma',
  detect: ({ source, tools }) => (tools !== null && source.includes(open) && source.includes(quote) ? {} : null),
  bind: () => ({
    openings: [open],
    startsAnswer: false,
    closings: [],
    markers: [open, close, quote],
    parallel: true,
    read: readCall,
    expression,
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `${open}call:${name}${written(given)}${close}`).join(''),
  }),
};

function written(value: unknown): string {
  if (typeof value === 'string') return quote + value + quote;
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  const fields = asObject(value);
  if (fields === null) return JSON.stringify(value);
  const sorted = Object.entries(fields).toSorted(([one], [other]) =>
    one.toLowerCase() < other.toLowerCase() ? -1 : 1,
  );
  return `{${sorted.map(([key, item]) => `${key}:${written(item)}`).join(',')}}`;
}

function* readCall(input: CallInput, { tools }: { opening: string; tools: readonly ToolDefinition[] }): CallReading {
  if (!(yield* input.literal('call:'))) return;
  const name = yield* readWord(input, '{');
  if (!isKnown(tools, name)) return;
  const given = yield* readValue(input, 0);
  const call = given === null ? null : callOf(name, given);
  if (call === null) return;
  if (!(yield* input.literal(close)) && (yield* input.space()) !== null) return;
  input.commit();
  yield call;
}

/** Up to one of these characters, which is left. */
function* readWord(input: CallInput, ends: string): Generator<null, string> {
  let word = '';
  for (let unit = yield* input.peek(); unit !== null && !ends.includes(unit); unit = yield* input.peek()) {
    word += unit;
    yield* input.next();
  }
  return word.trim();
}

/** As JSON text; null where it is broken. Values of JSON are read, too. */
function* readValue(input: CallInput, depth: number): Generator<null, string | null> {
  const first = yield* input.space();
  if (first === null || depth > 64) return null;
  if (first === '{' || first === '[') return yield* readMembers(input, first, depth);
  const text = yield* readText(input);
  if (text !== null) return JSON.stringify(text);
  const word = yield* readWord(input, ',}]');
  if (word === '') return 'null';
  // The template writes values that it has no form for as Python does.
  return pythonToJson(word) ?? JSON.stringify(word);
}

/** A text in its quotes, or in those of JSON; null where none begins here. */
function* readText(input: CallInput): Generator<null, string | null> {
  if (yield* input.literal(quote)) return (yield* input.until([quote]))?.text ?? null;
  if ((yield* input.space()) !== '"') return null;
  yield* input.next();
  let text = '';
  for (let unit = yield* input.next(); unit !== '"'; unit = yield* input.next()) {
    if (unit === null) return null;
    text += unit === '\\' ? unit + ((yield* input.next()) ?? '') : unit;
  }
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return null;
  }
}

function* readMembers(input: CallInput, first: string, depth: number): Generator<null, string | null> {
  yield* input.next();
  const end = first === '{' ? '}' : ']';
  const members: string[] = [];
  while ((yield* input.space()) !== end) {
    let key = '';
    if (first === '{') {
      const name = (yield* readText(input)) ?? (yield* readWord(input, ':'));
      if (!(yield* input.literal(':'))) return null;
      key = `${JSON.stringify(name)}: `;
    }
    const value = yield* readValue(input, depth + 1);
    if (value === null) return null;
    members.push(key + value);
    const next = yield* input.space();
    if (next === ',') {
      yield* input.next();
      // The template writes null as nothing.
      if (first === '[' && (yield* input.space()) === end) members.push('null');
    } else if (next !== end) return null;
  }
  yield* input.next();
  return `${first}${members.join(', ')}${end}`;
}

function expression(grammar: Grammar, { tools, isHeld, most, opening }: AllowedCalls): Expression {
  const each = tools.map((tool) => {
    const given = isHeld(tool) ? heldArguments(grammar, tool) : anyObject(grammar);
    return grammar.define('tool', sequence(literal(`call:${tool.name}`), given, literal(close)));
  });
  const call = grammar.define('call', anyOf(each));
  if (opening !== null) return call;
  const whole = grammar.define('call', sequence(literal(open), call));
  return most === 1 ? whole : `${whole}{1,${most}}`;
}

/** In Gemma's own form as far as the schema says nothing but types; else as JSON, which the reader takes, too. */
function heldArguments(grammar: Grammar, tool: ToolDefinition): Expression {
  const parameters = toolParameters(grammar, tool);
  const shapes = parameters?.map(({ schema }) => shapeOf(schema));
  if (parameters === null || shapes?.includes(null) !== false) return argumentsExpression(grammar, tool);
  const members = parameters.map(({ name, isRequired, schema }) => ({ name, isRequired, shape: shapeOf(schema) }));
  return objectOf(grammar, members);
}

type Member = { name: string; isRequired: boolean; shape: SchemaShape | null };

function objectOf(grammar: Grammar, members: readonly Member[]): Expression {
  const sorted = members.toSorted((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1));
  const texts = sorted.map(({ name, isRequired, shape }) => {
    const value = shape === null ? anyValue(grammar) : shapeValue(grammar, shape);
    return { text: sequence(literal(`${name}:`), value), isRequired };
  });
  return grammar.define('object', sequence('"{"', memberList(grammar, texts, '","'), '"}"'));
}

function shapeValue(grammar: Grammar, shape: SchemaShape): Expression {
  switch (shape.type) {
    case 'string': {
      const text = shape.values === null ? textWithout(grammar, [quote]) : anyOf(shape.values.map(literal));
      return grammar.define('text', sequence(literal(quote), text, literal(quote)));
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return scalarExpression(grammar, shape.type);
    case 'array': {
      const item = shapeValue(grammar, shape.items);
      return grammar.define('list', `"[" (${item} ("," ${item})*)? "]"`);
    }
    case 'object':
      return objectOf(grammar, shape.members);
  }
}
