import type { ToolDefinition } from '../../port.ts';
import type { CallFormatModule, CallReading, ParsedCall } from './call-format.ts';
import type { CallInput } from './call-input.ts';
import { openingsOf, textOf } from './call-openings.ts';
import { type CallLayout, deriveLayout, type LayoutPart } from './derive-layout.ts';
import { deriveReasoning } from './derive-reasoning.ts';
import { derivedExpression } from './derived-grammar.ts';
import { asObject, callOf, isKnown, parseJson, spacedJson } from './json-values.ts';
import { readTagged } from './tagged-arguments.ts';

/** Formats that a chat template shows by how it renders calls: nearly all. */
export const derivedCalls: CallFormatModule<CallLayout> = {
  name: 'derived',
  detect: (probe) => deriveLayout(probe, deriveReasoning(probe)?.close ?? null),
  bind: (layout) => {
    const { section, call } = openingsOf(layout);
    // Where nothing stands in front of a first call, what stands between two begins the next one.
    const next = section === '' && call === '' ? (layout.between ?? '').trim() : '';
    const openings = [section, call, next].filter((text) => text !== '');
    const closing = layout.json?.list === true ? '' : layout.close.trim();
    return {
      openings,
      startsAnswer: section === '' && call === '',
      closings: closing === '' ? [] : [closing],
      markers: markersOf(layout),
      parallel: layout.between !== null,
      read: (input, context) => readCalls(layout, input, context),
      expression: (grammar, allowed) => derivedExpression(grammar, layout, allowed),
      write: (calls) => written(layout, calls),
    };
  },
};

/** As Hermes and the models that follow it write calls: where a template has tools but leaves calls out, or has no tools at all. */
export const hermesLayout: CallLayout = {
  open: '',
  close: '',
  between: '\n',
  head: ['<tool_call>\n{"name": "'],
  middle: ['", "arguments": '],
  tail: ['}\n</tool_call>'],
  arguments: { kind: 'json' },
  json: { list: false, name: 'name', arguments: 'arguments' },
};

function markersOf({ open, close, between, head, middle, tail, arguments: given }: CallLayout): string[] {
  const fixed = [open, close, between ?? '', ...[...head, ...middle, ...tail].map(textOf)];
  return given.kind === 'json' ? fixed : [...fixed, given.open, given.text, given.other, given.close];
}

type Context = { opening: string; tools: readonly ToolDefinition[] };

function* readCalls(layout: CallLayout, input: CallInput, { opening, tools }: Context): CallReading {
  const { section, call } = openingsOf(layout);
  if (opening === section && section !== '' && call !== '' && !(yield* input.literal(call))) return;
  const start = input.mark();
  const begins = yield* input.space();
  if (layout.json !== null || begins === '{' || begins === '[') {
    // Models that write calls in tags also know them as JSON.
    yield* readJsonCalls(layout, input, tools);
    if (layout.json !== null || !input.isEmpty) return;
  } else {
    input.reset(start);
    yield* readNamedCall(layout, input, tools);
  }
}

function* readJsonCalls(layout: CallLayout, input: CallInput, tools: readonly ToolDefinition[]): CallReading {
  const { section, call } = openingsOf(layout);
  // Calls may follow one another in a section without markers of their own.
  const follow = section !== '' && call === '' && layout.between !== null && layout.json?.list !== true;
  do {
    if (!(yield* readJsonCall(layout, input, tools))) return;
  } while (follow && (yield* input.literal(layout.between ?? '')) && (yield* input.space()) === '{');
}

function* readJsonCall(
  layout: CallLayout,
  input: CallInput,
  tools: readonly ToolDefinition[],
): Generator<ParsedCall | null, boolean> {
  const text = yield* input.json();
  const value = text === null ? undefined : parseJson(text);
  const calls = (Array.isArray(value) ? value : [value]).map((each) => readCall(layout.json, each, tools));
  const found = calls.filter((call) => call !== null);
  if (found.length === 0 || found.length < calls.length) return false;
  if (!(yield* readEnd(input, endOfJson(layout)))) return false;
  input.commit();
  yield* found;
  return true;
}

function readCall(keys: CallLayout['json'], value: unknown, tools: readonly ToolDefinition[]): ParsedCall | null {
  const fields = asObject(value);
  if (fields === null) return null;
  const call = keys?.name === null ? Object.entries(fields)[0] : namedFields(keys, fields);
  return call !== undefined && isKnown(tools, call[0]) ? callOf(...call) : null;
}

