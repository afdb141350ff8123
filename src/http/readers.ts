import type { FastifyRequest } from 'fastify';
import { Fault } from '#kernel';
import type { Authenticator } from './auth-hook.ts';

/** Those who read what has no end of its own: their credentials, or this process, may come to one first. */
export type Readers = {
  /**
   * Calls `onOver` soon after the credentials of a request were worth something for the last time, or when this process begins to
   * stop; returns what ends that.
   */
  follow: (request: FastifyRequest, onOver: OnOver) => () => void;
  /** Sends all of them away, and whoever comes still: they come back for the rest, and nobody waits for an end that is not near. */
  dismiss: () => void;
};

type OnOver = (loss: 'revoked' | 'shutdown') => void;

declare module 'fastify' {
  interface FastifyInstance {
    readers: Readers;
  }
}

const lookEveryMs = 1_000;

/**
 * Asks for all readers at once, so that authenticators put them into one statement each, and once a second, on every
 * replica. Without a reader nothing is asked, and there is no timer.
 */
export function createReaders(authenticator: Authenticator): Readers {
  const following = new Map<symbol, { request: FastifyRequest; onOver: OnOver }>();
  let isLookDue = false;
  let isDismissed = false;

  async function look(): Promise<void> {
    const asked = [...following].map(async ([reader, { request, onOver }]) => {
      const isGone = await isRevoked(authenticator, request);
      if (isGone && following.delete(reader)) onOver('revoked');
    });
    await Promise.all(asked);
    isLookDue = false;
    lookLater();
  }

  function sendAway(): void {
    for (const [reader, { onOver }] of following) if (following.delete(reader)) onOver('shutdown');
  }

  function lookLater(): void {
    if (following.size === 0 || isLookDue) return;
    isLookDue = true;
    setTimeout(look, lookEveryMs).unref();
  }

  return {
    follow(request, onOver) {
      const reader = Symbol();
      following.set(reader, { request, onOver });
      lookLater();
      if (isDismissed) setImmediate(sendAway);
      return () => void following.delete(reader);
    },
    dismiss() {
      isDismissed = true;
      sendAway();
    },
  };
}

/** An outage tells nothing about credentials: whoever reads goes on, and is asked for again. */
async function isRevoked(authenticator: Authenticator, { headers, method }: FastifyRequest): Promise<boolean> {
  try {
    return (await authenticator(headers, method)) === null;
  } catch (error) {
    return error instanceof Fault && error.row.status < 500;
  }
}
