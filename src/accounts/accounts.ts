import { constraintOf, type Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import { type Account, insertAccount } from './accounts.store.ts';
import { checkSlug } from './slug.ts';

export type NewAccount = { slug: string; displayName?: string; role?: Account['role'] };

/** Makes an account without keys or credits. Throws `invalid_request` for a bad slug or name, `slug_taken`. */
export async function createAccount(
  sql: Sql,
  { slug, displayName = slug, role = 'user' }: NewAccount,
): Promise<Account> {
  checkSlug(slug);
  checkDisplayName(displayName, 'display_name');
  try {
    return await insertAccount(sql, { id: newId('acc'), slug, displayName, role });
  } catch (error) {
    if (constraintOf(error) === 'accounts_slug_key') throw fault('slug_taken', { param: 'slug', cause: error });
    throw error;
  }
}
