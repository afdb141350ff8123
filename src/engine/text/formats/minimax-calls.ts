import { objectInOrder } from '#kernel';
import type { ToolDefinition } from '../../port.ts';
import { anyOf, type Expression, type Grammar, literal, sequence, textWithout } from '../gbnf.ts';
import { anyValue } from '../json-rules.ts';
import { rootOf, typesOf } from '../schema-references.ts';
import { toolParameters } from '../tool-grammar.ts';
import type { AllowedCalls, CallFormatModule, CallReading, ParsedCall } from './call-format.ts';
import type { CallInput } from './call-input.ts';
import { asObject, callOf, typedValue } from './json-values.ts';
import { type SchemaShape, scalarExpression, shapeOf } from './schema-shape.ts';

/** A control token in front of every tag, so that tags in texts are no tags. */
const mark = ']<]minimax[>[';
const open = `${mark}<tool_call>`;
const close = `${mark}</tool_call>`;

/** MiniMax M3: values as XML, objects by tags of their keys, lists as `<item>`. */
export const minimaxCalls: CallFormatModule<Record<string, never>> = {
  name: 'minimax',
  detect: ({ source, tools }) => (tools !== null && source.includes(mark) ? {} : null),
  bind: () => ({
    openings: [open],
    startsAnswer: false,
    closings: [],
    markers: [open, close],
    parallel: true,
    read: readCalls,
    expression,
    write: (calls) =>
      `${open}\n${calls.map(({ name, arguments: given }) => `${mark}<invoke name="${name}">${written(given)}${mark}</invoke>\n`).join('')}${close}`,
  }),
};

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => `${mark}<item>${written(item)}${mark}</item>`).join('');
  const fields = asObject(value);
  if (fields === null) return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const members = Object.entries(fields).filter(([, item]) => item !== null);
  return members.map(([key, item]) => `${mark}<${key}>${written(item)}${mark}</${key}>`).join('');
}

function* readCalls(input: CallInput, { tools }: { opening: string; tools: readonly ToolDefinition[] }): CallReading {
  let calls = 0;
  while (yield* input.literal(`${mark}<invoke name="`)) {
    const name = yield* input.until(['">'], 256);
    const tool = tools.find((each) => each.name === name?.text);
    if (tool === undefined) return;
    const call = yield* readCall(input, tool);
    if (call === null) return;
    input.commit();
    calls += 1;
    yield call;
  }
  if (calls > 0 && (yield* input.literal(close))) input.commit();
}

function* readCall(input: CallInput, tool: ToolDefinition): Generator<null, ParsedCall | null> {
  const root = rootOf(tool);
  const properties = asObject(root?.['properties']) ?? {};
  const values: [string, unknown][] = [];
  while (!(yield* input.literal(`${mark}</invoke>`))) {
    const key = yield* readTag(input);
    if (key === null) return null;
    const value = yield* readContent(input, key, 0);
    if (value === undefined) return null;
    const types = typesOf(properties[key], root);
    values.push([key, typeof value === 'string' ? typedValue(value, types) : value]);
  }
  return callOf(tool.name, objectInOrder(values));
}

function* readTag(input: CallInput): Generator<null, string | null> {
  if (!(yield* input.literal(`${mark}<`))) return null;
  const tag = yield* input.until(['>'], 512);
  return tag === null || tag.text.startsWith('/') ? null : tag.text;
}

/** Text, or what stands between tags; undefined where it is broken. */
function* readContent(input: CallInput, key: string, depth: number): Generator<null, unknown> {
  const text = yield* input.until([mark]);
  if (text === null || depth > 64) return undefined;
  if (yield* input.literal(`</${key}>`)) return text.text;
  const members: [string, unknown][] = [];
  if (text.text.trim() !== '') return undefined;
  for (;;) {
    if (!(yield* input.literal('<'))) return undefined;
    const tag = yield* input.until(['>'], 512);
    const value = tag === null ? undefined : yield* readContent(input, tag.text, depth + 1);
    if (tag === null || value === undefined) return undefined;
    members.push([tag.text, typeof value === 'string' ? guessed(value) : value]);
    if (!(yield* input.literal(mark))) return undefined;
    if (yield* input.literal(`</${key}>`)) {
      const isList = members.every(([name]) => name === 'item');
      return isList ? members.map(([, item]) => item) : objectInOrder(members);
    }
  }
}

/** Inside of a value nothing tells texts from numbers; what reads as a number or a truth value is one. */
function guessed(text: string): unknown {
  if (text === '') return null;
  return typedValue(text, ['integer', 'number', 'boolean']);
}

function expression(grammar: Grammar, { tools, isHeld, most, opening }: AllowedCalls): Expression {
  const each = tools.map((tool) => {
    const parameters = isHeld(tool) ? toolParameters(grammar, tool) : null;
    const members =
      parameters === null
        ? [`${anyMember(grammar)}*`]
        : parameters.map(({ name, isRequired, schema, value }) => {
            const shape = shapeOf(schema);
            const text = element(grammar, name, shape === null ? value() : content(grammar, shape));
            return isRequired ? text : `${text}?`;
          });
    const head = literal(`\n${mark}<invoke name="${tool.name}">`);
    return grammar.define('tool', sequence(head, ...members, literal(`${mark}</invoke>`)));
  });
  const call = grammar.define('call', anyOf(each));
  return sequence(opening === null ? literal(open) : '', `${call}{1,${most}}`, literal(`\n${close}`));
}

function element(grammar: Grammar, name: string, value: Expression): Expression {
  return grammar.define('element', sequence(literal(`${mark}<${name}>`), value, literal(`${mark}</${name}>`)));
}

function anyMember(grammar: Grammar): Expression {
  const name = '[a-zA-Z_] [a-zA-Z0-9_.-]*';
  const ends = sequence(literal(`${mark}</`), name, '">"');
  return grammar.define('element', sequence(literal(`${mark}<`), name, '">"', anyValue(grammar), ends));
}

function content(grammar: Grammar, shape: SchemaShape): Expression {
  switch (shape.type) {
    case 'string':
      return shape.values === null ? textWithout(grammar, [mark]) : anyOf(shape.values.map(literal));
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return scalarExpression(grammar, shape.type);
    case 'array':
      return `${element(grammar, 'item', content(grammar, shape.items))}*`;
    case 'object':
      return sequence(
        ...shape.members.map(({ name, isRequired, shape: inner }) => {
          const text = element(grammar, name, content(grammar, inner));
          return isRequired ? text : `${text}?`;
        }),
      );
  }
}
