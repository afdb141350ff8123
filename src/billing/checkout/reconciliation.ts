import { repeat } from '../repeat.ts';
import { claimDueChecks } from './checkouts.store.ts';
import { type CheckoutDeps, check } from './checkouts.ts';

/** Asks the provider about checkouts under way, for what its messages should have told and did not. */
export type Reconciliation = { start: () => void; stop: () => Promise<void> };

export type ReconciliationTiming = { pauseMs: number; askAgainMs: number };

const defaultTiming: ReconciliationTiming = { pauseMs: 60_000, askAgainMs: 5 * 60_000 };
const atOnce = 20;

export function createReconciliation(deps: CheckoutDeps, timing: ReconciliationTiming = defaultTiming): Reconciliation {
  const { provider, log } = deps;
  let end: (() => Promise<void>) | null = null;
  let stopping = false;

  async function work(): Promise<void> {
    try {
      const due = await claimDueChecks(deps.database, { pauseMs: timing.askAgainMs, limit: atOnce });
      for (const checkout of due) if (provider && !stopping) await check(deps, provider, checkout);
    } catch (error) {
      log?.warn({ err: error }, 'checkouts under way could not be found');
    }
  }

  return {
    start() {
      if (!provider || end) return;
      stopping = false;
      end = repeat(timing.pauseMs, work);
    },
    async stop() {
      stopping = true;
      await end?.();
      end = null;
    },
  };
}
