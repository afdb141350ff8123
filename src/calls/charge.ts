import { type Fault, fault, formatCredits, type Micro } from '#kernel';

/** What finished work has to pay, with everything the ledger records about it. */
export type Charge = {
  type: 'inference' | 'index' | 'training';
  /** The row in `calls` that holds the credits. */
  callId: string;
  /** Names the charge in the ledger, which has one row for it, however often it is sent. Null: `training` names it. */
  requestId: string | null;
  training?: { jobId: string; attempt: number };
  accountId: string;
  keyId: string | null;
  keyName?: string | null;
  projectId: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  modelRequested: string;
  modelServed: string;
  /** Null: the base model was called itself. */
  modelRevision: number | null;
  /** The work's share of the engine's steps, ms. */
  activeMs: number;
  /** Frozen when the work began; 0n is a free route. */
  rateMicroPerMinute: Micro;
  priceVersion: string;
  /** What was held for the work; the charge never exceeds it. 0n on a free route. */
  heldMicro: Micro;
  /** Null: the work has no tokens. */
  usage: { promptTokens: number; completionTokens: number } | null;
  outcome: 'succeeded' | 'client_disconnected' | 'canceled' | null;
  /** Counts towards the limits of key and account. */
  isLimited?: boolean;
  note?: string | null;
};

/** Length of one billing unit in milliseconds (interface 8.4). */
export const billingUnitMs = 100;

const unitsPerMinute = 600n;

/** Billing units of an active time in ms: rounded up, at least one. */
export function billingUnits(activeMs: number): bigint {
  return BigInt(Math.max(1, Math.ceil(activeMs / billingUnitMs)));
}

/** Price of `units` at a rate in micro-credits per minute, rounded half up once. */
export function priceOfUnits(units: bigint, rateMicroPerMinute: Micro): Micro {
  return (units * rateMicroPerMinute * 2n + unitsPerMinute) / (unitsPerMinute * 2n);
}

/** Charge of a successful request: 100 ms at 0.03 credits a minute is 0.000050 credits. */
export function chargeOf(activeMs: number, rateMicroPerMinute: Micro): Micro {
  return priceOfUnits(billingUnits(activeMs), rateMicroPerMinute);
}

/** Measured pace of a model; the engine's `Pace` fits. */
export type CostPace = { prefillMsPerToken: number; decodeMsPerToken: number };

export type CostQuestion = {
  promptTokensAtMost: number;
  maxTokens: number;
  pace: CostPace;
  rateMicroPerMinute: Micro;
};

// The pace is an average of a lightly loaded machine. The bound must hold on a bad day too, because a call is never
// charged more than its bound.
const slowdown = 10;
const startMs = 5_000;

/** Generous upper bound of a call's charge in micro-credits, to be held while it runs; 0n on a free route. */
export function boundOf({ promptTokensAtMost, maxTokens, pace, rateMicroPerMinute }: CostQuestion): Micro {
  if (rateMicroPerMinute === 0n) return 0n;
  const expectedMs = promptTokensAtMost * pace.prefillMsPerToken + maxTokens * pace.decodeMsPerToken;
  return chargeOf(slowdown * expectedMs + startMs, rateMicroPerMinute);
}

/** Charge of a call in micro-credits: its active time at its frozen rate, and never more than was held for it. */
export function chargeWithin(
  heldMicro: Micro,
  { activeMs, rateMicroPerMinute }: { activeMs: number; rateMicroPerMinute: Micro },
): Micro {
  const charge = chargeOf(activeMs, rateMicroPerMinute);
  if (charge > heldMicro) return heldMicro;
  return charge;
}

/** The refusal of work that may cost more than its account has; `what` begins the sentence: "This call". */
export function tooFewCredits(what: string, micro: { required: Micro; available: Micro }): Fault {
  const [required, available] = [formatCredits(micro.required), formatCredits(micro.available)];
  return fault('insufficient_credits', {
    message: `${what} may cost up to ${required} credits; ${available} are available.`,
    details: { required, available },
  });
}
