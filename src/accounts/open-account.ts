import { type Actor, recordActivity } from '#activity';
import type { Sql } from '#db';
import type { Account } from './accounts.store.ts';
import { createAccount, type NewAccount } from './accounts.ts';

export type Opening = NewAccount & {
  actor?: Actor;
  requestId?: string;
  grantCredits?: (tx: Sql, accountId: string) => Promise<void>;
};

/** Makes an account with its starting credits and its first line in the feed: all in the given transaction. */
export async function openAccount(tx: Sql, opening: Opening): Promise<Account> {
  const account = await createAccount(tx, opening);
  const { id, slug } = account;
  await opening.grantCredits?.(tx, id);
  await recordActivity(tx, {
    accountId: id,
    type: 'account.created',
    severity: 'success',
    actor: opening.actor ?? { kind: 'account', id, label: slug },
    subject: { kind: 'account', id, label: slug },
    message: `The account ${slug} was opened.`,
    ...(opening.requestId === undefined ? {} : { requestId: opening.requestId }),
  });
  return account;
}
