/**
 * The sequences of one context and what their key-value cells hold. A finished request leaves its cells behind; a
 * later request of the same scope that begins with the same tokens takes them over. Scopes never meet. Pure.
 */
export type Slot = {
  readonly id: number;
  /** Known tokens of the sequence, `length` of them; the first `fed` are in cells. */
  readonly tokens: Uint32Array;
  length: number;
  fed: number;
  /** Whose cells these are; null: empty. */
  scope: string | null;
  /** A request holds the slot. */
  busy: boolean;
  /** Counts up with each use; the smallest is the least recently used. */
  usedAt: number;
};

export type Placement = {
  slot: Slot;
  /** Tokens whose cells stay. */
  keep: number;
  /** Copy the cells of this sequence into the slot first. */
  copyFrom: number | null;
};

/**
 * Copying moves a whole sequence's cells (about as long as evaluating a few dozen tokens), so it must save more than that.
 */
const leastTokensToCopy = 64;

export function createSlots(count: number, contextTokens: number): Slot[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    tokens: new Uint32Array(contextTokens),
    length: 0,
    fed: 0,
    scope: null,
    busy: false,
    usedAt: 0,
  }));
}

/** Tokens of the prompt that the slot's cells already hold, if they are of this scope. The last prompt token never counts: its output is needed. */
export function sharedPrefix(slot: Slot, scope: string, prompt: Uint32Array): number {
  if (slot.scope !== scope) return 0;
  const most = Math.min(slot.fed, prompt.length - 1);
  let shared = 0;
  while (shared < most && slot.tokens[shared] === prompt[shared]) shared += 1;
  return shared;
}

/**
 * Chooses a free slot, or null. llama.cpp splits a batch where sequence ids leave a gap, so busy ids stay one
 * run: holes inside it are filled first, then its ends grow. Where nothing runs any place will do. A cached prefix
 * elsewhere is copied into the run when that saves enough.
 */
export function place(slots: readonly Slot[], scope: string, prompt: Uint32Array): Placement | null {
  const free = slots.filter((slot) => !slot.busy);
  if (free.length === 0) return null;
  let best: { slot: Slot; keep: number } | null = null;
  for (const slot of free) {
    const keep = sharedPrefix(slot, scope, prompt);
    if (keep > (best?.keep ?? 0)) best = { slot, keep };
  }
  const near = besideTheBusy(slots, free);
  if (best !== null && near.includes(best.slot)) return { ...best, copyFrom: null };
  const slot = leastWorth(near);
  if (best !== null && best.keep >= leastTokensToCopy) return { slot, keep: best.keep, copyFrom: best.slot.id };
  return { slot, keep: sharedPrefix(slot, scope, prompt), copyFrom: null };
}

/** The lowest free slot with busy ones on both sides. */
export function firstHole(slots: readonly Slot[]): Slot | null {
  const first = slots.findIndex((slot) => slot.busy);
  const last = slots.findLastIndex((slot) => slot.busy);
  return slots.find((slot) => slot.id > first && slot.id < last && !slot.busy) ?? null;
}

/** The free slots that keep the busy ids one run, or bring them nearer to one. */
function besideTheBusy(slots: readonly Slot[], free: readonly Slot[]): readonly Slot[] {
  const busy = slots.filter((slot) => slot.busy).map((slot) => slot.id);
  if (busy.length === 0) return free;
  const first = Math.min(...busy);
  const last = Math.max(...busy);
  const holes = free.filter((slot) => slot.id > first && slot.id < last);
  return holes.length > 0 ? holes : free.filter((slot) => slot.id === first - 1 || slot.id === last + 1);
}

/** Empty ones first, then the least recently used, then the lowest id. */
function leastWorth(slots: readonly Slot[]): Slot {
  const [slot] = slots.toSorted(
    (a, b) => Number(a.scope !== null) - Number(b.scope !== null) || a.usedAt - b.usedAt || a.id - b.id,
  );
  if (slot === undefined) throw new Error('A run of busy sequences has no free neighbour. This is a bug.');
  return slot;
}
