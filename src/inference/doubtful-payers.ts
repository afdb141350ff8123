import type { Clock } from '#kernel';

/**
 * Accounts that had too few credits for a call a moment ago. Their next calls are held for before the prompt is
 * prepared, so that they take no place with the model from those who can pay; everybody else's calls do both at once.
 * In memory only: it decides the order of the two steps, never the outcome of a call.
 */
export type DoubtfulPayers = {
  has: (accountId: string) => boolean;
  /** The account had too few. */
  note: (accountId: string) => void;
};

const doubtMs = 10_000;
const mostAccounts = 10_000;

export function createDoubtfulPayers(clock: Clock): DoubtfulPayers {
  // In the order of their ends.
  const doubtful = new Map<string, number>();

  return {
    has: (accountId) => doubtful.size > 0 && (doubtful.get(accountId) ?? 0) > clock.monotonicMs(),
    note(accountId) {
      const nowMs = clock.monotonicMs();
      doubtful.delete(accountId);
      doubtful.set(accountId, nowMs + doubtMs);
      for (const [id, untilMs] of doubtful) {
        if (untilMs > nowMs && doubtful.size <= mostAccounts) return;
        doubtful.delete(id);
      }
    },
  };
}
