import { type Account, createAccount, findAccountBySlug, listAccounts } from '#accounts';
import { balanceOf, grant } from '#billing';
import type { Sql } from '#db';
import { formatCredits, OperatorError, parseCredits } from '#kernel';
import type { Config } from '../config.ts';
import { print, renderTable } from './terminal.ts';
import { useDatabase } from './use-database.ts';

/** The account that a person named. */
export async function requireAccount(sql: Sql, slug: string): Promise<Account> {
  const account = await findAccountBySlug(sql, slug);
  if (account) return account;
  throw new OperatorError(`There is no account ${JSON.stringify(slug)}; "accounts list" shows them.`);
}

export function createAccountCommand(config: Config, slug: string, options: { name?: string; admin?: boolean }) {
  return useDatabase(config, async (database) => {
    const account = await createAccount(database, {
      slug,
      ...(options.name === undefined ? {} : { displayName: options.name }),
      role: options.admin ? 'admin' : 'user',
    });
    print(account.id);
  });
}

export function listAccountsCommand(config: Config) {
  return useDatabase(config, async (database) => {
    const accounts = await listAccounts(database);
    const rows: string[][] = [];
    for (const { id, slug, role, status, createdAt } of accounts) {
      const { settledMicro } = await balanceOf(database, id);
      rows.push([slug, id, role, status, formatCredits(settledMicro), createdAt.toISOString()]);
    }
    print(renderTable(['SLUG', 'ID', 'ROLE', 'STATUS', 'CREDITS', 'CREATED'], rows));
  });
}

export function grantCommand(config: Config, amount: string, options: { account: string; note?: string }) {
  const micro = parseCredits(amount);
  if (micro === null || micro <= 0n)
    throw new OperatorError('The amount must be a number of credits above 0 with at most six decimals, such as 12.5.');
  return useDatabase(config, async (database) => {
    const { id: accountId } = await requireAccount(database, options.account);
    const settled = await grant(database, { accountId, micro, note: options.note ?? null });
    print(`${options.account} has ${formatCredits(settled)} credits.`);
  });
}
