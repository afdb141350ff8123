import { basePath } from './page-settings.ts';

const pauseMs = 5_000;
const longestMs = 10_000;

let isLost = false;
let checking: Promise<void> | null = null;
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
  if (checking !== null) return;
  checking = isServerThere().then((isThere) => {
    checking = null;
    report(!isThere);
  });
}

/** The same after the check that is in flight. */
export async function isConnectionLostNow(): Promise<boolean> {
  await checking;
  return isLost;
}

export const isServerThere = (): Promise<boolean> =>
  fetch(`${basePath()}/api/v1/auth/options`, { cache: 'no-store', signal: AbortSignal.timeout(longestMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
