import { isDeepStrictEqual } from 'node:util';
import {
  beforeMarker,
  commonPrefix,
  commonSuffix,
  probe,
  probeAnswer,
  probeCalls,
  question,
  type TemplateProbe,
} from './template-probe.ts';

/** Fixed text, or something that differs from call to call: an id, or the number of the call. */
export type LayoutPart = string | { id: 'letters' | 'number' };

/** How values of tagged arguments are written: between their key and the value stands a text that may tell the type. */
export type TaggedArguments = {
  kind: 'tagged';
  /** In front of a key. */
  open: string;
  /** Between key and value, of texts and of other values. */
  text: string;
  other: string;
  /** Behind a value. */
  close: string;
  separator: string;
  /** Texts with special characters stand in a CDATA section of XML. */
  cdata?: true;
};

/** The text of calls around their names and arguments, as a chat template writes it. */
export type CallLayout = {
  /** In front of all calls of an answer, and behind them. */
  open: string;
  close: string;
  /** Between two calls; null: one call only. */
  between: string | null;
  /** Of one call: in front of its name, between name and arguments, behind them. */
  head: LayoutPart[];
  middle: LayoutPart[];
  tail: LayoutPart[];
  arguments: { kind: 'json' } | TaggedArguments;
  /** The call is part of a JSON value, with these keys. `name` null: the name itself is the key of the arguments. */
  json: { list: boolean; name: string | null; arguments: string } | null;
};

const [alpha, tool] = probe.names;
const [keyOne, keyTwo] = probe.keys;
const [valueOne, valueTwo] = probe.values;
const simple = { [keyOne]: valueOne };

/** The assistant's part of a rendered conversation. `from`: where it begins to differ from a plain answer; `end`: where the turn ends. */
type Rendered = { text: string; from: number; end: number };

/**
 * Derives the layout from conversations that differ in one thing each: the name, a key, a value, the number of arguments and of calls. null
 * where the template does not write calls, or writes something else than names, keys and values.
 */
export function deriveLayout(given: TemplateProbe, reasoningClose: string | null): CallLayout | null {
  const probed = createProbe(given);
  const one = probed.calls([{ name: alpha, arguments: simple }]);
  const renamed = probed.calls([{ name: tool, arguments: simple }]);
  if (one === null || renamed === null) return null;
  const nameAt = placeOf(one.text, renamed.text, alpha);
  if (nameAt === null) return null;
  const behindReasoning = reasoningClose === null ? -1 : one.text.lastIndexOf(reasoningClose, nameAt);
  const from = Math.min(
    nameAt,
    Math.max(one.from, behindReasoning < 0 ? 0 : behindReasoning + (reasoningClose?.length ?? 0)),
  );
  const behindName = nameAt + alpha.length;
  const json = jsonAround(one.text, { from, nameAt });
  const written = argumentsOf(probed, one, behindName);
  if (written === null) return null;
  const second = probed.calls([
    { name: alpha, arguments: simple },
    { name: tool, arguments: { [keyOne]: valueTwo } },
  ]);
  const around = {
    before: one.text.slice(from, nameAt),
    middle: one.text.slice(behindName, written.from),
    behind: one.text.slice(written.to, one.end),
  };
  const divided = dividedCalls(around, second === null ? null : secondCall(second, written), json?.list === true);
  return { ...divided, arguments: written.form, json };
}

type Probe = {
  calls: (calls: readonly { name: string; arguments: unknown }[]) => Rendered | null;
};

function createProbe(given: TemplateProbe): Probe {
  const plain = given.render([question, probeAnswer(probe.answer)], { tools: true });
  return {
    calls: (calls) => {
      const text = given.render([question, probeCalls(calls)], { tools: true });
      if (text === null || plain === null) return null;
      const shown = withoutIds(text);
      const from = beforeMarker(shown, commonPrefix(shown, plain));
      const end = shown.length - endOfTurn(shown, plain);
      return { text: shown, from, end };
    },
  };
}

const idMark = '\ue000';

function withoutIds(text: string): string {
  return probe.ids.reduce((result, id) => result.replaceAll(id, idMark), text);
}

