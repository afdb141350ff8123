import { constraintOf, type Sql } from '#db';
import { fault, type Micro } from '#kernel';
import { type Balance, findBalance, type Grant, insertGrant } from './ledger.store.ts';

/**
 * Gives credits to an account.
 *
 * @returns the settled balance afterwards. With a `onceKey` that was used before nothing changes; do not combine it
 * with a transaction of your own, which such a repetition would spoil.
 * Throws `not_found` for an unknown account.
 */
export async function grant(sql: Sql, request: Grant): Promise<Micro> {
  if (request.micro <= 0n) throw fault('invalid_request', { message: 'A grant must be more than 0 credits.' });
  try {
    const balance = await insertGrant(sql, request);
    if (balance === null) throw fault('not_found', { message: 'There is no such account.' });
    return balance;
  } catch (error) {
    if (constraintOf(error) !== 'ledger_once_per_request') throw error;
    return (await balanceOf(sql, request.accountId)).settledMicro;
  }
}

/** The money of an account at this moment. Throws `not_found` for an unknown account. */
export async function balanceOf(sql: Sql, accountId: string): Promise<Balance> {
  const balance = await findBalance(sql, accountId);
  if (!balance) throw fault('not_found', { message: 'There is no such account.' });
  return balance;
}
