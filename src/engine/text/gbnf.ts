/** An expression that may stand in a sequence: a literal, a class, a rule name or something in parentheses. */
export type Expression = string;

/** Rules of one grammar. Names follow from the order of definition: the same input gives the same text. */
export type Grammar = {
  /** A rule with this body; equal bodies share one rule. */
  define: (hint: string, body: string) => Expression;
  /** A name whose body follows with `fill`, for rules that use themselves. */
  reserve: (hint: string) => Expression;
  fill: (name: Expression, body: string) => void;
  has: (name: Expression) => boolean;
  size: () => number;
  /** Counts steps of making the grammar ready; false where they are too many for one. */
  spend: (steps: number) => boolean;
  /** Work that may take this part of the steps that are left. */
  within: <Result>(part: number, work: () => Result) => Result;
  /** Takes back the rules of work that fails, but not its steps. */
  attempt: <Result>(work: () => Result) => Result;
  /** Takes back the rules of the work, but not its steps. */
  trial: <Result>(work: () => Result) => Result;
  text: (root: string) => string;
};

/** So many take a tenth of a second. */
const mostSteps = 300_000;
/** llama.cpp makes a rule of each repetition, which takes as long as so many of our steps. */
const stepsOfRepetition = 6;

export function createGrammar(): Grammar {
  const bodies = new Map<string, string>();
  const names = new Map<string, string>();
  let count = 0;
  let size = 0;
  let spent = 0;
  let most = mostSteps;
  const reserve = (hint: string): Expression => {
    count += 1;
    return `${hint}-${count}`;
  };
  const takingBack = (): (() => void) => {
    const before = { bodies: bodies.size, names: names.size, size };
    return () => {
      for (const name of [...bodies.keys()].slice(before.bodies)) bodies.delete(name);
      for (const body of [...names.keys()].slice(before.names)) names.delete(body);
      size = before.size;
    };
  };
  const fill = (name: Expression, body: string): void => {
    bodies.set(name, body);
    size += name.length + body.length;
  };
  return {
    reserve,
    fill,
    has: (name) => bodies.has(name),
    define: (hint, body) => {
      const known = names.get(body);
      if (known !== undefined) return known;
      const name = reserve(hint);
      names.set(body, name);
      fill(name, body);
      return name;
    },
    size: () => size,
    spend: (steps) => {
      spent += steps;
      return spent <= most;
    },
    within: (part, work) => {
      const whole = most;
      most = spent + Math.max(0, whole - spent) * part;
      try {
        return work();
      } finally {
        most = whole;
      }
    },
    attempt: (work) => {
      const takeBack = takingBack();
      try {
        return work();
      } catch (error) {
        takeBack();
        throw error;
      }
    },
    trial: (work) => {
      const takeBack = takingBack();
      try {
        return work();
      } finally {
        takeBack();
      }
    },
    text: (root) => [`root ::= ${root}`, ...[...bodies].map(([name, body]) => `${name} ::= ${body}`), ''].join('\n'),
  };
}

export function literal(text: string): Expression {
  return `"${text.replace(/["\\]|[^\x20-\x7e]/gu, escaped)}"`;
}

export function sequence(...parts: readonly Expression[]): Expression {
  return parts.filter((part) => part !== '').join(' ') || '""';
}

export function anyOf(alternatives: readonly Expression[]): Expression {
  const [only] = alternatives;
  return alternatives.length === 1 && only !== undefined ? only : `(${alternatives.join(' | ')})`;
}

export function optional(expression: Expression): Expression {
  return `(${expression})?`;
}

const chunk = 1000;

/**
 * `min` to `max` times (null: without end) the rule `unit`, which must not be empty. llama.cpp silently drops bounds
 * over 2000, so longer ones are built from chunks.
 */
