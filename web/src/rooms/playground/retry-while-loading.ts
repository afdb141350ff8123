import { isProblem } from '../../api/problem.ts';

/** After the first attempt. */
export const maxRetries = 3;

export type Waiting = { retry: number; secondsLeft: number };

/**
 * Retries a request only while its model is starting, which the server says before any frame: at most three times,
 * each after its Retry-After.
 */
export async function retryWhileLoading<Result>(
  send: (retry: number) => Promise<Result>,
  { signal, onWait }: { signal: AbortSignal; onWait: (waiting: Waiting | null) => void },
): Promise<Result> {
  for (let retry = 0; ; retry++) {
    try {
      return await send(retry);
    } catch (error) {
      if (!isProblem(error, 'model_warming') || error.retryAfterS === null || retry >= maxRetries) throw error;
      await countDown(error.retryAfterS, signal, (secondsLeft) => onWait({ retry: retry + 1, secondsLeft }));
      onWait(null);
    }
  }
}

async function countDown(seconds: number, signal: AbortSignal, tell: (secondsLeft: number) => void): Promise<void> {
  for (let left = Math.ceil(seconds); left > 0; left--) {
    tell(left);
    await pause(1_000, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
