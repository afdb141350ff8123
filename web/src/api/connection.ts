import { basePath } from './page-settings.ts';

const pauseMs = 5_000;
const longestMs = 10_000;

let isLost = false;
let isChecking = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Whether requests get no answer. A single one that failed is no proof: another one is sent first. */
export const isConnectionLost = (): boolean => isLost;

export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function report(isNowLost: boolean): void {
  clearTimeout(timer);
  if (isNowLost) timer = setTimeout(checkConnection, pauseMs);
  if (isNowLost === isLost) return;
  isLost = isNowLost;
  for (const listener of listeners) listener();
}

/** Called for every answer of the server. */
export function reportAnswer(): void {
  if (isLost) report(false);
}

/** Asks the server whether it is there; while it is not, again and again. */
export function checkConnection(): void {
  if (isChecking) return;
  isChecking = true;
  void isServerThere().then((isThere) => {
    isChecking = false;
    report(!isThere);
  });
}

export const isServerThere = (): Promise<boolean> =>
  fetch(`${basePath()}/api/v1/auth/options`, { cache: 'no-store', signal: AbortSignal.timeout(longestMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
