import { isOver } from './job-state.ts';
import type { Job } from './training-queries.ts';

/** The cost so far; it is charged when the attempt ends. */
export function spentSoFar({ state, credits, active_ms, rate }: Job): string {
  const owed = (active_ms / 60_000) * Number(rate.credits_per_gpu_minute);
  return isOver(state) || owed <= Number(credits) ? credits : owed.toFixed(6);
}
