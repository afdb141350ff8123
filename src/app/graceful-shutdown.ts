import { setTimeout as sleep } from 'node:timers/promises';
import { isUnresponsive } from '#db';
import type { Log } from '#kernel';

/** How a process stops when its database may not answer. */
export type GracefulShutdown = {
  /** Calls have ended, or were told to: from now on nobody waits for a database that says nothing. */
  callsAreOver: () => void;
  /** Waits for the end of a part, unless the database says nothing to anybody. */
  stopPart: (stop: () => unknown) => () => Promise<void>;
  /** Of the parts that use the database all are over. */
  end: () => void;
};

export type GracefulShutdownOptions = {
  url: string;
  log: Pick<Log, 'warn'>;
  /** Other than by default in tests only. */
  times?: typeof defaultTimes;
};

/** An end in order takes less than the first pause. */
const defaultTimes = { pauseMs: 1_000, answerMs: 3_000, lastAnswerMs: 2_000 };

/**
 * Each part waits for its own statements, one part after the other; the queue of jobs has no bound at all. Where the database
 * says nothing to anybody that was for nothing, and whoever had asked for the end killed the process before its engines had
 * heard of it. What is not done is what a killed process leaves, too: others give back its holds and leases, and a charge
 * that is on its way is written once or not at all. A database that refuses, or that is slow, is waited for.
 */
export function createGracefulShutdown({ url, log, times = defaultTimes }: GracefulShutdownOptions): GracefulShutdown {
  const { pauseMs, answerMs, lastAnswerMs } = times;
  const calls = Promise.withResolvers<void>();
  const silence = Promise.withResolvers<void>();
  const ended = new AbortController();

  async function listen(): Promise<void> {
    do {
      do await sleep(pauseMs, undefined, { signal: ended.signal });
      while (!(await isUnresponsive(url, answerMs)));
      await calls.promise;
      // It may be back by then.
    } while (!(await isUnresponsive(url, lastAnswerMs)));
    if (ended.signal.aborted) return;
    log.warn({}, 'the database does not answer: this process ends without it');
    silence.resolve();
  }

  // It ends with a sleep that is aborted.
  void listen().catch(() => {});
  return {
    callsAreOver: calls.resolve,
    stopPart: (stop) => async () => void (await Promise.race([stop(), silence.promise])),
    end: () => ended.abort(),
  };
}
