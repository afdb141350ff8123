import { Environment, type parse } from '@huggingface/jinja';
import { isExactNumber, isFields, objectInOrder } from '#kernel';
import { filterFunctions } from './template-filters.ts';
import { setPythonText } from './template-output.ts';

/** A template's own refusal (`raise_exception`): its text is meant for the caller. */
export class TemplateRefusal extends Error {}

/**
 * The names that chat templates expect of their host. The library would bring the same ones, but its date follows the
 * machine's clock and language; here the date is a parameter, in English and UTC.
 */
export function templateEnvironment(values: Record<string, unknown>, now: () => Date): Environment {
  const environment = new Environment();
  const globals = {
    true: true,
    false: false,
    none: null,
    True: true,
    False: false,
    None: null,
    range,
    raise_exception: (message: unknown) => {
      throw new TemplateRefusal(String(message));
    },
    ...stripFunctions,
    ...filterFunctions,
    strftime_now: (format: unknown) => formatDate(now(), String(format)),
    ...values,
  };
  for (const [name, value] of Object.entries(globals)) setVariable(environment, name, value);
  setPythonText(environment);
  return environment;
}

function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= 100_000)) throw new TemplateRefusal(`range(${start}, ${stop}, ${step}) is too long`);
  return Array.from({ length }, (_, index) => start + index * step);
}

/** The directives of Python's strftime that chat templates use. */
function formatDate(date: Date, format: string): string {
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(date);
  const two = (value: number): string => String(value).padStart(2, '0');
  const parts = new Map<string, () => string>([
    ['Y', () => String(date.getUTCFullYear())],
    ['m', () => two(date.getUTCMonth() + 1)],
    ['d', () => two(date.getUTCDate())],
    ['H', () => two(date.getUTCHours())],
    ['M', () => two(date.getUTCMinutes())],
    ['S', () => two(date.getUTCSeconds())],
    ['B', () => part({ month: 'long' })],
    ['b', () => part({ month: 'short' })],
    ['A', () => part({ weekday: 'long' })],
    ['a', () => part({ weekday: 'short' })],
    ['%', () => '%'],
  ]);
  return format.replace(/%([a-zA-Z%])/g, (whole, directive: string) => parts.get(directive)?.() ?? whole);
}

type Program = ReturnType<typeof parse>;

const methods = ['strip', 'lstrip', 'rstrip'];
/** No template can use it by itself: the name is none of Jinja's identifiers. */
const stripName = 'strip characters';

/** The library ignores the argument of `strip`, `lstrip` and `rstrip`: such calls become calls of a function of ours. */
export function withStripArguments(program: Program): Program {
  rewrite(program);
  return program;
}

/** Refuses what has no such method: a template may rely on that, and is tried again with plain turns. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('strip is a method of strings');
  return value;
}

export const stripFunctions = {
  [stripName]: (text: unknown, method: unknown, characters: unknown) =>
    stripCharacters(textOf(text), textOf(method), characters),
};

function rewrite(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) rewrite(each);
  if (!isFields(node)) return;
  for (const part of Object.values(node)) rewrite(part);
  const { type, callee, args } = node;
  if (type !== 'CallExpression' || !Array.isArray(args) || args.length === 0 || !isFields(callee)) return;
  const { property, object } = callee;
  const method = callee['type'] === 'MemberExpression' && isFields(property) ? property['value'] : null;
  if (callee['computed'] === true || typeof method !== 'string' || !methods.includes(method)) return;
  node['callee'] = { type: 'Identifier', value: stripName };
  node['args'] = [object, { type: 'StringLiteral', value: method }, ...args];
}

/** As Python: a set of characters, or white space where there is none. */
function stripCharacters(text: string, method: string, characters: unknown): string {
  const units = [...text];
  const cut = characters === null || characters === undefined ? null : textOf(characters);
  const isCut = (unit: string | undefined) => unit !== undefined && (cut?.includes(unit) ?? /\s/.test(unit));
  let [from, to] = [0, units.length];
  if (method !== 'rstrip') while (isCut(units[from])) from += 1;
  if (method !== 'lstrip') while (to > from && isCut(units[to - 1])) to -= 1;
  return units.slice(from, to).join('');
}

type RuntimeValue = ReturnType<Environment['lookupVariable']>;

/** A number of a template that is written as it was read. */
class ExactText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.#text);
  }

  /** The library calls it for floating point numbers that are whole. */
  toFixed(): string {
    return this.#text;
  }

  valueOf(): number {
    return Number(this.#text);
  }
}

/**
 * Sets a variable of a template. The library knows numbers of JavaScript only, so that `1.0` and 20 digits would be written as others. They are
 * given to it as functions, which no JSON holds, and then replaced by numbers that keep their text.
 */
export function setVariable(environment: Environment, name: string, value: unknown): void {
  const marks = { count: 0 };
  const marked = withMarks(value, marks);
  environment.set(name, marked);
  if (marks.count === 0) return;
  replaceMarks(environment.lookupVariable(name));
}

function withMarks(value: unknown, marks: { count: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isExactNumber(value)) {
    marks.count += 1;
    return () => value.rawJSON;
  }
  const before = marks.count;
  if (Array.isArray(value)) {
    const items = value.map((item) => withMarks(item, marks));
    return marks.count === before ? value : items;
  }
  const fields = Object.entries(value).map(([key, item]) => [key, withMarks(item, marks)] as const);
  return marks.count === before ? value : objectInOrder(fields);
}

/** The library does not export its classes. */
const integerClass = new Environment().set('number', 0).constructor;
const floatClass = new Environment().set('number', 0.5).constructor;
const falseValue = new Environment().set('truth', false);

function numberOfMark(value: RuntimeValue): RuntimeValue | null {
  if (value.type !== 'FunctionValue') return null;
  const text = value.value([], new Environment()).toString();
  const number: RuntimeValue = Reflect.construct(/[.e]/i.test(text) ? floatClass : integerClass, [new ExactText(text)]);
  // To the library every object is true, also one that stands for zero.
  return Number(text) === 0 ? Object.assign(number, { __bool__: () => falseValue }) : number;
}

function replaceMarks(value: RuntimeValue): void {
  if (value.type === 'ArrayValue') {
    for (const [at, item] of value.value.entries()) {
      const number = numberOfMark(item);
      if (number === null) replaceMarks(item);
      else value.value[at] = number;
    }
  } else if (value.type === 'ObjectValue') {
    for (const [key, item] of value.value) {
      const number = numberOfMark(item);
      if (number === null) replaceMarks(item);
      else value.value.set(key, number);
    }
  }
}
