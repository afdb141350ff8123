import type { Contract, ContractAnswer } from '#http';
import { accountExample } from '../account.contract.ts';
import {
  callbackQuery,
  departAnswer,
  invitationAnswer,
  optionsAnswer,
  sessionAnswer,
  sessionsAnswer,
  signOutEverywhereAnswer,
} from './auth.schema.ts';

const tag = 'account';

const example = {
  session: {
    id: 'ses_01KAXR7C2D4F6H8J0K2M4N6P8Q',
    created_at: '2026-01-02T03:04:05.678Z',
    expires_at: '2026-01-16T03:04:05.678Z',
  },
  csrf_token: 'b7qZ0oXv3iV4b1q3yV2bqk3o8r2c7n0d9f1w5s6t8uA',
  account: accountExample,
};

const cookieSet = {
  'set-cookie': 'The session, for browsers: `HttpOnly`, `SameSite=Lax`, and `Secure` over HTTPS.',
};

const signedIn = (text: ContractAnswer['description']): ContractAnswer => ({
  description: text,
  schema: sessionAnswer,
  headers: cookieSet,
  example,
});

const cookieCleared = { 'set-cookie': 'Takes the session cookie away.' };

export const signUpContract: Contract = {
  tag,
  summary: 'Sign up',
  description:
    'Opens an account with a password and signs in. `forbidden` when the operator has closed sign-up. A weak password is refused with the broken rules in `details.rules`.',
  bodyExample: { email: 'ada@example.com', password: 'violet tram over 12 bridges', slug: 'ada' },
  answers: { 201: signedIn('The account, signed in.') },
  faults: ['forbidden', 'slug_taken', 'email_taken', 'rate_limited'],
};

const token = 'V4bTq3kS8mD2xW9zJ6nR1pL5cH7fG0aY';

export const invitationContract: Contract = {
  tag,
  summary: 'Show an invitation',
  description:
    'What a link is for: one that an operator made for a person, or the one that the server prints at its start for the first operator. `forbidden` when it was used, has expired, or was made for another host.',
  bodyExample: { token },
  answers: {
    200: {
      description: 'What it is for.',
      schema: invitationAnswer,
      example: { kind: 'account', role: 'user', email: 'ada@example.com' },
    },
  },
  faults: ['forbidden'],
};

export const joinContract: Contract = {
  tag,
  summary: 'Accept an invitation',
  description: 'Opens an account with a password and signs in, also where sign-up is closed. A link works once.',
  bodyExample: { token, email: 'ada@example.com', password: 'violet tram over 12 bridges', slug: 'ada' },
  answers: { 201: signedIn('The account, signed in.') },
  faults: ['forbidden', 'slug_taken', 'email_taken', 'rate_limited'],
};

export const signInContract: Contract = {
  tag,
  summary: 'Sign in with a password',
  description:
    'Unknown address and wrong password are one answer, `invalid_credentials`. More than 5 tries in 15 minutes from one address are `rate_limited`, and so are many from several.',
  bodyExample: { email: 'ada@example.com', password: 'violet tram over 12 bridges' },
  answers: { 200: signedIn('The new session.') },
  faults: ['forbidden', 'invalid_credentials', 'account_suspended', 'rate_limited'],
};

export const departContract: Contract = {
  tag,
  summary: 'Sign in with the identity provider',
  description:
    'Gives the address of the provider (OpenID Connect, code flow with PKCE). `not_found` when the operator has not configured one.',
  bodyExample: { return_to: '/projects' },
  answers: {
    200: {
      description: 'Where to go.',
      schema: departAnswer,
      headers: { 'set-cookie': 'The state of this sign-in, encrypted.' },
      example: { url: 'https://id.example.com/auth?client_id=fanfold&response_type=code&state=x1Y2' },
    },
  },
  faults: ['forbidden', 'not_found', 'service_unavailable'],
};

export const arriveContract: Contract = {
  tag,
  summary: 'Come back from the identity provider',
  description:
    'For the browser only. Ends on the page that was asked for, or on `/sign-in?error=...` with `access_denied`, `account_not_linked`, `account_suspended`, `email_missing`, `email_taken`, `sign_up_closed`, `state_mismatch`, `service_unavailable` or `sign_in_failed`.',
  query: callbackQuery,
  answers: {
    302: {
      description: 'To the next page.',
      headers: { location: 'The next page.', ...cookieSet },
    },
  },
  faults: ['not_found'],
};

export const optionsContract: Contract = {
  tag,
  summary: 'Show how to sign in',
  description: 'Who may open an account, which identity provider there is, and how long passwords are. For everybody.',
  answers: {
    200: {
      description: 'What a page for signing in needs to know.',
      schema: optionsAnswer,
      example: { sign_up: 'closed', oidc: { name: 'Example ID' }, password: { min_length: 12, max_length: 128 } },
    },
  },
};

export const sessionContract: Contract = {
  tag,
  summary: 'Show the session',
  description: 'Whose session it is, and its token against forged requests.',
  answers: { 200: { description: 'The session.', schema: sessionAnswer, example } },
  credential: 'session',
};

export const signOutContract: Contract = {
  tag,
  summary: 'Sign out',
  description: 'Ends the session of this browser; the very next request with it is refused.',
  answers: { 204: { description: 'The session has ended.', headers: cookieCleared } },
  credential: 'session',
};

export const signOutEverywhereContract: Contract = {
  tag,
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the account, at once and on every server; keys stay.',
  bodyExample: { keep_current: true },
  answers: {
    200: {
      description: 'They have ended.',
      schema: signOutEverywhereAnswer,
      headers: cookieCleared,
      example: { ended: 3 },
    },
  },
  credential: 'session',
};

export const sessionsContract: Contract = {
  tag,
  summary: 'List sessions',
  description: 'Where the account is signed in. An account has at most 100 sessions.',
  answers: {
    200: {
      description: 'The sessions that have not ended.',
      schema: sessionsAnswer,
      example: {
        data: [
          {
            ...example.session,
            last_used_at: '2026-01-02T09:04:05.678Z',
            user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
            is_current: true,
          },
        ],
      },
    },
  },
  credential: 'session',
};

export const endSessionContract: Contract = {
  tag,
  summary: 'End a session',
  description:
    'The very next request with it is refused, on every server. It may be the session of the request itself.',
  answers: { 204: { description: 'The session has ended.' } },
  credential: 'session',
};