/** The length of what both texts end with, from the beginning of a marker or a line on. */
function endOfTurn(text: string, plain: string): number {
  const behindAnswer = plain.slice(plain.lastIndexOf(probe.answer) + probe.answer.length);
  const length = Math.min(commonSuffix(text, plain), behindAnswer.length);
  const suffix = text.slice(text.length - length);
  const from = length === behindAnswer.length ? 0 : suffix.search(/[<[]/);
  return from < 0 ? 0 : length - from;
}

/** Where the texts begin to differ, which must be with `expected`. */
function placeOf(one: string, other: string, expected: string): number | null {
  const at = commonPrefix(one, other);
  return one.startsWith(expected, at) ? at : null;
}

/** The JSON value that the call is part of. */
function jsonAround(text: string, { from, nameAt }: { from: number; nameAt: number }) {
  for (let at = from; at < nameAt; at += 1) {
    if (!'{['.includes(text.charAt(at))) continue;
    const value = jsonAt(text, at);
    if (value === undefined) continue;
    const list = Array.isArray(value);
    const keys = keysOf(list ? value[0] : value);
    if (keys !== null) return { list, ...keys };
  }
  return null;
}

function keysOf(call: unknown): { name: string | null; arguments: string } | null {
  if (typeof call !== 'object' || call === null) return null;
  const entries = Object.entries(call);
  const given = entries.find(([, value]) => isDeepStrictEqual(value, simple));
  const name = entries.find(([, value]) => value === alpha);
  if (given?.[0] === alpha) return { name: null, arguments: alpha };
  return given === undefined || name === undefined ? null : { name: name[0], arguments: given[0] };
}

function jsonAt(text: string, at: number): unknown {
  const end = jsonEnd(text, at);
  if (end === null) return undefined;
  try {
    return JSON.parse(text.slice(at, end));
  } catch {
    return undefined;
  }
}

function jsonEnd(text: string, from: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (inString && unit === '\\') at += 1;
    else if (unit === '"') inString = !inString;
    else if (!inString && '{['.includes(unit)) depth += 1;
    else if (!inString && '}]'.includes(unit)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}

type WrittenArguments = { from: number; to: number; form: CallLayout['arguments'] };

function argumentsOf(probed: Probe, one: Rendered, behindName: number): WrittenArguments | null {
  const revalued = probed.calls([{ name: alpha, arguments: { [keyOne]: valueTwo } }]);
  const rekeyed = probed.calls([{ name: alpha, arguments: { [keyTwo]: valueOne } }]);
  if (revalued === null || rekeyed === null) return null;
  const valueAt = placeOf(one.text, revalued.text, valueOne);
  const keyAt = placeOf(one.text, rekeyed.text, keyOne);
  if (valueAt === null || keyAt === null || keyAt < behindName || valueAt < keyAt) return null;
  const brace = one.text.lastIndexOf('{', keyAt);
  if (brace >= behindName && isDeepStrictEqual(jsonAt(one.text, brace), simple))
    return { from: brace, to: jsonEnd(one.text, brace) ?? valueAt, form: { kind: 'json' } };
  return taggedArguments(probed, one, { behindName, keyAt, valueAt });
}

type Places = { behindName: number; keyAt: number; valueAt: number };

function taggedArguments(probed: Probe, one: Rendered, { behindName, keyAt, valueAt }: Places) {
  const two = probed.calls([{ name: alpha, arguments: { [keyOne]: valueOne, [keyTwo]: valueTwo } }]);
  const number = probed.calls([{ name: alpha, arguments: { [keyOne]: 75319 } }]);
  if (two === null || number === null) return null;
  const before = one.text.slice(behindName, keyAt);
  const behind = one.text.slice(valueAt + valueOne.length, one.end);
  const secondKey = two.text.indexOf(keyTwo, valueAt);
  const numberAt = number.text.indexOf('75319', keyAt);
  if (secondKey < 0 || numberAt < 0) return null;
  const between = two.text.slice(valueAt + valueOne.length, secondKey);
  const shared = between.slice(between.length - commonSuffix(before, between));
  const marker = Math.max(shared.lastIndexOf('<'), shared.lastIndexOf('['));
  if (marker < 0) return null;
  // Kimi K3 and others have several markers in front of a key: those that a first argument has, too, but not what ends the one before.
  const open = shared.slice(marker);
  const rest = between.slice(0, between.length - open.length);
  const closeLength = beforeMarker(rest + open, commonPrefix(rest, behind));
  const close = rest.slice(0, closeLength).trimEnd();
  const special = probed.calls([{ name: alpha, arguments: { [keyOne]: `<${valueOne}` } }]);
  const form: TaggedArguments = {
    kind: 'tagged',
    open,
    text: one.text.slice(keyAt + keyOne.length, valueAt),
    other: number.text.slice(keyAt + keyOne.length, numberAt),
    close,
    separator: rest.slice(close.length),
    ...(special?.text.includes(`<![CDATA[<${valueOne}]]>`) === true && { cdata: true }),
  };
  if (form.close === '' || form.text === '') return null;
  return { from: keyAt - open.length, to: valueAt + valueOne.length + close.length, form };
}

type Around = { before: string; middle: string; behind: string };
/** What stands between the arguments of a first call and the name of a second one, and behind that name. */
type Second = { between: string; middle: string };

function secondCall(two: Rendered, { form }: WrittenArguments): Second | null {
  const nameAt = two.text.indexOf(tool, two.from);
  const firstValue = two.text.lastIndexOf(valueOne, nameAt);
  if (nameAt < 0 || firstValue < 0) return null;
  const behindValue = firstValue + valueOne.length;
  const behindName = nameAt + tool.length;
  const [end, start] = form.kind === 'tagged' ? [form.close, form.open] : ['}', '{'];
  const from = two.text.indexOf(end, behindValue) + end.length;
  const to = two.text.indexOf(start, behindName);
  if (from > nameAt || to < 0) return null;
  return { between: two.text.slice(from, nameAt), middle: two.text.slice(behindName, to) };
}

/** Divides the text around calls into what stands around all of them and what belongs to each. */
function dividedCalls({ before, middle, behind }: Around, second: Second | null, list: boolean) {
  if (second === null) {
    const open = list ? before.slice(0, before.lastIndexOf('{')) : leadingSpace(before);
    const close = list ? behind.slice(behind.indexOf('}') + 1) : '';
    const tail = behind.slice(0, behind.length - close.length);
    return { open, close, between: null, ...callParts([before.slice(open.length), middle, tail]) };
  }
  const { between } = second;
  const shared = list ? between.length - between.lastIndexOf('{') : sharedEnd(before, between);
  const open = list ? before.slice(0, before.lastIndexOf('{')) : before.slice(0, before.length - shared);
  const head = before.slice(open.length);
  const rest = between.slice(0, between.length - shared);
  const tailLength = beforeMarker(between, commonPrefix(rest, behind));
  const tail = rest.slice(0, tailLength).trimEnd();
  return {
    open,
    close: behind.slice(tail.length),
    between: rest.slice(tail.length),
    ...callParts([head, middle, tail], [between.slice(rest.length), second.middle]),
  };
}

/** The length of what two texts end with, from the beginning of a marker on. */
function sharedEnd(before: string, between: string): number {
  const length = commonSuffix(before, between);
  const shared = before.slice(before.length - length);
  const start = length === before.length ? leadingSpace(shared).length : shared.search(/[<[{]/);
  return start < 0 ? 0 : length - start;
}

function leadingSpace(text: string): string {
  return text.slice(0, text.length - text.trimStart().length);
}

/** `others`: head and middle of a second call. */
function callParts([head, middle, tail]: [string, string, string], others: string[] = []) {
  const [otherHead = head, otherMiddle = middle] = others;
  return { head: parts(head, otherHead), middle: parts(middle, otherMiddle), tail: parts(tail, tail) };
}

/** Ids, and numbers by which the texts of two calls differ, become parts of their own. */
function parts(text: string, other: string): LayoutPart[] {
  const others = other.match(/\d+/g) ?? [];
  const result: LayoutPart[] = [];
  let numbers = 0;
  for (const piece of text.split(/(\ue000|\d+)/)) {
    const isNumber = /^\d+$/.test(piece);
    const counts = isNumber && others[numbers] !== piece;
    if (isNumber) numbers += 1;
    const last = result.at(-1);
    if (piece === idMark) result.push({ id: 'letters' });
    else if (counts) result.push({ id: 'number' });
    else if (typeof last === 'string') result[result.length - 1] = last + piece;
    else if (piece !== '') result.push(piece);
  }
  return result;
}
