import { AsyncLocalStorage } from 'node:async_hooks';
import { Fault } from '#kernel';

/** What better-auth's calls of one request leave for it, and what they need to know of it. */
export type Flow = {
  requestId: string;
  /** Slug and name that the person chose; null: to be derived. */
  slug: string | null;
  displayName: string | null;
  /** A password is being checked; `passwordHash` is then what it is checked against. */
  checksPassword: boolean;
  passwordHash: string | null;
  session: StartedSession | null;
  /** Why our side refused: better-auth would tell something else. */
  fault: Fault | null;
};

export type StartedSession = { id: string; accountId: string; token: string; expiresAt: Date };

export type Flows = {
  run: <T>(flow: Flow, work: () => Promise<T>) => Promise<T>;
  /** The flow of the call that is running. */
  current: () => Flow;
};

export function createFlow(input: Pick<Flow, 'requestId'> & Partial<Flow>): Flow {
  return {
    slug: null,
    displayName: null,
    checksPassword: false,
    passwordHash: null,
    session: null,
    fault: null,
    ...input,
  };
}

/**
 * better-auth hands nothing of ours through to its adapter, so what belongs to one request travels beside the call. An
 * instance per request would do too, and would cost as much as the rest of a sign-in.
 */
export function createFlows(): Flows {
  const storage = new AsyncLocalStorage<Flow>();
  return {
    run: (flow, work) => storage.run(flow, work),
    current: () => {
      const flow = storage.getStore();
      if (!flow) throw new Error('better-auth was called without a flow. This is a bug.');
      return flow;
    },
  };
}

/** Keeps our own refusal for the request, whatever better-auth makes of it on the way up. */
export async function noteFault<T>(flow: Flow, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) flow.fault ??= error;
    throw error;
  }
}
