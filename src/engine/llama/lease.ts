/**
 * The thread lease. llama.cpp's threads spin, so two models decoding at once on the same cores slow each other
 * down many times over. All engine children share one budget: only the member that holds the lease runs steps.
 *
 * States of a member: away (no work), waiting (first come, first served), holding, yielding (asked to give back after its step).
 *   away → holding        it wants, and nobody holds
 *   away → waiting        it wants, and somebody holds
 *   holding → yielding    its slice is over and others wait
 *   holding → away        it says it is idle
 *   yielding → waiting    it gives back and has work left
 *   yielding → away       it gives back and has none
 *   any → away            it died
 * A member alone keeps the lease until it is idle. Pure: time comes in, actions go out.
 */
export type LeaseAction<Member> = { type: 'grant' | 'yield'; member: Member };

export type Lease<Member> = {
  /** The member has work. Said by the parent when it sends work, or by the child. */
  want: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** The child says `want_step`: it gives back after a yield, or asks. */
  wantStep: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** The child says `idle`. */
  idle: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** The member died or was stopped. */
  gone: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** To be called at `dueMs`. */
  sliceOver: (nowMs: number) => LeaseAction<Member>[];
  /** When the holder's slice ends, if somebody waits for it; else null. */
  dueMs: () => number | null;
  holder: () => Member | null;
};

export function createLease<Member>(sliceMs: number): Lease<Member> {
  let holding: { member: Member; sinceMs: number; yielding: boolean } | null = null;
  const waiting = new Set<Member>();

  const pass = (nowMs: number): LeaseAction<Member>[] => {
    holding = null;
    for (const member of waiting) {
      waiting.delete(member);
      holding = { member, sinceMs: nowMs, yielding: false };
      return [{ type: 'grant', member }];
    }
    return [];
  };
  const sliceOver = (nowMs: number): LeaseAction<Member>[] => {
    if (holding === null || holding.yielding || waiting.size === 0) return [];
    if (nowMs < holding.sinceMs + sliceMs) return [];
    holding.yielding = true;
    return [{ type: 'yield', member: holding.member }];
  };
  const want = (member: Member, nowMs: number): LeaseAction<Member>[] => {
    if (holding?.member === member) return [];
    waiting.add(member);
    return holding === null ? pass(nowMs) : sliceOver(nowMs);
  };

  return {
    want,
    wantStep: (member, nowMs) => {
      // From a holder that was not asked to yield it is late: it crossed a grant that was sent ahead.
      if (holding?.member !== member || !holding.yielding) return want(member, nowMs);
      waiting.add(member);
      return pass(nowMs);
    },
    idle: (member, nowMs) => (holding?.member === member ? pass(nowMs) : []),
    gone: (member, nowMs) => {
      waiting.delete(member);
      return holding?.member === member ? pass(nowMs) : [];
    },
    sliceOver,
    dueMs: () => (holding === null || holding.yielding || waiting.size === 0 ? null : holding.sinceMs + sliceMs),
    holder: () => holding?.member ?? null,
  };
}
