import type { Database } from '#db';
import { type Clock, createInFlight, fault, type Log, type Micro } from '#kernel';
import { createBatches } from './batches.ts';
import type { Charge } from './charge.ts';
import type { HoldAnswer, HoldRequest } from './holds.store.ts';
import { createHolds } from './holds.ts';
import { createInstanceCare, type InstanceTiming } from './instance-care.ts';
import { createLockedAccounts } from './locked-accounts.ts';
import { createSettlements } from './settlements.ts';
import { createTills } from './tills.ts';

/**
 * The money side of a call: `hold` → run → `settle`, or `release` when it failed. Nothing that must survive is in
 * memory; what is lost with a process is its holds, and other processes give those back.
 */
export type Billing = {
  /** Reserves credits where that takes no statement, as it does not for most calls. False: `hold` has to ask. */
  holdNow: (request: HoldRequest) => boolean;
  /** Calls, and other work, that have credits reserved and are not settled yet. */
  callsInFlight: () => number;
  /** Reserves credits. Throws `service_unavailable` when the database cannot tell; nothing stays reserved then. */
  hold: (request: HoldRequest) => Promise<HoldAnswer>;
  /**
   * Charges a call that ran and frees its hold; durable when it resolves. Happens once per request id, however often
   * it is sent, and always gives the same answer. Trouble with the database is waited out for about ten seconds;
   * then it throws `ambiguous_transport`: the charge may or may not have happened.
   */
  settle: (charge: Charge) => Promise<{ chargedMicro: Micro }>;
  /**
   * Gives back the hold of a call that failed. Never rejects: what cannot be done now is done in the background.
   * Without a hold it does nothing.
   */
  release: (requestId: string) => Promise<void>;
  /** Frees credits of an account that only wait here for its calls, so that nothing larger is refused for them. */
  gather: (accountId: string) => Promise<void>;
  /**
   * Reserves credits for work that is paid for with `chargeWork`, in a transaction of its own: never out of a till. What it
   * throws, and what becomes of it with this process, is as with `hold`; `endWork` ends it in any case.
   */
  holdForWork: (request: HoldRequest) => Promise<HoldAnswer>;
  /**
   * When the work is over, and whatever charged it has been committed: nothing stays reserved for it. Whoever takes work over
   * from a process that is gone ends its hold so, too.
   */
  endWork: (hold: { requestId: string; accountId: string }) => Promise<void>;
  /** The same while the transaction that charges it, and takes its hold with it, may still wait for its commit. */
  leaveWork: (hold: { requestId: string; accountId: string }) => void;
  /** Resolves once other processes can see that this one lives; what it leaves in the database is looked after from then on. */
  registered: () => Promise<void>;
  /** Begins to show life and to look after the holds of dead instances. */
  start: () => void;
  /** Waits for what is in flight, gives back what is still held and leaves. Refuses new holds from the first moment. */
  stop: () => Promise<void>;
};

export type BillingTiming = InstanceTiming & {
  settleForMs: number;
  /** A till on which nothing draws for so long is closed, and so is one on which a call draws for so long. */
  tillIdleMs: number;
  /** Longest wait of a hold for tills of other instances that keep credits from it. */
  tillWaitMs: number;
};

export type BillingOptions = {
  database: Database;
  /** Unique per process and start. */
  instanceId: string;
  clock: Clock;
  log?: Log;
  timing?: Partial<BillingTiming>;
  /** Told which account has just been charged. */
  onCharge?: (accountId: string) => void;
};

const defaultTiming: BillingTiming = {
  beatMs: 3_000,
  // So that 15 s are noticed at 16, with the looks of others every two seconds.
  sweepMs: 2_500,
  deadAfterMs: 15_000,
  settleForMs: 10_000,
  tillIdleMs: 1_000,
  tillWaitMs: 2_000,
};

