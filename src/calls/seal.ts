import type { IncomingHttpHeaders } from 'node:http';
import { createSeal } from '#kernel';

/** What a sealed body is bound to: only who presents the same credential and the same key can open it. */
export type SealOwner = { credential: string; accountId: string; key: string };

/**
 * Encrypts the body of an answer that holds a secret. The key is made of the caller's credential, of which the database
 * has a digest only, so that a copy of the database opens nothing.
 */
export const seal = (body: Buffer, owner: SealOwner): Buffer => sealOf(owner).seal(body);

/** The body; null for somebody who presents another credential. */
export const unseal = (sealed: Buffer, owner: SealOwner): Buffer | null => sealOf(owner).open(sealed);

const sealOf = ({ credential, accountId, key }: SealOwner) => createSeal(credential, `idempotency ${accountId} ${key}`);

/** What the caller proved himself with: an API key, or the token of his session. Other cookies come and go, whatever they are called. */
export function credentialOf({ authorization, cookie }: IncomingHttpHeaders): string {
  if (authorization !== undefined) return authorization.replace(/^\S+\s+/, '');
  return /(?:^|;)\s*(?:__Host-)?fanfold_session=([^;]*)/.exec(cookie ?? '')?.[1] ?? '';
}
