import type { FastifyRequest } from 'fastify';
import { Fault } from '#kernel';
import type { Authenticator } from './auth-hook.ts';

/** Those who read what has no end of its own: their credentials may come to one first. */
export type Readers = {
  /** Calls `onRevoked` soon after the credentials of a request were worth something for the last time; returns what ends that. */
  follow: (request: FastifyRequest, onRevoked: () => void) => () => void;
};

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
  const following = new Map<symbol, { request: FastifyRequest; onRevoked: () => void }>();
  let isLookDue = false;

  async function look(): Promise<void> {
    const asked = [...following].map(async ([reader, { request, onRevoked }]) => {
      const isGone = await isRevoked(authenticator, request);
      if (isGone && following.delete(reader)) onRevoked();
    });
    await Promise.all(asked);
    isLookDue = false;
    lookLater();
  }

  function lookLater(): void {
    if (following.size === 0 || isLookDue) return;
    isLookDue = true;
    setTimeout(look, lookEveryMs).unref();
  }

  return {
    follow(request, onRevoked) {
      const reader = Symbol();
      following.set(reader, { request, onRevoked });
      lookLater();
      return () => void following.delete(reader);
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
