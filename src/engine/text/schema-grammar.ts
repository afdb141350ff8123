import { anyOf, type Expression, type Grammar, literal, literalTree, optional, sequence } from './gbnf.ts';
import { anyArray, anyObject, anyValue, blank, otherKey, string } from './json-rules.ts';
import { createKeysOf, keyTree } from './key-tree.ts';
import { isBare, isCounted, type ObjectForm } from './object-form.ts';
import {
  leavingOut,
  mayEnd,
  mayGoOn,
  type ObjectState,
  type Step,
  startsOf,
  stateKey,
  stepsOf,
} from './object-state.ts';
import { type ArrayForm, arrayExpression, separated, uniqueExpression, waysToCount } from './schema-arrays.ts';
import { createLeavesOf, type Help, type Leaf, type SchemaContext } from './schema-leaves.ts';
import { canonical, Unsatisfiable } from './schema-merge.ts';
import { asFault, type Places, tooLarge, withoutAnnotations } from './schema-places.ts';
import { withPointers } from './schema-references.ts';
import { joinedLengths, type Length } from './schema-scalars.ts';
import { anyKinds, checkWays, type Follow, type Kinds, type Moves } from './schema-ways.ts';

const maxSchemaChars = 65_536;
const maxGrammarChars = 524_288;
/** To find where a member leads takes as long as so many steps of a pattern. */
const stepsOfMember = 10;

// Our own translation, not node-llama-cpp's: docs/adr/0005-json-schema-grammar.md.

/**
 * The JSON texts that satisfy the schema, as rules in `grammar`. The grammar may know fewer texts than the schema allows
 * (members in the order of `properties`, further members only where `additionalProperties` asks for them, bounded
 * blanks and digits), never more. Throws `invalid_request` (`response_format`) naming what cannot be enforced; else that is
 * passed over where the rest can be enforced without it, and the schema is a part of its root, in which references are pointers.
 */
export function schemaExpression(grammar: Grammar, given: unknown, help: Help | null = null): Expression {
  try {
    if (canonical(given).length > maxSchemaChars)
      throw tooLarge(`The schema is longer than ${maxSchemaChars} characters.`);
    const schema = help === null ? withPointers(given) : given;
    const places: Places = new WeakMap();
    const rules = new SchemaRules(grammar, { ...(help ?? { strictness: 'exact', root: schema }), places });
    return rules.whole(withoutAnnotations(schema, places));
  } catch (error) {
    throw asFault(error instanceof Unsatisfiable ? error.asRefusal() : error);
  }
}

/**
 * Rules for the values of schemas. Alternatives that begin alike are read together for as long as nothing tells them
 * apart, because llama.cpp follows each of them by itself: two that hold each other would have it follow twice as many
 * with each level.
 */
class SchemaRules {
  readonly #grammar: Grammar;
  readonly #leavesOf: (schema: unknown) => readonly Leaf[];
  readonly #bySchema = new Map<string, Expression>();
  readonly #rules = new Map<string, Expression>();
  readonly #kinds = new Map<Expression, Kinds>();
  readonly #moves = new Map<string, Moves>();
  readonly #keysOf = createKeysOf((state) => this.#movesOf(state));
  /** Rules that were referred to and have no body yet. */
  readonly #open: (() => void)[] = [];

  constructor(grammar: Grammar, context: SchemaContext) {
    this.#grammar = grammar;
    this.#leavesOf = createLeavesOf(grammar, context);
    this.#kinds.set('json-value', anyKinds);
  }

  whole(schema: unknown): Expression {
    const root = this.#value(schema);
    this.#fillAll();
    checkWays(root, {
      kindsOf: (value) => {
        this.#fillAll();
        return this.#kinds.get(value) ?? anyKinds;
      },
      movesOf: (state) => this.#movesOf(state),
      valueOf: (inner) => this.#value(inner),
      spend: (steps) => this.#spend(steps),
    });
    return root;
  }

  #fillAll(): void {
    for (let fill = this.#open.pop(); fill !== undefined; fill = this.#open.pop()) {
      fill();
      if (this.#grammar.size() > maxGrammarChars) throw tooLarge();
      this.#spend(1);
    }
  }

  #spend(steps: number): void {
    if (!this.#grammar.spend(steps)) throw tooLarge();
  }

