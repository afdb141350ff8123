import { Environment, type parse } from '@huggingface/jinja';
import { isFields } from '#kernel';

type Program = ReturnType<typeof parse>;
type RuntimeValue = ReturnType<Environment['lookupVariable']>;

/** No template can use it by itself: the name is none of Jinja's identifiers. */
const textName = 'python text';

/**
 * The library writes values that are no texts as JSON, or leaves them out. Jinja writes them as Python does (`True`, `None`, `['a']`): what a template
 * puts into its output, joins with `~`, or makes text of goes through a function of ours.
 */
export function withPythonTexts(program: Program): Program {
  rewrite(program);
  return program;
}

/** Makes the function known to a template. */
export function setPythonText(environment: Environment): void {
  const text = environment.set(textName, () => '');
  if (text.type === 'FunctionValue') text.value = (values: RuntimeValue[]) => written(values[0]);
}

/** Texts and numbers are written as the library writes them. */
function written(value: RuntimeValue | undefined): RuntimeValue {
  const text = (content: string): RuntimeValue => new Environment().set('text', content);
  if (value === undefined || value.type === 'UndefinedValue') return text('');
  const isPlain = !['NullValue', 'BooleanValue', 'ArrayValue', 'TupleValue', 'ObjectValue'].includes(value.type);
  return isPlain ? value : text(pythonText(value));
}

function pythonText(value: RuntimeValue): string {
  switch (value.type) {
    case 'NullValue':
    case 'UndefinedValue':
      return 'None';
    case 'BooleanValue':
      return value.value === true ? 'True' : 'False';
    case 'StringValue':
      return quoted(String(value.value));
    case 'ArrayValue':
      return `[${items(value).join(', ')}]`;
    case 'TupleValue':
      return `(${items(value).join(', ')}${items(value).length === 1 ? ',' : ''})`;
    case 'ObjectValue': {
      const members = [...value.value].map(([key, item]) => `${quoted(String(key))}: ${pythonText(item)}`);
      return `{${members.join(', ')}}`;
    }
    default:
      return value.toString();
  }
}

const items = ({ value }: Extract<RuntimeValue, { type: 'ArrayValue' | 'TupleValue' }>): string[] =>
  (value as RuntimeValue[]).map(pythonText);

const escapes = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** As Python's `repr`. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|[^\S ]/gu, (unit) => {
    if (unit === "'") return quote === "'" ? "\\'" : unit;
    return escapes.get(unit) ?? codeEscape(unit.codePointAt(0) ?? 0);
  });
  return quote + inner + quote;
}

function codeEscape(code: number): string {
  const hex = (length: number): string => code.toString(16).padStart(length, '0');
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x1_0000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** Nodes that stand for a value: in a body, what they stand for is written. */
const expressions = new Set([
  ...['Identifier', 'MemberExpression', 'CallExpression', 'FilterExpression', 'BinaryExpression', 'UnaryExpression'],
  ...['TestExpression', 'SelectExpression', 'Ternary', 'ArrayLiteral', 'TupleLiteral', 'ObjectLiteral'],
]);

const bodies = ['body', 'alternate', 'defaultBlock'];

/** Filters that make text of what they are given. */
const textFilters = new Set(['string', 'upper', 'lower', 'title', 'capitalize', 'trim', 'replace']);

function filterName({ type, value, callee }: Record<string, unknown>): string {
  const name = type === 'CallExpression' && isFields(callee) ? callee['value'] : value;
  return typeof name === 'string' ? name : '';
}

function rewrite(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) rewrite(each);
  if (!isFields(node)) return;
  for (const part of Object.values(node)) rewrite(part);
  for (const name of bodies) {
    const body = node[name];
    if (Array.isArray(body)) node[name] = body.map(asText);
  }
  const { type, operator, filter } = node;
  if (type === 'BinaryExpression' && isFields(operator) && operator['value'] === '~')
    Object.assign(node, { left: asText(node['left']), right: asText(node['right']) });
  if (type === 'FilterExpression' && isFields(filter) && textFilters.has(filterName(filter)))
    node['operand'] = asText(node['operand']);
}

function asText(node: unknown): unknown {
  if (!isFields(node) || !expressions.has(String(node['type']))) return node;
  return { type: 'CallExpression', callee: { type: 'Identifier', value: textName }, args: [node] };
}
