import { Fault } from '#kernel';
import type { Grammar } from './gbnf.ts';
import { withoutAnnotations } from './schema-annotations.ts';
import { createLeavesOf, type Help } from './schema-leaves.ts';
import { Unsatisfiable } from './schema-merge.ts';
import { asFault, type Places } from './schema-places.ts';

/** The texts that a schema lists, whatever stands beside them; none where it allows anything else. */
export function listedTexts(grammar: Grammar, schema: unknown, help: Help): string[] {
  const places: Places = new WeakMap();
  try {
    const leavesOf = () => createLeavesOf(grammar, { ...help, places })(withoutAnnotations(schema, places));
    const leaves = grammar.trial(() => grammar.within(1 / 2, leavesOf));
    const values = leaves.map((leaf): unknown => (leaf.kind === 'literal' ? JSON.parse(leaf.text) : null));
    const texts = values.filter((value) => typeof value === 'string');
    return texts.length === values.length ? texts : [];
  } catch (error) {
    if (error instanceof Unsatisfiable || asFault(error) instanceof Fault) return [];
    throw error;
  }
}
