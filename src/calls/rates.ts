import { chargeOf, type Micro } from '#kernel';

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
