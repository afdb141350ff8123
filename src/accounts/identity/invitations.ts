import { recordActivity } from '#activity';
import { type Database, lockUntilCommit, type Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import type { Account } from '../accounts.store.ts';
import { changeEmail, checkEmail, openAccount } from '../accounts.ts';
import { checkPassword } from '../password-rules.ts';
import { checkSlug } from '../slug.ts';
import { findAccountByEmail, insertIdentity, localIssuer, putPassword } from './identities.store.ts';
import {
  findOpenInvitation,
  findUnclaimedOperator,
  hasOperator,
  type Invitation,
  insertInvitation,
  lockOpenInvitation,
  markInvitationUsed,
} from './invitations.store.ts';
import { digestOfToken, newToken } from './session-token.ts';
import { type SignInContext, type SignInDeps, type SignUp, type StartedSession, startSession } from './sign-in.ts';
import { takeSignUpTry } from './throttle.ts';

const hour = 3_600;
const startLifeSeconds = 24 * hour;
const invitationLifeSeconds = 7 * 24 * hour;

export type NewInvite = { token: string; id: string; expiresAt: Date };

/** Page that takes a token. It stands behind `#`, which browsers send to nobody. */
export const joinPath = (token: string) => `/join#${token}`;

/**
 * A token with which the first operator sets address and password, at this host only; null where an operator can sign in already.
 */
export async function createStartToken(database: Database, host: string): Promise<string | null> {
  if (await hasOperator(database)) return null;
  const token = newToken();
  await insertInvitation(database, {
    id: newId('inv'),
    kind: 'start',
    role: 'admin',
    email: null,
    digest: digestOfToken(token),
    host: host.toLowerCase(),
    createdBy: null,
    lifeSeconds: startLifeSeconds,
  });
  return token;
}

/** An invitation for one account. Throws `invalid_request`, `email_taken`. */
export async function invite(
  sql: Sql,
  { email: given, role, createdBy }: { email: string | null; role: Account['role']; createdBy: string },
): Promise<NewInvite> {
  const email = given === null ? null : checkEmail(given);
  if (email !== null && (await findAccountByEmail(sql, email))) throw fault('email_taken', { param: 'email' });
  const [id, token] = [newId('inv'), newToken()];
  const rest = { host: null, createdBy, lifeSeconds: invitationLifeSeconds };
  const expiresAt = await insertInvitation(sql, {
    id,
    kind: 'account',
    role,
    email,
    digest: digestOfToken(token),
    ...rest,
  });
  return { token, id, expiresAt };
}

type Presented = { token: string; host: string };

/** What a link is for. Throws `forbidden` for one that is not valid. */
export async function readInvitation(
  { database }: SignInDeps,
  { token, host }: Presented,
): Promise<Pick<Invitation, 'kind' | 'role' | 'email'>> {
  const found = await findOpenInvitation(database, digestOfToken(token), host);
  if (found && !(found.kind === 'start' && (await hasOperator(database)))) return found;
  throw notValid();
}

/**
 * Opens the account of an invitation and signs in; a start link gives the account that the first start made its address and
 * password. Each link works once. Throws `forbidden` for a link that is not valid, and what `signUpWithPassword` throws.
 */
export async function acceptInvitation(
  deps: SignInDeps,
  { token, host, ...signUp }: SignUp & Presented,
  visit: SignInContext,
): Promise<StartedSession> {
  const { database, passwords } = deps;
  const { password, slug, displayName } = signUp;
  const email = checkEmail(signUp.email);
  if (slug !== null) checkSlug(slug);
  if (displayName !== null) checkDisplayName(displayName, 'display_name');
  checkPassword(password, 'password', { email, slug: slug ?? '', displayName: displayName ?? '' });
  const digest = digestOfToken(token);
  // A token cannot be guessed, so only what costs a hash is counted.
  if (!(await findOpenInvitation(database, digest, host))) throw notValid();
  await takeSignUpTry(database, visit.ip);
  const passwordHash = await passwords.hash(password);
  return database.transaction(async (tx) => {
    // Of several start links that are used at once, one makes an operator.
    await lockUntilCommit(tx, 'firstStart');
    const invitation = await lockOpenInvitation(tx, digest, host);
    if (!invitation) throw notValid();
    const { kind, role } = invitation;
    if (kind === 'start' && (await hasOperator(tx))) throw notValid();
    if (invitation.email !== null && invitation.email !== email)
      throw fault('invalid_request', {
        message: `email: this invitation is for ${invitation.email}.`,
        param: 'email',
      });
    if (await findAccountByEmail(tx, email)) throw fault('email_taken', { param: 'email' });
    const claimed = kind === 'start' ? await claimOperator(tx, { email, passwordHash }, visit) : null;
    const accountId =
      claimed ?? (await openInvited(tx, deps, { ...signUp, email, role, passwordHash, invitation }, visit));
    await markInvitationUsed(tx, invitation.id, accountId);
    return startSession(tx, { accountId, passwordHash }, visit);
  });
}

async function claimOperator(
  tx: Sql,
  { email, passwordHash }: { email: string; passwordHash: string },
  { requestId }: SignInContext,
): Promise<string | null> {
  const account = await findUnclaimedOperator(tx);
  if (!account) return null;
  const { id, slug } = account;
  await changeEmail(tx, id, email);
  await putPassword(tx, id, passwordHash);
  await recordActivity(tx, {
    accountId: id,
    type: 'account.password_changed',
    actor: { kind: 'account', id, label: slug },
    subject: { kind: 'account', id, label: slug },
    message: 'Address and password were set with the start link.',
    requestId,
  });
  return id;
}

type Invited = Pick<SignUp, 'slug' | 'displayName'> & {
  email: string;
  role: Account['role'];
  passwordHash: string;
  invitation: { email: string | null };
};

async function openInvited(
  tx: Sql,
  { grantCredits }: SignInDeps,
  { email, slug, displayName, role, passwordHash, invitation }: Invited,
  { requestId }: SignInContext,
): Promise<string> {
  const name = displayName === null ? {} : { displayName };
  // An operator who invites an address vouches for it.
  const emailVerified = invitation.email !== null;
  const { id } = await openAccount(tx, { slug, email, emailVerified, role, ...name, requestId, grantCredits });
  await insertIdentity(tx, { issuer: localIssuer, subject: id, accountId: id, passwordHash });
  return id;
}

function notValid() {
  return fault('forbidden', {
    message:
      'This link is not valid: it was used, has expired, or was made for another address of this service. Ask for a new one.',
    details: { reason: 'invitation_invalid' },
  });
}
