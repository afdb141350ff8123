import type { FastifyRequest } from 'fastify';
import type { Billing, Charge } from '#billing';
import type { Sql } from '#db';
import {
  fingerprintOf,
  type Idempotency,
  type KeptAnswer,
  type Reservation,
  requireIdempotencyKey,
} from '#idempotency';
import type { Entered } from './entry.ts';
import type { CallIdentity } from './repeat-guard.ts';

export function identityOf({ method, url }: FastifyRequest, { admitted, body }: Entered): CallIdentity {
  const value = body.ok ? body.value : null;
  return { accountId: admitted.accountId, fingerprint: () => fingerprintOf({ method, url, body: value }) };
}

/** Takes the call's `Idempotency-Key`, or finds what was kept under it. */
export async function reserveCall(
  idempotency: Idempotency,
  { headers, id: requestId }: FastifyRequest,
  { accountId, fingerprint }: CallIdentity,
): Promise<Reservation> {
  const key = requireIdempotencyKey(headers);
  return idempotency.reserve({ key, accountId, fingerprint: fingerprint(), requestId });
}

/**
 * Keeps the answer of a call together with what it costs, and before it is paid: whatever happens afterwards, the next
 * request with the key finds both, pays unless that was done, and gets the answer.
 */
export function keepCall(
  reservation: Reservation,
  { body, charge }: { body: object; charge: Charge },
  tx?: Sql,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  return reservation.keep({ status: 200, body: bytes, sealed: false, charge: chargeToJson(charge) }, tx);
}

/** The kept answer as JSON text, paid for. A charge happens once, however often it is sent. */
export async function redeem(billing: Billing, { body, charge }: KeptAnswer): Promise<string> {
  await billing.settle(chargeFromJson(charge));
  return body.toString();
}

/** JSON has no integers beyond 2^53. */
export type ChargeJson = Omit<Charge, 'rateMicroPerMinute' | 'heldMicro'> & {
  rateMicroPerMinute: string;
  heldMicro: string;
};

export function chargeToJson(charge: Charge): ChargeJson {
  const { rateMicroPerMinute, heldMicro } = charge;
  return { ...charge, rateMicroPerMinute: String(rateMicroPerMinute), heldMicro: String(heldMicro) };
}

export function chargeFromJson(kept: unknown): Charge {
  // as: charges become JSON above only.
  const { rateMicroPerMinute, heldMicro, ...charge } = kept as ChargeJson;
  return { ...charge, rateMicroPerMinute: BigInt(rateMicroPerMinute), heldMicro: BigInt(heldMicro) };
}
