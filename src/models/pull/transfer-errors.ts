import { setTimeout as sleep } from 'node:timers/promises';
import { isStorageFull } from '#kernel';
import { ModelError } from '../model-error.ts';
import { type HubOptions, HubRefusal, TransferError } from './hub-client.ts';

/** An attempt that got this far was no failure of the same kind as the last: the count of attempts starts again. */
const progressBytes = 1 << 20;

export type RetryOptions = {
  retryDelaysMs: readonly number[];
  onNote: (line: string) => void;
  signal: AbortSignal;
};

/** Tries again after broken transfers; when `bytes` has grown by much, the count of attempts starts again. */
export async function withRetries<T>(
  retryOptions: RetryOptions,
  bytes: () => number,
  run: () => Promise<T>,
): Promise<T> {
  let failures = 0;
  for (;;) {
    const before = bytes();
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      if (bytes() - before >= progressBytes) failures = 0;
      const delayMs = retryOptions.retryDelaysMs[failures];
      if (delayMs === undefined) throw error;
      failures++;
      const waitMs = Math.max(delayMs, error.retryAfterMs ?? 0);
      retryOptions.onNote(`${capitalized(error.message)}; trying again in ${Math.ceil(waitMs / 1000)} s.`);
      await sleep(waitMs, undefined, { signal: retryOptions.signal });
    }
  }
}

/** Turns errors of the hub into errors of one line for the person who waits. */
export async function withModelErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HubRefusal) throw new ModelError(capitalized(error.message), { cause: error });
    if (error instanceof TransferError) {
      const then = 'What has arrived stays, and the next pull goes on from there.';
      throw new ModelError(`${capitalized(error.message)}. ${then}`, { cause: error });
    }
    if (isStorageFull(error)) throw new ModelError('The disk is full.', { cause: error });
    throw error;
  }
}

/** Throws for every status but 200: `TransferError` where another attempt may help, else `HubRefusal`. */
export function checkStatus(
  { status, retryAfterMs }: { status: number; retryAfterMs: number | null },
  { hub, name, revision }: { hub: HubOptions; name: string; revision: string },
): void {
  if (status === 200) return;
  const host = new URL(hub.endpoint).host;
  if (status === 401 || status === 403) {
    const token = hub.token ? 'the access token does not open it' : 'it needs an access token (HF_TOKEN)';
    throw new HubRefusal(`${host} refuses ${name}: ${token}.`);
  }
  if (status === 404) throw new HubRefusal(`${host} has no file ${name} at revision ${revision}.`);
  if (status === 408 || status === 429 || status >= 500) {
    throw new TransferError(`${host} answered ${status}`, { retryAfterMs });
  }
  throw new HubRefusal(`${host} answered ${status} for ${name}.`);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
