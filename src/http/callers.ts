import type { FastifyReply } from 'fastify';
import { Fault, fault } from '#kernel';

/**
 * Why a call should stop: the connection closed, it does not read what it gets, its key or session is no longer worth
 * anything, it has begun before its admission and was not admitted so, somebody asked for the end, or this process is
 * stopping.
 */
export type CallerLoss = 'disconnected' | 'slow_reader' | 'revoked' | 'stopped' | 'shutdown';

/** The other end of a call in progress. */
export type Caller = {
  /** Aborts when there is nobody left to work for; the reason is a `CallerLoss`. */
  signal: AbortSignal;
  lose: (loss: CallerLoss) => void;
};

/** Work that goes on when its caller leaves, because he will come back for the answer. */
export type OutlivingWork = {
  /** Aborts only when this process is stopping. */
  signal: AbortSignal;
  /** To be called when the work is done; the end of the process waits for it. */
  over: () => void;
};

export type Callers = {
  /** Follows the caller of this reply until the response is complete. */
  watch: (reply: FastifyReply) => Caller;
  outlive: () => OutlivingWork;
  /** Resolves when no work is left that outlives its caller. */
  outlived: () => Promise<void>;
  /** Tells every running call to stop. */
  loseAll: (loss: CallerLoss) => void;
};

declare module 'fastify' {
  interface FastifyInstance {
    callers: Callers;
  }
}

export function createCallers(): Callers {
  const running = new Set<AbortController>();
  const outliving = new Map<AbortController, Promise<void>>();
  return {
    watch(reply) {
      const controller = new AbortController();
      const { raw } = reply;
      const lose = (loss: CallerLoss) => {
        if (!controller.signal.aborted) controller.abort(loss);
      };
      const closed = () => {
        running.delete(controller);
        if (!raw.writableFinished) lose('disconnected');
      };
      if (raw.destroyed) closed();
      else {
        running.add(controller);
        raw.once('close', closed);
      }
      return { signal: controller.signal, lose };
    },
    outlive() {
      const controller = new AbortController();
      const done = Promise.withResolvers<void>();
      outliving.set(controller, done.promise);
      return {
        signal: controller.signal,
        over: () => {
          outliving.delete(controller);
          done.resolve();
        },
      };
    },
    async outlived() {
      while (outliving.size > 0) await Promise.all(outliving.values());
    },
    loseAll(loss) {
      for (const controller of [...running, ...outliving.keys()]) controller.abort(loss);
    },
  };
}

/** Follows the caller of a call that may take long: cancel the work when `signal` aborts. */
export function watchCaller(reply: FastifyReply): Caller {
  return reply.server.callers.watch(reply);
}

/** Begins work for the caller of this reply that goes on when he leaves. */
export function outliveCaller(reply: FastifyReply): OutlivingWork {
  return reply.server.callers.outlive();
}

/** Why a signal of `watchCaller` aborted; null while the caller is there. */
export function lossOf(signal: AbortSignal): CallerLoss | null {
  if (!signal.aborted) return null;
  // Only `lose` and `loseAll` abort these signals.
  return signal.reason as CallerLoss;
}

/**
 * What to throw for work that failed with `error`. Work that was aborted fails with the reason of its signal: that is not an
 * error of the work, and tells the caller nothing. A fault stays as it is.
 */
export function whyItEnded(error: unknown, signal: AbortSignal): unknown {
  if (!signal.aborted || error instanceof Fault) return error;
  if (lossOf(signal) === 'shutdown')
    return fault('service_unavailable', { message: 'The service is shutting down.', retryAfterSeconds: 1 });
  return fault('request_timeout', { message: 'The caller left before the answer was ready.' });
}
