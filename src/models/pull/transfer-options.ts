import { ModelError } from '../model-error.ts';
import type { DownloadOptions } from './download.ts';
import type { TransferProgress } from './transfer-meter.ts';

/** How to reach a hub, and whom to report to. */
export type HubAccess = {
  /** Base address of the hub. Default `https://huggingface.co`. */
  endpoint?: string | undefined;
  token?: string | null | undefined;
  /** Ends the transfer; what was fetched stays for the next pull. */
  signal: AbortSignal;
  onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** One line for the person who waits: retries and doubts about the file. */
  onNote?: ((line: string) => void) | undefined;
  /** Waits between attempts, ms. Default: three retries, after 1, 4 and 16 s. */
  retryDelaysMs?: readonly number[] | undefined;
  /** Silence that ends an attempt, ms. Default 30 s. */
  stallMs?: number | undefined;
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
};

export type TransferOptions = Omit<DownloadOptions, 'repo' | 'commit' | 'file' | 'path' | 'whole'>;

export function transferOptions({ endpoint, token = null, stallMs = 30_000, ...options }: HubAccess): TransferOptions {
  return {
    hub: { endpoint: hubAddress(endpoint), token, stallMs },
    signal: options.signal,
    onProgress: options.onProgress ?? (() => {}),
    onNote: options.onNote ?? (() => {}),
    retryDelaysMs: options.retryDelaysMs ?? [1_000, 4_000, 16_000],
    freeBytes: options.freeBytes,
  };
}

/** Throws `ModelError` for what is no address. */
export function hubAddress(endpoint: string | undefined): string {
  const address = endpoint ?? 'https://huggingface.co';
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ModelError(`${JSON.stringify(address)} is not the address of a hub.`);
  }
  return address.replace(/\/+$/, '');
}

/** The error of a pull; where the person stopped it, one that says that it can go on. */
export function stoppedOr(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted) return error;
  return new ModelError('Stopped. What was fetched stays, and the next pull goes on from there.', { cause: error });
}
