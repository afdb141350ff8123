import type { Expression } from './gbnf.ts';
import type { ObjectForm } from './object-form.ts';
import { type ObjectState, startOf, stateKey } from './object-state.ts';
import { waysToCount } from './schema-arrays.ts';
import { refuse } from './schema-places.ts';

/** What a rule for values offers side by side. */
export type Kinds = {
  literals: ReadonlySet<string>;
  strings: number;
  numbers: number;
  arrays: readonly { expression: Expression; prefix: readonly Expression[]; item: Expression | null; ways: number }[];
  objects: readonly ObjectState[];
};

/** Behind the key of a member: which listed value, or which other values, lead where. */
export type Follow = {
  literals: ReadonlyMap<string, ObjectState>;
  groups: readonly { value: Expression; to: ObjectState }[];
};

/** The keys that an object may go on with. */
export type Moves = {
  named: ReadonlyMap<string, Follow>;
  /** Any key that is not `taken`. */
  others: Follow | null;
  taken: ReadonlySet<string>;
  /** All keys of this state as well. */
  rest: ObjectState | null;
};

export type Rules = {
  kindsOf: (value: Expression) => Kinds;
  movesOf: (state: ObjectState) => Moves;
  valueOf: (schema: unknown) => Expression;
  spend: (steps: number) => void;
};

/** llama.cpp goes through its vocabulary for each: so many take about as long as a step of a small model. */
const mostWays = 200;
/** To read strings and numbers, of which one with bounds alone may need 250. */
const mostScalarWays = 600;

const anyForm: ObjectForm = {
  id: -1,
  members: [],
  optionalFrom: 0,
  names: new Set(),
  others: { schema: true, key: null },
  range: [0, null],
};
/** Those of any JSON value. */
export const anyKinds: Kinds = {
  literals: new Set(['true', 'false', 'null']),
  strings: 1,
  numbers: 4,
  arrays: [{ expression: 'json-array', prefix: [], item: 'json-value', ways: 1 }],
  objects: [startOf([anyForm])],
};

/** So often each is read side by side. */
type Values = Map<Expression, number>;
type Objects = Map<string, { state: ObjectState; ways: number }>;

/**
 * Refuses rules of which llama.cpp would follow too many ways side by side for some text. From the ways at the beginning of a value follow those
 * at the values inside it; what grows with each level is over the bound after a few.
 */
export function checkWays(root: Expression, rules: Rules): void {
  new WaysCheck(rules).check(root);
}

class WaysCheck {
  readonly #rules: Rules;
  readonly #seen = new Set<string>();
  readonly #open: (() => void)[] = [];

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  check(root: Expression): void {
    this.#values(new Map([[root, 1]]));
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next();
  }

