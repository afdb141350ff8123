import { objectInOrder } from '#kernel';
import type { ToolDefinition } from '../../port.ts';
import { areJson, rootOf, typesOf } from '../schema-references.ts';
import type { CallInput } from './call-input.ts';
import type { TaggedArguments } from './derive-layout.ts';
import { asObject, parseJson, typedValue } from './json-values.ts';
import { commonPrefix, commonSuffix } from './template-probe.ts';

/**
 * Reads arguments that stand between tags, one by one. Values are text; those of parameters that are not strings by the tool's schema are
 * read as JSON. undefined where the text is broken.
 */
export function* readTagged(
  input: CallInput,
  tags: TaggedArguments,
  tool: ToolDefinition | null,
): Generator<null, unknown> {
  const root = tool === null ? null : rootOf(tool);
  const properties = asObject(root?.['properties']) ?? {};
  const typesByName = new Map<string, unknown[]>();
  const values: [string, unknown][] = [];
  const reader = createValueReader(tags);
  while (yield* input.literal(tags.open)) {
    const head = yield* readKey(input, tags);
    if (head === null) return undefined;
    const { key, isText } = head;
    const types = typesByName.get(key) ?? typesOf(properties[key], root);
    typesByName.set(key, types);
    const text = yield* reader(input, isText === null ? areJson(types) : !isText);
    if (text === null) return undefined;
    values.push([key, isText === null ? typedValue(text, types) : isText ? text : jsonOrText(text)]);
  }
  return objectInOrder(values);
}

function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text : value;
}

const longestKey = 512;

/** `isText`: what the tag itself says of the value; null: nothing. */
function* readKey(input: CallInput, { text, other }: TaggedArguments) {
  if (text === other) {
    const [first = '', ...rest] = text.trim().split(/\s+/);
    const key = yield* input.until([first], longestKey);
    if (key === null || key.text.includes('\n')) return null;
    for (const part of rest) if (!(yield* input.literal(part))) return null;
    return { key: key.text.trim(), isText: null };
  }
  const before = text.slice(0, commonPrefix(text, other));
  const behind = text.slice(text.length - commonSuffix(text.slice(before.length), other.slice(before.length)));
  const key = yield* input.until([before], longestKey);
  const type = key === null ? null : yield* input.until([behind.trimEnd()], longestKey);
  if (key === null || type === null) return null;
  return { key: key.text, isText: type.text === text.slice(before.length, text.length - behind.length) };
}

/**
 * Reads a value and the tag behind it. In a JSON string the tag may stand, too, but no line break. Where a string is broken, the value ends at
 * the first tag, as those of texts do; then JSON is no longer expected, so that no text is read more than twice.
 */
function createValueReader({ text, close, cdata }: TaggedArguments) {
  const end = close.trim();
  let mayBeJson = true;
  const trimmed = (value: string): string => {
    const from = text.endsWith('\n') && value.startsWith('\n') ? 1 : 0;
    const to = close.startsWith('\n') && value.endsWith('\n') ? value.length - 1 : value.length;
    return value.slice(from, Math.max(from, to));
  };
  return function* readValue(input: CallInput, isJson: boolean): Generator<null, string | null> {
    if (cdata === true && (yield* input.literal('<![CDATA['))) {
      const value = yield* input.until([']]>']);
      return value !== null && (yield* input.literal(end)) ? value.text : null;
    }
    if (!isJson || !mayBeJson) {
      const value = yield* input.until([end]);
      return value === null ? null : trimmed(value.text);
    }
    const pieces: string[] = [];
    const first: { length: number; mark: number } = { length: -1, mark: 0 };
    let tail = '';
    let inString = false;
    let escaped = false;
    for (;;) {
      const unit = yield* input.next();
      if (unit === null && first.length < 0) return null;
      if (unit === null || (unit === '\n' && inString && first.length >= 0)) {
        input.reset(first.mark);
        mayBeJson = false;
        return trimmed(pieces.join('').slice(0, first.length));
      }
      pieces.push(unit);
      tail = (tail + unit).slice(-end.length);
      if (unit === '\n') inString = escaped = false;
      else if (escaped) escaped = false;
      else if (unit === '"') inString = !inString;
      else escaped = unit === '\\' && inString;
      if (tail !== end) continue;
      if (!inString) return trimmed(pieces.join('').slice(0, -end.length));
      if (first.length < 0) Object.assign(first, { length: pieces.length - end.length, mark: input.mark() });
    }
  };
}
