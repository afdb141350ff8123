/**
 * The thread lease. llama.cpp's threads spin, so two models decoding at once on the same cores slow each other
 * down many times over. All engine children share one budget: only the member that holds the lease runs steps.
 *
 * States of a member: away (no work), waiting (first come, first served), holding, yielding (asked to give back after its step).
 *   away → holding        it wants, and nobody holds
 *   away → waiting        it wants, and somebody holds
 *   holding → yielding    its slice is over and others wait
 *   holding → away        it gives back, its work done
 *   yielding → waiting    it gives back and has work left
 *   yielding → away       it gives back and has none
 *   any → away            it died
 * A member alone keeps the lease until it has no work. Pure: time comes in, actions go out.
 */
export type LeaseAction<Member> = { type: 'grant' | 'yield'; member: Member };

export type Lease<Member> = {
  want: (member: Member, nowMs: number) => LeaseAction<Member>[];
  /** The holder gives the lease back; last in the queue again if it has work left. */
  back: (member: Member, hasWork: boolean, nowMs: number) => LeaseAction<Member>[];
  gone: (member: Member, nowMs: number) => LeaseAction<Member>[];
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

  return {
    want: (member, nowMs) => {
      if (holding?.member === member) return [];
      waiting.add(member);
      return holding === null ? pass(nowMs) : sliceOver(nowMs);
    },
    back: (member, hasWork, nowMs) => {
      if (holding?.member !== member) return [];
      if (hasWork) waiting.add(member);
      return pass(nowMs);
    },
    gone: (member, nowMs) => {
      waiting.delete(member);
      return holding?.member === member ? pass(nowMs) : [];
    },
    sliceOver,
    dueMs: () => (holding === null || holding.yielding || waiting.size === 0 ? null : holding.sinceMs + sliceMs),
    holder: () => holding?.member ?? null,
  };
}
