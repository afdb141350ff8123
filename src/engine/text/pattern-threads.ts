import type { CharSet } from './char-class.ts';
import { all, type Border, mayEndAt, type Place, type Spend, spreadPlaces } from './pattern-places.ts';

/** What the rest of a text must come to, beside the pattern. Equal keys: the same. */
export type Duty = { key: string } & (
  | { kind: 'length'; min: number; max: number | null }
  /** To match from these places, or not to. */
  | { kind: 'look'; places: readonly number[]; negative: boolean }
);

/** A text can be at any of these places, if it fulfils all duties. */
export type Thread = { duties: readonly Duty[]; places: readonly number[] };

type From = { places: readonly Place[]; spend: Spend };

export function threadsKey(threads: readonly Thread[]): string {
  return threads.map((thread) => `${dutiesKey(thread.duties)}:${thread.places.join()}`).join(';');
}

/** The same without steps that need no character, those with equal duties as one; in order. */
export function spreadThreads(from: From, reached: readonly Thread[], border: Border = {}): Thread[] {
  const alone = onlyThread(from, reached, border);
  if (alone !== null) return alone;
  const byDuties = new Map<string, { duties: readonly Duty[]; places: Set<number> }>();
  const open = [...reached];
  const seen = new Set<string>();
  for (let thread = open.pop(); thread !== undefined; thread = open.pop()) {
    const { duties } = thread;
    const key = dutiesKey(duties);
    from.spend(1 + key.length / 10);
    const known = byDuties.get(key) ?? { duties, places: new Set<number>() };
    byDuties.set(key, known);
    for (const at of spreadPlaces(from, thread.places, border)) {
      const place = from.places[at];
      if (place === undefined || !('look' in place)) {
        known.places.add(at);
        continue;
      }
      if (seen.has(`${key}:${at}`)) continue;
      seen.add(`${key}:${at}`);
      const looked = spreadPlaces(from, [place.look], border);
      const more = withDuty(duties, lookDuty(looked, place.negative));
      if (more !== null) open.push({ duties: more, places: [place.to] });
    }
  }
  const threads = [...byDuties.entries()].filter(([, { places }]) => places.size > 0);
  const free = byDuties.get('');
  if (free?.places.has(all)) return [{ duties: [], places: [all] }];
  return threads
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([, { duties, places }]) => ({
      duties,
      places: places.has(all) ? [all] : [...places].sort((a, b) => a - b),
    }));
}

/** Most patterns look nowhere ahead. */
function onlyThread(from: From, reached: readonly Thread[], border: Border): Thread[] | null {
  const [only] = reached;
  if (reached.length !== 1 || only === undefined) return null;
  const places = spreadPlaces(from, only.places, border);
  if (places.some((at) => 'look' in (from.places[at] ?? {}))) return null;
  return places.length === 0 ? [] : [{ duties: only.duties, places }];
}

/** What is left of a thread behind one character of just these of the sets; null: nothing. */
export function threadAfter(from: From, { duties, places }: Thread, taken: ReadonlySet<CharSet>): Thread | null {
  const to = placesAfter(from, places, taken);
  if (to.length === 0) return null;
  let left: readonly Duty[] | null = [];
  for (const duty of duties) {
    const next = dutyAfter(from, duty, taken);
    left = next === null ? null : withDuty(left, next);
    if (left === null) return null;
  }
  return { duties: left, places: to };
}

export function mayEndThread(from: From, { duties, places }: Thread): boolean {
  return (
    mayEndAt(from, places) &&
    duties.every((duty) => (duty.kind === 'length' ? duty.min === 0 : mayEndAt(from, duty.places) !== duty.negative))
  );
}

/** All sets of characters that tell something. */
export function setsOf(from: From, threads: readonly Thread[]): CharSet[] {
  const sets = new Set<CharSet>();
  for (const { duties, places } of threads) {
    const looked = duties.flatMap((duty) => (duty.kind === 'look' ? duty.places : []));
    for (const at of [...places, ...looked]) {
      const place = from.places[at];
      if (place !== undefined && 'set' in place) sets.add(place.set);
    }
  }
  return [...sets];
}

function placesAfter(from: From, places: readonly number[], taken: ReadonlySet<CharSet>): number[] {
  from.spend(places.length);
  return places.flatMap((at) => {
    const place = from.places[at];
    return place !== undefined && 'set' in place && taken.has(place.set) ? [place.to] : [];
  });
}

/** null: it can no longer be fulfilled. */
function dutyAfter(from: From, duty: Duty, taken: ReadonlySet<CharSet>): Duty | null {
  if (duty.kind === 'look') return lookDuty(spreadPlaces(from, placesAfter(from, duty.places, taken)), duty.negative);
  return duty.max === 0 ? null : lengthDuty([Math.max(0, duty.min - 1), duty.max === null ? null : duty.max - 1]);
}

/** null: they cannot be fulfilled. What is fulfilled already is no duty. */
function withDuty(duties: readonly Duty[], duty: Duty): readonly Duty[] | null {
  if (duty.kind === 'look') {
    if (duty.places.includes(all)) return duty.negative ? null : duties;
    if (duty.places.length === 0) return duty.negative ? duties : null;
  } else if (duty.min === 0 && duty.max === null) return duties;
  if (duties.some(({ key }) => key === duty.key)) return duties;
  return [...duties, duty].sort((first, second) => (first.key < second.key ? -1 : 1));
}

export function lengthDuty([min, max]: readonly [number, number | null]): Duty {
  return { key: `${min}-${max}`, kind: 'length', min, max };
}

function lookDuty(places: readonly number[], negative: boolean): Duty {
  return { key: `${negative ? '!' : '='}${places.join()}`, kind: 'look', places, negative };
}

function dutiesKey(duties: readonly Duty[]): string {
  return duties.map(({ key }) => key).join('&');
}
