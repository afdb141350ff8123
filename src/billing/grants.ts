import { type Actor, recordActivity, systemActor } from '#activity';
import { constraintOf, type Database, type Sql, sqlState } from '#db';
import { fault, formatCredits, type Micro } from '#kernel';
import { type Balance, findBalance, type Grant, insertGrant } from './ledger.store.ts';

const outOfRange = '22003';

/**
 * Gives credits to an account and tells it so in its feed.
 *
 * @param sql the database, or the caller's transaction.
 * @returns the settled balance afterwards. With a `onceKey` that was used before nothing changes; do not combine it
 * with a transaction of your own, which such a repetition would spoil.
 * Throws `not_found` for an unknown account, `invalid_request` for more credits than an account can have.
 */
export async function grant(sql: Sql | Database, request: Grant, actor: Actor = systemActor): Promise<Micro> {
  if (request.micro <= 0n) throw fault('invalid_request', { message: 'A grant must be more than 0 credits.' });
  try {
    return await ('transaction' in sql
      ? sql.transaction((tx) => grantAndTell(tx, request, actor))
      : grantAndTell(sql, request, actor));
  } catch (error) {
    if (sqlState(error) === outOfRange)
      throw fault('invalid_request', { message: 'An account cannot have so many credits.', cause: error });
    if (constraintOf(error) !== 'ledger_once_per_request') throw error;
    return (await balanceOf(sql, request.accountId)).settledMicro;
  }
}

async function grantAndTell(tx: Sql, request: Grant, actor: Actor): Promise<Micro> {
  const { accountId, micro, note } = request;
  const balance = await insertGrant(tx, request);
  if (balance === null) throw fault('not_found', { message: 'There is no such account.' });
  const credits = formatCredits(micro);
  await recordActivity(tx, {
    accountId,
    type: 'credits.granted',
    severity: 'success',
    actor,
    subject: { kind: 'credits', id: accountId, label: 'Credits' },
    message: `${credits} credits were granted.`,
    data: { credits, balance: formatCredits(balance), note },
  });
  return balance;
}

/** The current balance of an account. Throws `not_found` for an unknown account. */
export async function balanceOf(sql: Sql, accountId: string): Promise<Balance> {
  const balance = await findBalance(sql, accountId);
  if (!balance) throw fault('not_found', { message: 'There is no such account.' });
  return balance;
}
