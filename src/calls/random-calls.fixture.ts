import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, newId } from '#kernel';
import { chargeFor, type TestServer } from '#test/money.ts';

/** What the caller of one request was told. */
export type Seen =
  | { outcome: 'paid'; requestId: string; micro: bigint }
  | { outcome: 'failed'; requestId: string }
  | { outcome: 'unknown'; requestId: string };

export type RandomCalls = { server: TestServer; accounts: readonly string[]; show: (seen: Seen) => void };

/** One client: calls of random size on random accounts, one after the other; most succeed, some fail, some are free. */
export async function callUntil(signal: AbortSignal, { server, accounts, show }: RandomCalls): Promise<void> {
  while (!signal.aborted) {
    const seen = await callOnce(server, accounts[below(accounts.length)] ?? '');
    if (seen) show(seen);
    else await sleep(10);
  }
}

async function callOnce(server: TestServer, accountId: string): Promise<Seen | null> {
  const requestId = newId('req');
  const heldMicro = 100n + BigInt(below(900));
  const isFree = below(10) === 0;
  try {
    const begun = await server.begin({ requestId, accountId, heldMicro: isFree ? 0n : heldMicro });
    if (begun !== 'begun') return { outcome: 'failed', requestId };
    await sleep(below(8));
    if (!isFree && below(5) === 0) {
      await server.void(requestId);
      return { outcome: 'failed', requestId };
    }
    const paid = isFree ? { rate: 0n, heldMicro: 0n } : { heldMicro };
    const micro = await server.end(chargeFor(accountId, { requestId, units: 1 + below(12), ...paid }));
    return { outcome: 'paid', requestId, micro };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.fault === 'service_unavailable') await sleep(20);
    return { outcome: error.fault === 'ambiguous_transport' ? 'unknown' : 'failed', requestId };
  }
}

function below(bound: number): number {
  return Math.floor(Math.random() * bound);
}
