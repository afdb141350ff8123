const dayMs = 86_400_000;

const days = { never: null, day: 1, week: 7, month: 30, year: 365 } as const;

type Expiry = keyof typeof days;
export const expiries = ['never', 'day', 'week', 'month', 'year'] as const satisfies readonly Expiry[];
export const isExpiry = (value: string): value is Expiry => expiries.some((each) => each === value);

/** Null: without an end. */
export function expiryAt(expiry: Expiry, nowMs: number): string | null {
  const count = days[expiry];
  return count === null ? null : new Date(nowMs + count * dayMs).toISOString();
}