function namedFields(keys: CallLayout['json'], fields: Record<string, unknown>): [string, unknown] | undefined {
  const inner = asObject(fields['function']) ?? fields;
  const name = inner[keys?.name ?? 'name'] ?? inner['name'];
  const given = inner[keys?.arguments ?? 'arguments'] ?? inner['arguments'] ?? inner['parameters'] ?? {};
  return typeof name === 'string' ? [name, given] : undefined;
}

/** What stands behind the JSON of a call. */
function endOfJson({ json, close, tail }: CallLayout): string[] {
  const last = textOf(tail.at(-1));
  if (json === null) return endsOf(last);
  return endsOf(json.list ? close.slice(close.indexOf(']') + 1) : last.slice(last.indexOf('}') + 1));
}

/** The text, or only its last line. */
function endsOf(text: string): string[] {
  const trimmed = text.trim();
  return [...new Set([trimmed, trimmed.split(/\s+/).at(-1) ?? ''])].filter((end) => end !== '');
}

/** The end of a call, which a model may leave out at the end of its answer. */
function* readEnd(input: CallInput, ends: readonly string[]): Generator<null, boolean> {
  if (ends.length === 0 || (yield* input.oneOf(ends)) !== null) return true;
  return (yield* input.space()) === null;
}

function* readNamedCall(layout: CallLayout, input: CallInput, tools: readonly ToolDefinition[]): CallReading {
  const { call } = openingsOf(layout);
  const [first, ...rest] = layout.head;
  if (!(yield* readParts(input, [textOf(first).trim().slice(call.length), ...rest]))) return;
  const name = yield* readName(input, layout, tools);
  if (!isKnown(tools, name)) return;
  if (!(yield* readParts(input, layout.middle)) && layout.arguments.kind === 'json') return;
  const given = yield* readArguments(input, layout, { name, tools });
  const parsed = given === undefined ? null : callOf(name, given);
  if (parsed === null || !(yield* readEnd(input, endsOf(layout.tail.map(textOf).join(''))))) return;
  input.commit();
  yield parsed;
}

type NamedTool = { name: string; tools: readonly ToolDefinition[] };

function* readArguments(input: CallInput, layout: CallLayout, { name, tools }: NamedTool): Generator<null, unknown> {
  if (layout.arguments.kind === 'tagged')
    return yield* readTagged(input, layout.arguments, tools.find((tool) => tool.name === name) ?? null);
  const next = yield* input.space();
  // Models leave empty arguments out.
  if (next !== '{' && next !== '[') return {};
  const text = yield* input.json();
  return text === null ? undefined : parseJson(text);
}

/** Up to what cannot be part of a name: white space, or the first character of the text behind it; no further than names of tools go. */
function* readName(
  input: CallInput,
  { middle, tail, arguments: given }: CallLayout,
  tools: readonly ToolDefinition[],
): Generator<null, string> {
  yield* input.space();
  const behind = [textOf(middle[0]), given.kind === 'tagged' ? given.open : '{', textOf(tail[0])];
  const ends = new Set(behind.map((text) => text.trim().charAt(0)));
  let name = '';
  for (let unit = yield* input.peek(); unit !== null; unit = yield* input.peek()) {
    if (/\s/.test(unit) || ends.has(unit) || !tools.some((tool) => tool.name.startsWith(name + unit))) break;
    name += unit;
    yield* input.next();
  }
  return name;
}

/** Fixed text, and ids between it. */
function* readParts(input: CallInput, parts: readonly LayoutPart[]): Generator<null, boolean> {
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string') {
      if (!(yield* input.literal(part))) return false;
      continue;
    }
    const end = textOf(parts[at + 1])
      .trim()
      .charAt(0);
    for (let unit = yield* input.peek(); unit !== null && unit !== end && !/\s/.test(unit); unit = yield* input.peek())
      yield* input.next();
  }
  return true;
}

function written(layout: CallLayout, calls: readonly { name: string; arguments: unknown }[]): string {
  const { open, close, between, head, middle, tail, arguments: given } = layout;
  const texts = calls.map(({ name, arguments: values }, index) => {
    const fixed = (parts: readonly LayoutPart[]) =>
      parts
        .map((part) => (typeof part === 'string' ? part : part.id === 'number' ? String(index) : '000000000'))
        .join('');
    const body =
      given.kind === 'json'
        ? spacedJson(values)
        : Object.entries(asObject(values) ?? {})
            .map(([key, value]) => {
              const isText = typeof value === 'string';
              return given.open + key + (isText ? given.text + value : given.other + spacedJson(value)) + given.close;
            })
            .join(given.separator);
    return fixed(head) + name + fixed(middle) + body + fixed(tail);
  });
  return open.trimStart() + texts.join(between ?? '') + close;
}
