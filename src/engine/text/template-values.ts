import { Environment } from '@huggingface/jinja';
import { isExactNumber, objectInOrder } from '#kernel';

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

/** A value without exact numbers stays the same. */
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

/** null: it is none. */
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
