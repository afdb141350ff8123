import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Waits until the day of UTC has turned where it is about to, for tests that compare days or count by them. */
export const awayFromMidnight = (forMs = 120_000) => awayFromTurn(dayMs, forMs);

/** The same for tests that count by hours; most of them take a second. */
export const awayFromNextHour = (forMs = 45_000) => awayFromTurn(hourMs, forMs);

async function awayFromTurn(periodMs: number, forMs: number): Promise<void> {
  const leftMs = periodMs - (Date.now() % periodMs);
  if (leftMs < forMs) await sleep(leftMs + 100);
}
