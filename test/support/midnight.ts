import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;

/** Waits until the day of UTC has turned where it is about to, for tests that compare days or count by them. */
export async function awayFromMidnight(forMs = 120_000): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < forMs) await sleep(leftMs + 100);
}