export function createBilling(options: BillingOptions): Billing {
  const { database, instanceId, clock, log, timing, onCharge = () => {} } = options;
  const times = { ...defaultTiming, ...timing };
  // Request ids that own, or may come to own, a hold, and whose. A hold of this instance that is not in here is a left-over.
  const open = new Map<string, string>();
  const settling = new Map<string, Promise<{ chargedMicro: Micro }>>();
  const inFlight = createInFlight();
  const care = createInstanceCare({
    ...{ database, instanceId, clock, log, times },
    isOpen: (id) => open.has(id) || tills.owns(id),
    onRevival: () => tills.forget(),
  });
  const { registered } = care;
  const locked = createLockedAccounts({ database, clock });
  const tills = createTills({ database, instanceId, clock, log, registered, locked, idleMs: times.tillIdleMs });
  const callsInFlight = () => open.size;
  const batches = createBatches({ database, instanceId, registered, locked, clock });
  const holds = createHolds({ database, instanceId, clock, log, batches, tills, tillWaitMs: times.tillWaitMs });
  const settlements = createSettlements({
    ...{ clock, batches, tills },
    settleForMs: times.settleForMs,
    releaseSoon: (call) => void inFlight.track(holds.release(call)),
  });
  let stopping = false;

  /** With a hold of its own. */
  async function holdAlone(request: HoldRequest): Promise<HoldAnswer> {
    const { requestId } = request;
    let isHeld = false;
    try {
      const answer = await holds.place(request);
      isHeld = answer === 'held';
      return answer;
    } finally {
      // After a failure the hold may exist nevertheless; the next sweep gives it back.
      if (!isHeld) open.delete(requestId);
    }
  }

  function checkNew(requestId: string): void {
    if (open.has(requestId)) throw new Error(`${requestId} has a hold already. This is a bug.`);
  }

  async function place(request: HoldRequest): Promise<HoldAnswer> {
    if (stopping) throw fault('service_unavailable', { retryAfterSeconds: 1 });
    checkNew(request.requestId);
    open.set(request.requestId, request.accountId);
    return inFlight.track(holdAlone(request));
  }

  function holdNow(request: HoldRequest): boolean {
    const { requestId, accountId } = request;
    checkNew(requestId);
    if (stopping || !tills.take(request)) return false;
    open.set(requestId, accountId);
    return true;
  }

  async function settle(charge: Charge): Promise<{ chargedMicro: Micro }> {
    const { requestId, accountId } = charge;
    inFlight.begin();
    try {
      return await settlements.settle(charge);
    } finally {
      settling.delete(requestId);
      open.delete(requestId);
      onCharge(accountId);
      inFlight.end();
    }
  }

  async function release(requestId: string): Promise<void> {
    const accountId = open.get(requestId);
    if (accountId === undefined) return;
    open.delete(requestId);
    if (tills.has(requestId)) tills.giveBack(requestId);
    else await inFlight.track(holds.release({ requestId, accountId }));
  }

  return {
    holdNow,

    callsInFlight,

    hold: async (request) => (holdNow(request) ? 'held' : place(request)),

    holdForWork: place,

    async endWork({ requestId, accountId }) {
      open.delete(requestId);
      await inFlight.track(holds.release({ requestId, accountId }));
      onCharge(accountId);
    },

    leaveWork({ requestId, accountId }) {
      // Where nothing is committed after all, the next sweep gives the hold back.
      open.delete(requestId);
      onCharge(accountId);
    },

    settle(charge) {
      const { requestId } = charge;
      const known = settling.get(requestId);
      if (known) return known;
      const settlement = settle(charge);
      settling.set(requestId, settlement);
      return settlement;
    },

    release,

    gather: (accountId) => tills.close(accountId),

    registered,

    start() {
      care.start();
      tills.start();
    },

    async stop() {
      stopping = true;
      await inFlight.drained();
      await tills.stop();
      locked.stop();
      await care.stop();
    },
  };
}
