import type { FastifyRequest } from 'fastify';
import { Fault } from '#kernel';
import type { Authenticator } from './auth-hook.ts';

/**
 * Readers of streams that have no end of their own. Their credentials may be revoked, or this process may stop, while
 * they read.
 */
export type Readers = {
  /**
   * Calls `onOver` soon after the credentials of a request were worth something for the last time, or when this process begins to
   * stop; returns what ends that.
   */
  follow: (request: FastifyRequest, onOver: OnOver) => () => void;
  /**
   * Ends all streams, and those that are opened later: clients come back for the rest, so a stopping process need not
   * wait for them.
   */
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
    const checks = [...following].map(async ([reader, { request, onOver }]) => {
      const isGone = await isRevoked(authenticator, request);
      if (isGone && following.delete(reader)) onOver('revoked');
    });
    await Promise.all(checks);
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

/** While the database cannot tell, a reader goes on and is checked again later. */
async function isRevoked(authenticator: Authenticator, { headers, method }: FastifyRequest): Promise<boolean> {
  try {
    return (await authenticator(headers, method)) === null;
  } catch (error) {
    return error instanceof Fault && error.row.status < 500;
  }
}
