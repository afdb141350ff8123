import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createPasswords, installationSecret, setPassword } from '#accounts';
import type { Database } from '#db';
import { newId } from '#kernel';
import { csrfTokenOf, digestOfToken } from '../../src/accounts/identity/session-token.ts';
import { insertSession } from '../../src/accounts/identity/sessions.store.ts';

/** A signed-in browser, or somebody who holds what one sends. */
export type SignedIn = {
  sessionId: string;
  /** Of a change; a GET needs only `cookie`. */
  headers: { cookie: string; 'x-fnf-csrf': string };
  cookie: string;
  csrf: string;
};

/** A session of an account, made directly: no password is hashed, so it is quick. Over plain HTTP only. */
export async function seedSession(database: Database, { accountId }: { accountId: string }): Promise<SignedIn> {
  const id = newId('ses');
  const token = randomBytes(16).toString('hex');
  assert.ok(
    await insertSession(database, {
      id,
      accountId,
      digest: digestOfToken(token),
      passwordHash: null,
      userAgent: null,
    }),
  );
  const csrf = csrfTokenOf(await installationSecret(database, 'identity'), id);
  return signedIn(id, `fanfold_session=${token}`, csrf);
}

export const testPassword = 'violet tram over 12 bridges';

/** Gives an account an address and a password, with which it can sign in. */
export async function seedPassword(database: Database, { accountId }: { accountId: string }, password = testPassword) {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  await database.query('update accounts set email = $2 where id = $1', [accountId, email]);
  await database.transaction((tx) => setPassword(tx, createPasswords(), { accountId, password }));
  return { email, password };
}

/** Signs up over HTTP; the app needs `settings: { FANFOLD_SIGNUP: 'open' }`. */
export function signUp(origin: string, body: Record<string, unknown>): Promise<SignedIn> {
  return enter(`${origin}/api/v1/auth/sign-up/email`, { password: testPassword, ...body });
}

export function signIn(origin: string, body: { email: string; password: string }): Promise<SignedIn> {
  return enter(`${origin}/api/v1/auth/sign-in/email`, body);
}

async function enter(url: string, body: unknown): Promise<SignedIn> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  assert.ok(response.ok, `${response.status} ${text}`);
  // as: the assertion above has seen a success, which has this shape.
  const answer = JSON.parse(text) as { session: { id: string }; csrf_token: string };
  return signedIn(answer.session.id, cookieOf(response), answer.csrf_token);
}

/** What a browser would send back. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');
}

function signedIn(sessionId: string, cookie: string, csrf: string): SignedIn {
  return { sessionId, cookie, csrf, headers: { cookie, 'x-fnf-csrf': csrf } };
}
