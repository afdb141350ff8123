import {
  countDirectory,
  type DirectoryAccount,
  findDirectoryAccount,
  listDirectory,
  lockWithOperators,
  readSignUpTerms,
  type SignUpPolicy,
  type SignUpTerms,
  updateAccountRole,
  updateAccountStatus,
  updateSignUpTerms,
} from '#accounts';
import type { Database, Sql } from '#db';
import { type CursorCodec, fault, type ListPage, type PageRequest, readListPage } from '#kernel';

export function pageOfPeople(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  search: string | null,
  page: PageRequest,
): Promise<ListPage<DirectoryAccount>> {
  return readListPage({ cursors, scope: ['operator-accounts', search ?? ''] }, page, {
    list: (part) => listDirectory(sql, { search, ...part }),
    count: () => countDirectory(sql, search),
  });
}

/** Throws `not_found`. */
export async function requirePerson(sql: Sql, id: string): Promise<DirectoryAccount> {
  const account = await findDirectoryAccount(sql, id);
  if (account) return account;
  throw fault('not_found', { message: 'There is no such account.' });
}

type PersonChange = {
  role?: DirectoryAccount['role'] | undefined;
  status?: DirectoryAccount['status'] | undefined;
};

/** What stays undefined stays as it is. Throws `not_found`, and `state_conflict` for one's own rights. */
export function changePerson(
  database: Database,
  { id, changedBy }: { id: string; changedBy: string },
  { role, status }: PersonChange,
): Promise<DirectoryAccount> {
  if (id === changedBy && (role === 'user' || status === 'suspended'))
    throw fault('state_conflict', {
      message: 'An operator cannot suspend himself or give up being an operator; another one can.',
      details: { reason: 'own_account' },
    });
  return database.transaction(async (tx) => {
    await requirePerson(tx, id);
    // Whoever takes the rights of another operator must have them still: somebody has to be left.
    if (role === 'user' || status === 'suspended') await requireOperator(tx, { id, changedBy });
    if (role !== undefined) await updateAccountRole(tx, id, role);
    if (status !== undefined) await updateAccountStatus(tx, id, status);
    return requirePerson(tx, id);
  });
}

/** Throws `forbidden`; until the transaction ends, who is an operator stays so. */
async function requireOperator(tx: Sql, { id, changedBy }: { id: string; changedBy: string }): Promise<void> {
  const locked = await lockWithOperators(tx, id);
  if (!locked.some((each) => each.id === changedBy && each.isOperator)) throw fault('forbidden');
}

export type SignUpChange = { policy?: SignUpPolicy | undefined; creditsMicro?: bigint | undefined };

/** Throws `state_conflict` for people of an identity provider where there is none. */
export async function changeSignUp(
  sql: Sql,
  { defaults, hasProvider }: { defaults: SignUpTerms; hasProvider: boolean },
  change: SignUpChange,
): Promise<SignUpTerms> {
  if (change.policy === 'oidc' && !hasProvider)
    throw fault('state_conflict', {
      message: 'policy: no identity provider is configured; set FANFOLD_OIDC_ISSUER and FANFOLD_OIDC_CLIENT_ID.',
      param: 'policy',
      details: { reason: 'no_identity_provider' },
    });
  await updateSignUpTerms(sql, change);
  return readSignUpTerms(sql, defaults);
}
