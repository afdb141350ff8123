/** Money: `bigint` micro-credits inside, strings with exactly six decimals outside. */
export type Micro = bigint;

/** Micro-credits in one credit. */
export const microPerCredit = 1_000_000n;

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