export function repeated(grammar: Grammar, unit: Expression, [min, max]: readonly [number, number | null]): Expression {
  grammar.spend(stepsOfRepetition * (Math.min(min, chunk) + (max === null ? 0 : Math.min(max - min, chunk))));
  const block = (): Expression => grammar.define('times', `${unit}{${chunk}}`);
  const exactly = (count: number): Expression[] => [
    ...Array.from({ length: Math.floor(count / chunk) }, block),
    ...(count % chunk === 0 ? [] : [`${unit}{${count % chunk}}`]),
  ];
  const upTo = (count: number): Expression[] => {
    if (count === 0) return [];
    let rest = `${unit}{0,${count % chunk}}`;
    if (count < chunk) return [rest];
    if (count % chunk === 0) rest = '""';
    const fewer = grammar.define('fewer', `${unit}{0,${chunk - 1}}`);
    for (let left = Math.floor(count / chunk); left > 0; left -= 1) {
      rest = grammar.define('up-to', `${fewer} | ${sequence(block(), rest)}`);
    }
    return [rest];
  };
  return sequence(...exactly(min), ...(max === null ? [`${unit}*`] : upTo(max - min)));
}

/** In so many ways side by side llama.cpp reads a unit that is `repeated`. */
export function waysToRepeat([min, max]: readonly [number, number | null]): number {
  return max !== null && max - min >= chunk ? 2 : 1;
}

/**
 * Text in which none of `ends` occurs, or where one does, `behind` follows, which is told the end and the rule of such text. No end contains
 * another.
 */
export function textWithout(
  grammar: Grammar,
  ends: readonly [string, ...string[]],
  behind: ((end: string, text: Expression) => Expression) | null = null,
): Expression {
  // One state for each beginning of an end that the text may stand behind.
  const begun = new Set(ends.flatMap((end) => [...end].map((_, at) => [...end].slice(0, at).join(''))));
  const states = new Map([...begun].map((part) => [part, grammar.reserve('text')]));
  const start = states.get('') ?? '';
  const units = [...new Set(ends.flatMap((end) => [...end]))];
  for (const [part, name] of states) {
    const steps = units.map((unit) => [unit, stateBehind(part + unit, states, ends)] as const);
    // What begins nothing is as good as any other character.
    const onward = steps.filter(([, state]) => state !== '');
    const others = onward.map(([unit]) => escaped(unit)).join('');
    const following = onward.flatMap(([unit, state]) => {
      const rule = ends.includes(state) ? behind?.(state, start) : states.get(state);
      return rule === undefined ? [] : [`${literal(unit)} ${rule}`];
    });
    grammar.fill(name, [`[^${others}] ${start}`, ...following, '""'].join(' | '));
  }
  return start;
}

/** The longest end of the text that is an end, or begins one. */
function stateBehind(text: string, states: ReadonlyMap<string, Expression>, ends: readonly string[]): string {
  for (let from = 0; from < text.length; from += 1) {
    const rest = text.slice(from);
    if (ends.includes(rest) || states.has(rest)) return rest;
  }
  return '';
}

export function escaped(unit: string): string {
  const code = unit.codePointAt(0) ?? 0;
  if (/^[A-Za-z0-9 ]$/.test(unit)) return unit;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/**
 * Each of the texts with what follows it, as a tree: what several begin with is there once, so that llama.cpp has one way to follow
 * and not one for each.
 */
export function literalTree(following: ReadonlyMap<string, Expression>): Expression {
  return branches([...following].sort(([first], [second]) => (first < second ? -1 : 1)));
}

type Entry = readonly [text: string, next: Expression];

/** In order, so that those with a common beginning are neighbours. */
function branches(entries: readonly Entry[]): Expression {
  const alternatives: Expression[] = [];
  for (let at = 0; at < entries.length; ) {
    const [text, next] = entries[at] ?? ['', ''];
    const [first = ''] = text;
    let end = at + 1;
    while (first !== '' && entries[end]?.[0].startsWith(first)) end += 1;
    const last = entries[end - 1]?.[0] ?? '';
    const common = end === at + 1 ? text : commonBeginning(text, last);
    const rest = entries.slice(at, end).map(([each, after]): Entry => [each.slice(common.length), after]);
    const begun = common === '' ? '' : literal(common);
    alternatives.push(end === at + 1 ? sequence(begun, next) : sequence(begun, branches(rest)));
    at = end;
  }
  return anyOf(alternatives);
}

/** Of two texts, without half a character at its end. */
export function commonBeginning(first: string, second: string): string {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  const isHalf = /[\ud800-\udbff]$/.test(first.slice(0, length));
  return first.slice(0, isHalf ? length - 1 : length);
}
