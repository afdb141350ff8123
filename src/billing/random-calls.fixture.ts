import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, newId } from '#kernel';
import { chargeFor } from './billing.fixture.ts';
import type { Billing } from './billing.ts';

/** What the caller of one request was told. */
export type Seen =
  | { outcome: 'paid'; requestId: string; micro: bigint }
  | { outcome: 'failed'; requestId: string }
  | { outcome: 'unknown'; requestId: string };

export type RandomCalls = { billing: Billing; accounts: readonly string[]; show: (seen: Seen) => void };

/** One client: calls of random size on random accounts, one after the other; most succeed, some fail, some are free. */
export async function callUntil(signal: AbortSignal, { billing, accounts, show }: RandomCalls): Promise<void> {
  while (!signal.aborted) {
    const seen = await callOnce(billing, accounts[below(accounts.length)] ?? '');
    if (seen) show(seen);
    else await sleep(10);
  }
}

async function callOnce(billing: Billing, accountId: string): Promise<Seen | null> {
  const requestId = newId('req');
  const heldMicro = 100n + BigInt(below(900));
  const isFree = below(10) === 0;
  try {
    if (!isFree) {
      const answer = await billing.hold({ requestId, accountId, micro: heldMicro });
      if (answer !== 'held') return { outcome: 'failed', requestId };
    }
    await sleep(below(8));
    if (!isFree && below(5) === 0) {
      await billing.release(requestId);
      return { outcome: 'failed', requestId };
    }
    const paid = isFree ? { rate: 0n, heldMicro: 0n } : { heldMicro };
    const { chargedMicro } = await billing.settle(chargeFor(accountId, { requestId, units: 1 + below(12), ...paid }));
    return { outcome: 'paid', requestId, micro: chargedMicro };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.fault === 'service_unavailable') await sleep(20);
    return { outcome: error.fault === 'ambiguous_transport' ? 'unknown' : 'failed', requestId };
  }
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}
