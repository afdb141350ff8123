import { formatCredits, type Micro, microPerCredit, parseCredits } from '#kernel';

/** An amount of money in the smallest unit of its currency, as payment providers count. */
export type Price = { minorUnits: bigint; currency: string };

/** Credits that are sold for a price. */
export type CreditPack = { id: string; micro: Micro; price: Price };

/** Currencies without a smaller unit, as the payment provider counts them. */
const withoutDecimals = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/** Those with three decimals, and those that the provider counts otherwise than ISO 4217. */
const notTaken = new Set('BHD IQD JOD KWD LYD OMR TND ISK UGX'.split(' '));

const packPattern = /^([a-z0-9][a-z0-9-]{0,30})=(\d{1,9}(?:\.\d{1,6})?)@(.+)$/;

/** Reads `small=100@10.00USD, large=1000@90USD`; undefined: it is something else. */
export function readPacks(text: string): CreditPack[] | undefined {
  const packs: CreditPack[] = [];
  for (const part of text.split(',')) {
    const [, id = '', credits = '', money = ''] = packPattern.exec(part.trim()) ?? [];
    const [micro, price] = [parseCredits(credits), readPrice(money)];
    if (!micro || !price || packs.some((other) => other.id === id)) return undefined;
    packs.push({ id, micro, price });
  }
  return packs;
}

/** Reads `10.00USD`; undefined: no price, or none above 0. */
export function readPrice(text: string): Price | undefined {
  const [, whole = '', fraction = '', currency = ''] = /^(\d{1,9})(?:\.(\d{1,2}))? ?([A-Z]{3})$/.exec(text) ?? [];
  if (whole === '' || notTaken.has(currency)) return undefined;
  const decimals = withoutDecimals.has(currency) ? 0 : 2;
  if (fraction.length > decimals) return undefined;
  const minorUnits = BigInt(whole + fraction.padEnd(decimals, '0'));
  return minorUnits > 0n ? { minorUnits, currency } : undefined;
}

/** The amount as a decimal, with all places of its currency: `10.00`. */
export function formatAmount({ minorUnits, currency }: Price): string {
  if (withoutDecimals.has(currency)) return String(minorUnits);
  const text = String(minorUnits).padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** What so many credits cost at a price per credit, rounded up to the smallest unit. */
export function priceOfCredits(micro: Micro, perCredit: Price): Price {
  const { minorUnits, currency } = perCredit;
  return { minorUnits: (micro * minorUnits + microPerCredit - 1n) / microPerCredit, currency };
}

/** `100 credits`, `12.5 credits`. */
export function describeCredits(micro: Micro): string {
  return `${formatCredits(micro).replace(/\.?0+$/, '')} credits`;
}
