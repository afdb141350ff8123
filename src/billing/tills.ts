import { createIntervalTask, type Micro } from '#kernel';
import type { HoldRequest } from './holds.store.ts';
import { createOpenTills } from './open-tills.ts';
import { createTillClosings } from './till-closings.ts';
import { createTillOpenings, type TillOpeningsOptions } from './till-openings.ts';
import { accountOf } from './tills.store.ts';

/**
 * Holds that cost no statement. For an account with credits to spare an instance keeps a till: one hold in the database
 * that its calls share in memory. Nothing is less exact for it: what a till guarantees is reserved, an account that is
 * not rich has none, and before anybody is refused, tills are closed, which turns the calls that draw on them into
 * ordinary holds and gives the rest back.
 *
 * A till is closed when its account is no longer rich, when nothing draws on it, when a call has drawn on it for a while,
 * and at the end. It dies with its instance like any hold. One limit remains: a call that asks for nearly all an account
 * has may be refused for the little that a till in constant use by short calls elsewhere keeps, less than one part in
 * `poorTills`.
 */
export type Tills = {
  /** Reserves the call's credits in the account's till. False: there is no till, or not enough in it. */
  take: (request: HoldRequest) => boolean;
  /** Whether this call draws on a till. */
  has: (requestId: string) => boolean;
  /** While the till of this call is being closed: resolves once the call has its own hold. */
  leaving: (requestId: string) => Promise<void> | undefined;
  /** The call is over: what it had reserved is free for others. */
  giveBack: (requestId: string) => void;
  /** Learns from a settlement what the account has left. */
  observe: (accountId: string, availableMicro: Micro) => void;
  /** Closes the account's till; its calls have ordinary holds once this resolves. Without a till it does nothing. */
  close: (accountId: string) => Promise<void>;
  /** Whether this is the id of a till that is open, or may be. */
  owns: (tillId: string) => boolean;
  /** Forgets everything: other instances took this one for dead and gave its holds back. */
  forget: () => void;
  start: () => void;
  stop: () => Promise<void>;
};

export type TillsOptions = TillOpeningsOptions & { idleMs: number };

/** An account that has less than this many tills available is no longer rich. */
const poorTills = 8n;

export function createTills(options: TillsOptions): Tills {
  const { clock, log, idleMs } = options;
  const open = createOpenTills(clock);
  const openings = createTillOpenings(options, open);
  const closings = createTillClosings(options, open);

  async function sweep(): Promise<void> {
    // Calls that take long get holds of their own: other instances can see them, and the rest is not kept from anybody.
    const idle = open.idleFor(idleMs);
    if (idle.length > 0) void closings.close(idle);
    openings.forgetPoor();
  }

  const task = createIntervalTask({
    pauseMs: idleMs / 2,
    first: 'at once',
    work: sweep,
    onError: (error) => log?.warn({ err: error }, 'no sweep of tills'),
    isNeeded: () => open.size() > 0 || openings.isInFlight(),
  });

  return {
    take(request) {
      const till = open.of(request.accountId);
      if (till) return open.draw(till, request);
      if (!closings.of(request.accountId)) openings.begin(request);
      task.wake();
      return false;
    },

    has: open.isDrawnOnBy,

    leaving: closings.ofCall,

    giveBack: open.giveBack,

    observe(accountId, availableMicro) {
      const till = open.of(accountId);
      if (!till || availableMicro >= till.micro * poorTills) return;
      openings.notePoor(accountId);
      void closings.close([till]);
    },

    async close(accountId) {
      const till = open.of(accountId);
      await (till ? closings.close([till]) : closings.of(accountId));
    },

    owns(tillId) {
      const accountId = accountOf(tillId);
      if (accountId === null) return false;
      return open.of(accountId) !== undefined || openings.has(accountId) || closings.of(accountId) !== undefined;
    },

    forget() {
      for (const till of open.all()) open.remove(till);
    },

    start: task.start,

    async stop() {
      await Promise.all([openings.stop(), task.stop()]);
      if (open.all().length > 0) await closings.close(open.all());
      await closings.settled();
    },
  };
}
