/**
 * The sequences of one context and what their key-value cells hold. A finished request leaves its cells behind; a
 * later request of the same scope that begins with the same tokens takes them over. Scopes never meet. Pure.
 */
export type Slot = {
  readonly id: number;
  /** Known tokens of the sequence, `length` of them; the first `fed` are in cells. */
  readonly tokens: Uint32Array;
  length: number;
  /** So many of the tokens were the prompt of the latest request; what follows was generated. */
  promptTokens: number;
  fed: number;
  scope: string | null;
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
 * Copying moves a whole sequence's cells (about as long as evaluating a few dozen tokens), so it must save at least
 * this. Fewer cached tokens than this are no great loss either.
 */
const leastTokensToCopy = 64;

export function createSlots(count: number, contextTokens: number): Slot[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    tokens: new Uint32Array(contextTokens),
    length: 0,
    promptTokens: 0,
    fed: 0,
    scope: null,
    busy: false,
    usedAt: 0,
  }));
}

/** Tokens of the prompt that the slot's cells already hold, if they are of this scope. The last prompt token never counts: its output is needed. */
function sharedPrefix(slot: Slot, scope: string, prompt: Uint32Array): number {
  if (slot.scope !== scope) return 0;
  const most = Math.min(slot.fed, prompt.length - 1);
  let shared = 0;
  while (shared < most && slot.tokens[shared] === prompt[shared]) shared += 1;
  return shared;
}

/**
 * Chooses a free slot; there must be one. llama.cpp splits a batch where sequence ids leave a gap, so busy ids stay one
 * run: holes inside it are filled first, then its ends grow. Where nothing runs any place will do. There the request
 * goes on in the slot with its longest prefix if that is the same conversation, which loses nothing of worth. Any other
 * one stays cached while there are slots of less worth, and a long prefix elsewhere is copied.
 */
export function place(slots: readonly Slot[], scope: string, prompt: Uint32Array): Placement {
  const free = slots.filter((slot) => !slot.busy);
  const near = besideTheBusy(slots, free);
  const source = longestPrefix(free, scope, prompt);
  const home = longestPrefix(near, scope, prompt);
  const slot = home.lost < Math.min(home.keep, leastTokensToCopy) ? home.slot : leastWorth(near);
  const keep = sharedPrefix(slot, scope, prompt);
  if (source.keep - keep >= leastTokensToCopy) return { slot, keep: source.keep, copyFrom: source.slot.id };
  return { slot, keep, copyFrom: null };
}

/**
 * Of equal ones the slot that loses least. What was generated is no loss: a next turn goes without the reasoning in it,
 * and so without all that follows.
 */
function longestPrefix(slots: readonly Slot[], scope: string, prompt: Uint32Array) {
  const candidates = slots.map((slot) => {
    const keep = sharedPrefix(slot, scope, prompt);
    return { slot, keep, lost: Math.max(0, Math.min(slot.fed, slot.promptTokens) - keep) };
  });
  return leading(candidates, (a, b) => b.keep - a.keep || a.lost - b.lost);
}

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

function leastWorth(slots: readonly Slot[]): Slot {
  return leading(
    slots,
    (a, b) => Number(a.scope !== null) - Number(b.scope !== null) || a.usedAt - b.usedAt || a.id - b.id,
  );
}

function leading<Item>(items: readonly Item[], order: (a: Item, b: Item) => number): Item {
  const [first] = items.toSorted(order);
  if (first === undefined) throw new Error('No sequence is free beside the busy ones. This is a bug.');
  return first;
}
