import { randomBytes } from 'node:crypto';
import { createAccount } from '#accounts';
import type { Sql } from '#db';
import { issueKey } from '#keys';
import { createProject, type NewProject } from '#projects';

const randomSlug = (kind: string) => `${kind}-${randomBytes(6).toString('hex')}`;

/** An account of its own for one test. */
export async function seedAccount(sql: Sql, { slug = randomSlug('account') }: { slug?: string } = {}) {
  const { id: accountId } = await createAccount(sql, { slug });
  return { accountId, slug };
}

/** An active key of an account, with the secret. */
export async function seedKey(sql: Sql, { accountId, name }: { accountId: string; name?: string }) {
  const { record, key } = await issueKey(sql, { accountId, name });
  return { keyId: record.id, key };
}

export async function seedProject(sql: Sql, project: Pick<NewProject, 'accountId'> & Partial<NewProject>) {
  const { id: projectId, slug } = await createProject(sql, { slug: randomSlug('project'), kind: 'text', ...project });
  return { projectId, slug };
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
