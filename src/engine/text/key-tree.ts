import { anyOf, commonBeginning, type Expression, literal, sequence } from './gbnf.ts';
import { leavingOut, type ObjectState, stateKey } from './object-state.ts';
import type { Follow, Moves } from './schema-ways.ts';

/** A key as it is written, and what may follow it. */
type Key = { id: string; text: string; follow: Follow };

/** Optional members that are left out one by one: a draw looks through the vocabulary once for each of them. */
const mostInRow = 16;

/**
 * The keys that are read together at a state, and the state that has the others. Of a long row of optional members each could come next: from every
 * sixteenth on all that are left are read together. From every one on, the grammar of a wide object would be too large.
 */
export function createKeysOf(
  movesOf: (state: ObjectState) => Moves,
): (state: ObjectState) => { keys: Key[]; rest: ObjectState | null } {
  const rows = new Map<string, number>();
  const row = (state: ObjectState): number => {
    const passed: string[] = [];
    let at: ObjectState | null = state;
    while (at !== null && !rows.has(stateKey(at))) {
      passed.push(stateKey(at));
      at = leavingOut(at)?.to ?? null;
    }
    const known = at === null ? -1 : (rows.get(stateKey(at)) ?? 0);
    for (const [place, key] of passed.reverse().entries()) rows.set(key, known + 1 + place);
    return known + passed.length;
  };
  return (state) => {
    const inRow = row(state);
    const count = inRow > 0 && inRow % mostInRow === 0 ? inRow : 1;
    const keys: Key[] = [];
    let at: ObjectState | null = state;
    for (let read = 0; read < count && at !== null; read += 1) {
      const { named, rest }: Moves = movesOf(at);
      const id = stateKey(at);
      for (const [name, follow] of named) keys.push({ id: `${id} ${name}`, text: `${JSON.stringify(name)}:`, follow });
      at = rest;
    }
    return { keys, rest: at };
  };
}

/** Alternatives for any of the keys and what follows it, as a tree. `rule`: the same one for the same key. `member`: the rest of a key, and what follows it. */
export function keyTree(
  keys: readonly Key[],
  rules: {
    rule: (key: string, body: () => string) => Expression;
    member: (text: string, follow: Follow) => Expression;
  },
  read = 0,
): Expression[] {
  const groups = Map.groupBy(keys, ({ text }) => text.codePointAt(read));
  return [...groups.values()].map((group) => {
    const [{ id, text, follow }, ...others] = group as [Key, ...Key[]];
    if (others.length === 0) return rules.member(text.slice(read), follow);
    const common = others.reduce((begun, other) => commonBeginning(begun, other.text), text);
    // Which keys these are follows from the first one: all behind it that begin so.
    const branches = rules.rule(`${id} ${common}`, () => anyOf(keyTree(group, rules, common.length)));
    return sequence(literal(common.slice(read)), branches);
  });
}