  #value(schema: unknown): Expression {
    const key = canonical(schema);
    const value = this.#bySchema.get(key) ?? this.#union(this.#leavesOf(schema));
    this.#bySchema.set(key, value);
    return value;
  }

  #rule(hint: string, key: string, body: (name: Expression) => string): Expression {
    const known = this.#rules.get(`${hint} ${key}`);
    if (known !== undefined) return known;
    const name = this.#grammar.reserve(hint);
    this.#rules.set(`${hint} ${key}`, name);
    this.#open.push(() => this.#grammar.fill(name, body(name)));
    return name;
  }

  #union(leaves: readonly Leaf[]): Expression {
    if (leaves.some(({ kind }) => kind === 'any')) return anyValue(this.#grammar);
    const key = leaves
      .map((leaf) => leaf.key)
      .sort()
      .join('\n');
    return this.#rule('schema', key, (name) => this.#alternatives(name, leaves));
  }

  #alternatives(name: Expression, leaves: readonly Leaf[]): string {
    const grammar = this.#grammar;
    const texts = leaves.flatMap((leaf) => (leaf.kind === 'literal' ? [leaf.text] : []));
    const lengths = joinedLengths(leaves.flatMap((leaf) => (leaf.kind === 'string' ? [leaf.length] : [])));
    const patterns = leaves.flatMap((leaf) => (leaf.kind === 'pattern' ? [leaf.expression] : []));
    const numbers = leaves.flatMap((leaf) => (leaf.kind === 'number' ? [leaf] : []));
    const arrays = this.#arrays(leaves.flatMap((leaf) => (leaf.kind === 'array' ? [leaf.form] : [])));
    const objects = startsOf(leaves.flatMap((leaf) => (leaf.kind === 'object' ? [leaf.form] : [])));
    this.#kinds.set(name, {
      literals: new Set(texts),
      strings: lengths.length + patterns.length,
      numbers: numbers.reduce((sum, { ways }) => sum + ways, 0),
      arrays,
      objects,
    });
    return anyOf([
      ...(texts.length === 0 ? [] : [literalTree(new Map(texts.map((text) => [text, ''])))]),
      ...lengths.map((length) => string(grammar, length)),
      ...patterns,
      ...numbers.map(({ expression }) => expression),
      ...arrays.map(({ expression }) => expression),
      ...objects.map((start) => this.#object(start)),
    ]);
  }

  /** Lists of the same items, of whatever lengths, are read together. */
  #arrays(forms: readonly ArrayForm[]): Kinds['arrays'] {
    const lists = new Map<Expression, Length[]>();
    const arrays: Kinds['arrays'][number][] = [];
    for (const form of forms) {
      const prefix = form.prefix.map((schema) => this.#value(schema));
      const item = form.item === null ? null : this.#value(form.item.schema);
      if (form.unique !== null) {
        const list = uniqueExpression(this.#grammar, form.unique, form.range);
        arrays.push({ expression: this.#grammar.define('array', list), prefix, item, ways: 1 });
      } else if (prefix.length > 0 || item === null) arrays.push(this.#array({ prefix, item, range: form.range }));
      else lists.set(item, [...(lists.get(item) ?? []), form.range]);
    }
    for (const [item, lengths] of lists)
      for (const range of joinedLengths(lengths)) arrays.push(this.#array({ prefix: [], item, range }));
    return arrays;
  }

  #array(parts: Parameters<typeof arrayExpression>[1]): Kinds['arrays'][number] {
    const { prefix, item, range } = parts;
    const isAny = item === 'json-value' && prefix.length === 0 && range[0] === 0 && range[1] === null;
    const expression = isAny
      ? anyArray(this.#grammar)
      : this.#grammar.define('array', arrayExpression(this.#grammar, parts));
    return { expression, prefix, item, ways: waysToCount(range) };
  }

  #object(start: ObjectState): Expression {
    const [only] = start;
    if (start.length === 1 && only !== undefined && isBare(only.form)) return anyObject(this.#grammar);
    return this.#rule('object', stateKey(start), () => {
      const ws = blank(this.#grammar);
      if (!mayGoOn(start)) return `"{" ${ws} "}"`;
      if (only !== undefined && isCounted(only.form)) return sequence('"{"', ws, this.#counted(only.form), '"}"');
      const members = `${this.#members(start)} ${ws}`;
      return `"{" ${ws} ${mayEnd(start) ? optional(members) : members} "}"`;
    });
  }

  #counted(form: ObjectForm): Expression {
    const ws = blank(this.#grammar);
    const key = form.others?.key ?? otherKey(this.#grammar, [...form.names]);
    const unit = sequence(key, '":"', ws, this.#value(form.others?.schema));
    return separated(this.#grammar, { unit: this.#grammar.define('member', unit), range: form.range });
  }

  /** At least one further member, and what follows it. */
  #members(state: ObjectState): Expression {
    return this.#rule('members', stateKey(state), () => {
      const { others, taken } = this.#movesOf(state);
      const { keys, rest } = this.#keysOf(state);
      const ws = blank(this.#grammar);
      const alternatives = keyTree(keys, {
        rule: (key, body) => this.#rule('keys', key, body),
        member: (text, follow) => this.#grammar.define('member', sequence(literal(text), ws, this.#following(follow))),
      });
      if (others !== null) {
        // Objects whose keys have a form are read by themselves.
        const key = state[0]?.form.others?.key ?? otherKey(this.#grammar, [...taken]);
        alternatives.push(`${key} ":" ${ws} ${this.#following(others)}`);
      }
      if (rest !== null && mayGoOn(rest)) alternatives.push(this.#members(rest));
      return alternatives.join(' | ');
    });
  }

  /** The value of a member, and what follows it. */
  #following({ literals, groups }: Follow): Expression {
    const tree = new Map([...literals].map(([text, to]) => [text, this.#next(to)]));
    return anyOf([
      ...(tree.size === 0 ? [] : [literalTree(tree)]),
      ...groups.map(({ value, to }) => sequence(value, this.#next(to))),
    ]);
  }

  #next(state: ObjectState): Expression {
    if (!mayGoOn(state)) return '';
    return this.#rule('next', stateKey(state), () => {
      const more = `"," ${blank(this.#grammar)} ${this.#members(state)}`;
      return mayEnd(state) ? `${more} | ""` : more;
    });
  }

  #movesOf(state: ObjectState): Moves {
    const key = stateKey(state);
    const known = this.#moves.get(key);
    if (known !== undefined) return known;
    const moves = this.#newMoves(state);
    this.#moves.set(key, moves);
    return moves;
  }

  #newMoves(state: ObjectState): Moves {
    const alike = leavingOut(state);
    if (alike !== null) {
      const named = new Map([[alike.next.name, this.#follow(alike.steps)]]);
      return { named, others: null, taken: new Set(), rest: alike.to };
    }
    const { named, others, taken } = stepsOf(state);
    return {
      named: new Map([...named].map(([name, steps]) => [name, this.#follow(steps)])),
      others: others.length === 0 ? null : this.#follow(others),
      taken: new Set(taken),
      rest: null,
    };
  }

  /** What value leads where: each kind of value once, with all that may have it. */
  #follow(steps: readonly Step[]): Follow {
    this.#spend(stepsOfMember * steps.length);
    const [first] = steps;
    const schemas = new Set(steps.map(({ schema }) => canonical(schema)));
    if (schemas.size === 1) {
      return { literals: new Map(), groups: [{ value: this.#value(first?.schema), to: steps.map(({ to }) => to) }] };
    }
    const takers = new Map<string, { leaf: Leaf; to: Step['to'][] }>();
    for (const { schema, to } of steps) {
      for (const leaf of this.#leavesOf(schema)) {
        const taker = takers.get(leaf.key) ?? { leaf, to: [] };
        taker.to.push(to);
        takers.set(leaf.key, taker);
      }
    }
    this.#spend(takers.size);
    const byState = new Map<string, { leaves: Leaf[]; to: ObjectState }>();
    for (const { leaf, to } of takers.values()) {
      const group = byState.get(stateKey(to)) ?? { leaves: [], to };
      group.leaves.push(leaf);
      byState.set(stateKey(to), group);
    }
    return this.#divided([...byState.values()]);
  }

  /** Listed values are read together, wherever they lead. */
  #divided(groups: readonly { leaves: readonly Leaf[]; to: ObjectState }[]): Follow {
    const [only] = groups;
    if (groups.length === 1 && only !== undefined) {
      return { literals: new Map(), groups: [{ value: this.#union(only.leaves), to: only.to }] };
    }
    const literals = new Map<string, ObjectState>();
    for (const { leaves, to } of groups)
      for (const leaf of leaves) if (leaf.kind === 'literal') literals.set(leaf.text, to);
    const others = groups
      .map(({ leaves, to }) => ({ leaves: leaves.filter(({ kind }) => kind !== 'literal'), to }))
      .filter(({ leaves }) => leaves.length > 0);
    return { literals, groups: others.map(({ leaves, to }) => ({ value: this.#union(leaves), to })) };
  }
}
