/** Money: `bigint` micro-credits inside, strings with exactly six decimals outside. */
export type Micro = bigint;

/** Micro-credits in one credit. */
export const microPerCredit = 1_000_000n;

/** Length of one billing unit in milliseconds (interface 8.4). */
export const billingUnitMs = 100;

const unitsPerMinute = 600n;
const creditsPattern = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Renders micro-credits with six decimals: `50n` is `"0.000050"`. */
export function formatCredits(micro: Micro): string {
  const sign = micro < 0n ? '-' : '';
  const size = micro < 0n ? -micro : micro;
  const whole = size / microPerCredit;
  const fraction = (size % microPerCredit).toString().padStart(6, '0');
  return `${sign}${whole}.${fraction}`;
}

/** Reads a decimal with at most six decimals; null when it is anything else. */
export function parseCredits(text: string): Micro | null {
  const match = creditsPattern.exec(text);
  if (!match) return null;
  const [, sign, whole = '0', fraction = ''] = match;
  const size = BigInt(whole) * microPerCredit + BigInt(fraction.padEnd(6, '0'));
  return sign ? -size : size;
}

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
