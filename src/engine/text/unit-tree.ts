import { anyOf, type Expression, sequence } from './gbnf.ts';

/** A text as what follows each other in it: digits such as `[3]` or `[2-7]`, a point, or any other expression. */
export type Units = readonly Expression[];

/**
 * Any of the texts, as a tree: what several begin with is there once, so that llama.cpp has one way to follow and not one for each. It looks
 * through its vocabulary once for each way.
 */
export function unitTree(texts: readonly Units[]): Expression {
  const groups = new Map<Expression | undefined, Units[]>();
  for (const text of texts) {
    const [first] = text;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [text]);
    else group.push(text);
  }
  return anyOf([...groups.values()].map(branch));
}

/** Texts that begin alike. */
function branch(texts: readonly Units[]): Expression {
  const [text = []] = texts;
  let common = 0;
  while (common < text.length && texts.every((other) => other[common] === text[common])) common += 1;
  const begun = repetitionsCounted(text.slice(0, common));
  const isWhole = texts.every(({ length }) => length === common);
  return isWhole ? begun : sequence(begun, unitTree(texts.map((each) => each.slice(common))));
}

/** Runs of equal units, counted. */
function repetitionsCounted(units: Units): Expression {
  const parts: { unit: Expression; count: number }[] = [];
  for (const unit of units) {
    const previous = parts.at(-1);
    if (previous?.unit === unit) previous.count += 1;
    else parts.push({ unit, count: 1 });
  }
  return sequence(...parts.map(({ unit, count }) => (count === 1 ? unit : `${unit}{${count}}`)));
}
