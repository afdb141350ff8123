import { type Clock, fault } from '#kernel';

/** What makes two calls the same: who calls, and where to with which body. The fingerprint is made when it is needed. */
export type CallIdentity = { accountId: string; fingerprint: () => Buffer };

/**
 * Some clients send a request again whatever the answer to it was. While the outcome of a call is unknown, the same call
 * could be made and charged twice; so for a while an identical one is answered like the first and not run. The time
 * covers the retries of the most stubborn client known (63 to 126 s). In memory only: such outcomes come from a database
 * that is away. Whoever means to make the call once more sends an `Idempotency-Key`.
 */
export type RepeatGuard = {
  /** Calls of unknown outcome; without any there is nothing to check. */
  unknown: ReadonlyMap<string, { requestId: string }>;
  /** Throws `ambiguous_transport` for a call that is the same as one of unknown outcome. */
  check: (call: CallIdentity) => void;
  note: (call: CallIdentity, requestId: string) => void;
};

const guardMs = 130_000;
const mostCalls = 10_000;

export function createRepeatGuard(clock: Clock): RepeatGuard {
  // In the order of their ends.
  const unknown = new Map<string, { requestId: string; untilMs: number }>();
  const nameOf = ({ accountId, fingerprint }: CallIdentity) => `${accountId} ${fingerprint().toString('base64')}`;

  function forgetOld(): void {
    const nowMs = clock.monotonicMs();
    for (const [name, { untilMs }] of unknown) {
      if (untilMs > nowMs && unknown.size <= mostCalls) return;
      unknown.delete(name);
    }
  }

  return {
    unknown,
    check(call) {
      forgetOld();
      const known = unknown.get(nameOf(call));
      if (!known) return;
      throw fault('ambiguous_transport', {
        message:
          `The outcome of the same request, ${known.requestId}, is unknown; it may have been served, so this one was not run. ` +
          'To run it nevertheless, send it with an Idempotency-Key.',
        headers: { 'x-fnf-request-id': known.requestId },
        details: { request_id: known.requestId },
      });
    },
    note(call, requestId) {
      const name = nameOf(call);
      unknown.delete(name);
      unknown.set(name, { requestId, untilMs: clock.monotonicMs() + guardMs });
      forgetOld();
    },
  };
}
