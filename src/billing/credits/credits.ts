import type { Sql } from '#db';
import { fault, type Micro } from '#kernel';
import { findAccountCredits } from './credits.store.ts';

export type CreditsSummary = {
  settledMicro: Micro;
  reservedMicro: Micro;
  availableMicro: Micro;
  /** Since the account was made: `granted + purchased - spent` is what is settled. */
  lifetime: { grantedMicro: Micro; purchasedMicro: Micro; spentMicro: Micro };
  isLow: boolean;
  asOf: Date;
};

/** Throws `not_found` for an unknown account. */
export async function readCredits(sql: Sql, accountId: string, lowMicro: Micro): Promise<CreditsSummary> {
  const found = await findAccountCredits(sql, accountId);
  if (!found) throw fault('not_found', { message: 'There is no such account.' });
  const { settledMicro, heldMicro: reservedMicro, byType, asOf } = found;
  const { grant = 0n, adjustment = 0n, purchase = 0n, inference = 0n, training = 0n, index = 0n, refund = 0n } = byType;
  return {
    settledMicro,
    reservedMicro,
    availableMicro: settledMicro - reservedMicro,
    lifetime: {
      grantedMicro: grant + adjustment,
      purchasedMicro: purchase,
      spentMicro: -(inference + training + index + refund),
    },
    isLow: settledMicro < lowMicro,
    asOf,
  };
}
