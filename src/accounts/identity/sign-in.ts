import type { Database } from '#db';
import { checkDisplayName, fault } from '#kernel';
import { checkEmail, foldEmail } from '../email.ts';
import { checkPassword, maxPasswordLength } from '../password-rules.ts';
import { checkSlug } from '../slug.ts';
import { faultOfAuth, wrongEmailOrPassword } from './auth-errors.ts';
import type { PasswordAuth } from './better-auth.ts';
import { createFlow, type Flow, type Flows, type StartedSession } from './flow.ts';
import type { Gate } from './gate.ts';
import { forgiveSignIn, takeSignInTry, takeSignUpTry } from './throttle.ts';

/** Who may open an account by himself: nobody, people of the identity provider, anyone. */
export type SignUpPolicy = 'closed' | 'oidc' | 'open';

export type SignInDeps = {
  database: Database;
  auth: () => Promise<PasswordAuth>;
  flows: Flows;
  gate: Gate;
  signUp: SignUpPolicy;
};

/** Where a request comes from. */
export type Visit = { ip: string; requestId: string };

export type SignUp = { email: string; password: string; slug: string | null; displayName: string | null };

/**
 * Opens an account with a password and signs in. Account, password and session come into being in one transaction.
 * Throws `forbidden` when sign-up is closed, `invalid_request`, `slug_taken`, `email_taken`, `rate_limited`.
 */
export async function signUpWithPassword(deps: SignInDeps, signUp: SignUp, visit: Visit): Promise<StartedSession> {
  if (deps.signUp !== 'open') throw signUpClosed();
  const { password, slug, displayName } = signUp;
  const email = checkEmail(signUp.email);
  if (slug !== null) checkSlug(slug);
  if (displayName !== null) checkDisplayName(displayName, 'display_name');
  checkPassword(password, 'password', { email, slug: slug ?? '', displayName: displayName ?? '' });
  await takeSignUpTry(deps.database, visit.ip);
  const flow = createFlow({ requestId: visit.requestId, slug, displayName });
  const { api } = await deps.auth();
  return runFlow(deps, flow, () => api.signUpEmail({ body: { email, password, name: displayName ?? '' } }));
}

/**
 * Signs in with a password. Unknown address, no password and wrong password are one answer in one time:
 * `invalid_credentials`. Throws `rate_limited`, `account_suspended` (to who knows the password).
 */
export async function signInWithPassword(
  deps: SignInDeps,
  signIn: { email: string; password: string },
  visit: Visit,
): Promise<StartedSession> {
  const { password } = signIn;
  const email = foldEmail(signIn.email);
  if (email === null || password.length > maxPasswordLength) throw wrongEmailOrPassword();
  const tried = { email, ip: visit.ip };
  await takeSignInTry(deps.database, tried);
  const { api } = await deps.auth();
  const flow = createFlow({ requestId: visit.requestId, checksPassword: true });
  const session = await runFlow(deps, flow, () => api.signInEmail({ body: { email, password } }));
  await forgiveSignIn(deps.database, tried);
  return session;
}

async function runFlow({ flows, gate }: SignInDeps, flow: Flow, work: () => Promise<unknown>): Promise<StartedSession> {
  try {
    // One piece of work for the gate: it hashes, and while signing up holds a connection.
    await gate(() => flows.run(flow, work));
  } catch (error) {
    throw faultOfAuth(error, flow);
  }
  if (!flow.session) throw new Error('better-auth signed somebody in without a session. This is a bug.');
  return flow.session;
}

function signUpClosed() {
  return fault('forbidden', {
    message: 'Sign-up is closed. Ask the operator for an account.',
    details: { reason: 'sign_up_closed' },
  });
}