  /** These are read side by side. */
  #values(values: Values): void {
    const key = [...values].map(([value, ways]) => `${value}*${ways}`).sort();
    this.#once(`values ${key}`, () => {
      this.#checkCount(values);
      this.#arrays(values);
      const objects: Objects = new Map();
      for (const [value, ways] of values)
        for (const state of this.#rules.kindsOf(value).objects) addObject(objects, state, ways);
      this.#objects(objects);
    });
  }

  #once(key: string, work: () => void): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#rules.spend(1 + key.length / 10);
    this.#open.push(work);
  }

  #checkCount(values: Values): void {
    let scalars = 0;
    for (const [value, ways] of values) {
      const { strings, numbers, literals } = this.#rules.kindsOf(value);
      scalars += ways * (strings + numbers + Math.min(1, literals.size));
    }
    bound(scalars, mostScalarWays);
    bound(
      [...values.values()].reduce((sum, ways) => sum + ways, 0),
      mostWays,
    );
  }

  #arrays(values: Values): void {
    const arrays = [...values].flatMap(([value, ways]) =>
      this.#rules.kindsOf(value).arrays.map((array) => ({ ...array, outside: ways })),
    );
    const longest = Math.max(0, ...arrays.map(({ prefix }) => prefix.length));
    for (let at = 0; arrays.length > 0 && at <= longest + 1; at += 1) {
      const items: Values = new Map();
      for (const { prefix, item, ways, outside } of arrays) {
        const value = prefix[at] ?? item;
        if (value !== null) add(items, value, outside * (at < prefix.length ? 1 : ways));
      }
      if (items.size > 0) this.#values(items);
    }
  }

  /** Objects at these states are read side by side. */
  #objects(objects: Objects): void {
    if (objects.size === 0) return;
    const all = [...objects.values()];
    bound(
      all.reduce((sum, { ways }) => sum + ways, 0),
      mostWays,
    );
    const key = [...objects].map(([state, { ways }]) => `${state}*${ways}`).sort();
    this.#once(`objects ${key}`, () => {
      const [only] = all;
      if (all.length === 1 && only !== undefined) this.#oneObject(only);
      else this.#together(all);
    });
  }

  #oneObject({ state, ways }: { state: ObjectState; ways: number }): void {
    const [thread] = state;
    if (state.length === 1 && thread !== undefined) {
      const { form, at } = thread;
      for (const { schema } of form.members.slice(at)) this.#values(new Map([[this.#rules.valueOf(schema), ways]]));
      if (form.others === null) return;
      const other = this.#rules.valueOf(form.others.schema);
      this.#values(new Map([[other, ways * waysToCount(form.range)]]));
      return;
    }
    const { named, others, rest } = this.#rules.movesOf(state);
    for (const follow of named.values()) this.#member([{ follow, ways }]);
    if (others !== null) this.#member([{ follow: others, ways }]);
    if (rest !== null) this.#objects(new Map([[stateKey(rest), { state: rest, ways }]]));
  }

  #together(objects: readonly { state: ObjectState; ways: number }[]): void {
    const all = objects.map(({ state, ways }) => ({ moves: this.#allMoves(state), ways }));
    const names = new Set(all.flatMap(({ moves }) => [...moves.named.keys()]));
    this.#rules.spend(names.size * all.length);
    for (const name of names) {
      this.#member(
        all.flatMap(({ moves: { named, others, taken }, ways }) => {
          const follow = named.get(name) ?? (taken.has(name) ? null : others);
          return follow === null ? [] : [{ follow, ways }];
        }),
      );
    }
    const open = all.flatMap(({ moves: { others }, ways }) => (others === null ? [] : [{ follow: others, ways }]));
    if (open.length > 0) this.#member(open);
  }

  #allMoves(state: ObjectState): Omit<Moves, 'rest'> {
    const named = new Map<string, Follow>();
    let moves = this.#rules.movesOf(state);
    for (;;) {
      this.#rules.spend(1 + moves.named.size);
      for (const [name, follow] of moves.named) named.set(name, follow);
      if (moves.rest === null) return { ...moves, named };
      moves = this.#rules.movesOf(moves.rest);
    }
  }

  /** A member is read side by side: first its value, then what is behind that. */
  #member(all: readonly { follow: Follow; ways: number }[]): void {
    const groups = all.flatMap(({ follow, ways }) => follow.groups.map((group) => ({ ...group, ways })));
    const values: Values = new Map();
    for (const { value, ways } of groups) add(values, value, ways);
    if (values.size > 0) this.#values(values);
    const [only] = groups;
    const texts = new Set(all.flatMap(({ follow }) => [...follow.literals.keys()]));
    if (only !== undefined && groups.length === 1 && texts.size === 0) {
      this.#objects(new Map([[stateKey(only.to), { state: only.to, ways: only.ways }]]));
      return;
    }
    for (const { value } of groups) for (const text of this.#rules.kindsOf(value).literals) texts.add(text);
    for (const kind of ['object', 'array', 'number', 'string'] as const) this.#behind(all, { kind, text: null });
    for (const text of texts) this.#behind(all, { kind: kindOf(text), text });
  }

  /** Behind the listed text, or behind any other value of the kind. */
  #behind(all: readonly { follow: Follow; ways: number }[], read: { kind: Kind; text: string | null }): void {
    const objects: Objects = new Map();
    for (const { follow, ways } of all) {
      this.#rules.spend(1 + follow.groups.length);
      const listed = read.text === null ? undefined : follow.literals.get(read.text);
      if (listed !== undefined) addObject(objects, listed, ways);
      for (const { value, to } of follow.groups)
        if (has(this.#rules.kindsOf(value), read)) addObject(objects, to, ways);
    }
    this.#objects(objects);
  }
}

type Kind = 'object' | 'array' | 'number' | 'string' | 'word';

function kindOf(text: string): Kind {
  const kinds: Record<string, Kind> = { '{': 'object', '[': 'array', '"': 'string', t: 'word', f: 'word', n: 'word' };
  return kinds[text.charAt(0)] ?? 'number';
}

function has(
  { literals, strings, numbers, arrays, objects }: Kinds,
  { kind, text }: { kind: Kind; text: string | null },
): boolean {
  if (text !== null && literals.has(text)) return true;
  switch (kind) {
    case 'object':
      return objects.length > 0;
    case 'array':
      return arrays.length > 0;
    case 'number':
      return numbers > 0;
    case 'string':
      return strings > 0;
    case 'word':
      return false;
  }
}

function add(values: Values, value: Expression, ways: number): void {
  values.set(value, (values.get(value) ?? 0) + ways);
}

function addObject(objects: Objects, state: ObjectState, ways: number): void {
  const key = stateKey(state);
  objects.set(key, { state, ways: (objects.get(key)?.ways ?? 0) + ways });
}

function bound(ways: number, most: number): void {
  if (ways <= most) return;
  throw refuse(
    'A text could be read in too many ways by this schema: its alternatives ("anyOf", "oneOf") begin alike. Tell them apart by a first member with a constant ("const").',
  );
}
