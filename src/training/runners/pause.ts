import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so long, or throws the reason of a signal that is aborted meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
