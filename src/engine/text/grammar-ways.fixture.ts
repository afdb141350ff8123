/** A place in an alternative of a rule, and what is behind the rule; null: the end. */
type Stack = { id: number; alternative: Alternative; at: number; below: Stack | null } | null;
type Element = { ranges: [number, number][]; negated: boolean } | { rule: string };
type Alternative = { id: number; elements: Element[] };

export type Ways = ReadonlySet<Stack>;

/** Follows a text through a grammar as llama.cpp does: all ways side by side, each as a stack of places. */
export type Follower = { start: Ways; after: (ways: Ways, text: string) => Ways };

export function createFollower(gbnf: string): Follower {
  const rules = readRules(gbnf);
  const known = new Map<string, Stack>();
  const push = (alternative: Alternative, at: number, below: Stack): Stack => {
    if (at === alternative.elements.length) return below;
    const key = `${alternative.id}.${at}.${below?.id ?? 0}`;
    const stack = known.get(key) ?? { id: known.size + 1, alternative, at, below };
    known.set(key, stack);
    return stack;
  };
  const spread = (into: Set<Stack>, first: Stack): void => {
    const seen = new Set<Stack>();
    const open = [first];
    for (let stack = open.pop(); stack !== undefined; stack = open.pop()) {
      if (seen.has(stack)) continue;
      seen.add(stack);
      const element = stack?.alternative.elements[stack.at];
      if (stack === null || element === undefined || !('rule' in element)) into.add(stack);
      else {
        const below = push(stack.alternative, stack.at + 1, stack.below);
        for (const each of rules.get(element.rule) ?? []) open.push(push(each, 0, below));
      }
    }
  };
  const start = new Set<Stack>();
  for (const each of rules.get('root') ?? []) spread(start, push(each, 0, null));
  const afterChar = (ways: Ways, code: number): Ways => {
    const next = new Set<Stack>();
    for (const stack of ways) {
      const element = stack?.alternative.elements[stack.at];
      if (stack === null || element === undefined || 'rule' in element) continue;
      const isIn = element.ranges.some(([low, high]) => low <= code && code <= high);
      if (isIn !== element.negated) spread(next, push(stack.alternative, stack.at + 1, stack.below));
    }
    return next;
  };
  return {
    start,
    after: (ways, text) => [...text].reduce((at, char) => afterChar(at, char.codePointAt(0) ?? 0), ways),
  };
}

function readRules(gbnf: string): Map<string, Alternative[]> {
  const rules = new Map<string, Alternative[]>();
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const define = (name: string, alternatives: Element[][]): Element[] => {
    rules.set(
      name,
      alternatives.map((elements) => ({ id: next(), elements })),
    );
    return [{ rule: name }];
  };
  const repeated = (name: string, unit: Element[], [min, max]: [number, number | null]): Element[] => {
    const all = Array.from({ length: min }, () => unit).flat();
    if (max === null) return [...all, ...define(name, [[...unit, { rule: name }], []])];
    let rest: Element[] = [];
    for (let left = 1; left <= max - min; left += 1) rest = define(`${name}.${left}`, [[...unit, ...rest], []]);
    return [...all, ...rest];
  };
  for (const line of gbnf.split('\n')) {
    const [name = '', body = ''] = line.split(/ ::= (.*)/);
    const parts = body.match(/"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[A-Za-z][\w-]*|\{[\d,]+\}|[()|?*+]/g) ?? [];
    const alternatives = (): Element[][] => {
      const found: Element[][] = [[]];
      let last: Element[] = [];
      for (let part = parts.shift(); part !== undefined && part !== ')'; part = parts.shift()) {
        const range = rangeOf(part);
        if (part === '|') found.push([]);
        else if (range === null) {
          last = part === '(' ? define(`${name}/${next()}`, alternatives()) : elementsOf(part);
          found.at(-1)?.push(...last);
        } else {
          found.at(-1)?.splice(-last.length, last.length, ...repeated(`${name}/${next()}`, last, range));
        }
        if (part === '|' || range !== null) last = [];
      }
      return found;
    };
    if (name !== '') define(name, alternatives());
  }
  return rules;
}

function rangeOf(part: string): [number, number | null] | null {
  const simple: Record<string, [number, number | null]> = { '?': [0, 1], '*': [0, null], '+': [1, null] };
  const counted = /^\{(\d+)(,(\d*))?\}$/.exec(part);
  if (counted === null) return simple[part] ?? null;
  const min = Number(counted[1]);
  return [min, counted[2] === undefined ? min : counted[3] === '' ? null : Number(counted[3])];
}

function elementsOf(part: string): Element[] {
  if (part.startsWith('"')) {
    return charsOf(part.slice(1, -1)).map(({ code }) => ({ ranges: [[code, code]], negated: false }));
  }
  if (!part.startsWith('[')) return [{ rule: part }];
  const negated = part.startsWith('[^');
  const chars = charsOf(part.slice(negated ? 2 : 1, -1));
  const ranges: [number, number][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const [low, dash, high] = chars.slice(at, at + 3).map((char) => char);
    if (low === undefined) break;
    const isRange = dash?.plain === '-' && high !== undefined;
    ranges.push([low.code, isRange ? high.code : low.code]);
    if (isRange) at += 2;
  }
  return [{ ranges, negated }];
}

function charsOf(text: string): { code: number; plain: string }[] {
  const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };
  const units = text.match(/\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]/gu) ?? [];
  return units.map((unit) => {
    if (!unit.startsWith('\\')) return { code: unit.codePointAt(0) ?? 0, plain: unit };
    const coded = /^\\[xuU](.+)$/.exec(unit)?.[1];
    const sign = unit.slice(1);
    return {
      code: coded === undefined ? ((escapes[sign] ?? sign).codePointAt(0) ?? 0) : Number.parseInt(coded, 16),
      plain: '',
    };
  });
}
