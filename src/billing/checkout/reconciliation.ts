import { createIntervalTask, type IntervalTask } from '#kernel';
import { claimDueChecks } from './checkouts.store.ts';
import { type CheckoutDeps, check } from './checkouts.ts';

/** Asks the provider about checkouts in flight, for what its messages should have told and did not. */
export type Reconciliation = IntervalTask;

export type ReconciliationTiming = { pauseMs: number; askAgainMs: number };

const defaultTiming: ReconciliationTiming = { pauseMs: 60_000, askAgainMs: 5 * 60_000 };
const atOnce = 20;

export function createReconciliation(deps: CheckoutDeps, timing: ReconciliationTiming = defaultTiming): Reconciliation {
  const { provider, log } = deps;
  let stopping = false;

  async function work(): Promise<void> {
    const due = await claimDueChecks(deps.database, { pauseMs: timing.askAgainMs, limit: atOnce });
    for (const checkout of due) if (provider && !stopping) await check(deps, provider, checkout);
  }

  const task = createIntervalTask({
    pauseMs: timing.pauseMs,
    first: 'at once',
    work,
    onError: (error) => log?.warn({ err: error }, 'checkouts in flight could not be found'),
  });

  return {
    start() {
      if (!provider) return;
      stopping = false;
      task.start();
    },
    async stop() {
      stopping = true;
      await task.stop();
    },
  };
}
