import { type Answer, type Contract, said } from '#http';
import { accountExample } from '../account.contract.ts';
import { callbackQuery, departAnswer, optionsAnswer, sessionAnswer, signOutEverywhereAnswer } from './auth.schema.ts';

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
  'set-cookie': said(
    'The session, for browsers: `HttpOnly`, `SameSite=Lax`, and `Secure` over HTTPS.',
    '会话 Cookie：`HttpOnly`、`SameSite=Lax`，经 HTTPS 时为 `Secure`。',
  ),
};

const signedIn = (text: Answer['description']): Answer => ({
  description: text,
  schema: sessionAnswer,
  headers: cookieSet,
  example,
});

const cookieCleared = { 'set-cookie': said('Takes the session cookie away.', '清除会话 Cookie。') };

export const signUpContract: Contract = {
  tag,
  summary: said('Sign up', '注册'),
  description: said(
    'Opens an account with a password and signs in. `forbidden` when the operator has closed sign-up. A weak password is refused with the broken rules in `details.rules`.',
    '以密码开户并登录。运营方关闭注册时返回 `forbidden`。弱密码会被拒绝，`details.rules` 列出所违反的规则。',
  ),
  bodyExample: { email: 'ada@example.com', password: 'violet tram over 12 bridges', slug: 'ada' },
  answers: { 201: signedIn(said('The account, signed in.', '账户已开立并登录。')) },
  faults: ['forbidden', 'slug_taken', 'email_taken', 'rate_limited'],
};

export const signInContract: Contract = {
  tag,
  summary: said('Sign in with a password', '使用密码登录'),
  description: said(
    'Unknown address and wrong password are one answer, `invalid_credentials`. More than 5 tries in 15 minutes from one address are `rate_limited`, and so are many from several.',
    '邮箱不存在与密码错误返回相同的 `invalid_credentials`。同一来源 15 分钟内尝试超过 5 次，或多个来源的大量尝试，将返回 `rate_limited`。',
  ),
  bodyExample: { email: 'ada@example.com', password: 'violet tram over 12 bridges' },
  answers: { 200: signedIn(said('The new session.', '新会话。')) },
  faults: ['forbidden', 'invalid_credentials', 'account_suspended', 'rate_limited'],
};

export const departContract: Contract = {
  tag,
  summary: said('Sign in with the identity provider', '通过身份提供方登录'),
  description: said(
    'Gives the address of the provider (OpenID Connect, code flow with PKCE). `not_found` when the operator has not configured one.',
    '返回身份提供方的地址（OpenID Connect，带 PKCE 的授权码流程）。运营方未配置时返回 `not_found`。',
  ),
  bodyExample: { return_to: '/projects' },
  answers: {
    200: {
      description: said('Where to go.', '跳转地址。'),
      schema: departAnswer,
      headers: { 'set-cookie': said('The state of this sign-in, encrypted.', '本次登录的状态（加密）。') },
      example: { url: 'https://id.example.com/auth?client_id=fanfold&response_type=code&state=x1Y2' },
    },
  },
  faults: ['forbidden', 'not_found', 'service_unavailable'],
};

export const arriveContract: Contract = {
  tag,
  summary: said('Come back from the identity provider', '从身份提供方返回'),
  description: said(
    'For the browser only. Ends on the page that was asked for, or on `/sign-in?error=...` with `access_denied`, `account_not_linked`, `account_suspended`, `email_missing`, `email_taken`, `sign_up_closed`, `state_mismatch`, `service_unavailable` or `sign_in_failed`.',
    '仅供浏览器使用。完成后跳转到所请求的页面；失败则跳转到 `/sign-in?error=...`，取值为 `access_denied`、`account_not_linked`、`account_suspended`、`email_missing`、`email_taken`、`sign_up_closed`、`state_mismatch`、`service_unavailable` 或 `sign_in_failed`。',
  ),
  query: callbackQuery,
  answers: {
    302: {
      description: said('To the next page.', '跳转到下一页面。'),
      headers: { location: said('The next page.', '下一页面。'), ...cookieSet },
    },
  },
  faults: ['not_found'],
};

export const optionsContract: Contract = {
  tag,
  summary: said('Show how to sign in', '查看登录方式'),
  description: said(
    'Who may open an account, which identity provider there is, and how long passwords are. For everybody.',
    '谁可以注册、有哪个身份提供方，以及密码长度。对所有人公开。',
  ),
  answers: {
    200: {
      description: said('What a page for signing in needs to know.', '登录页面所需的信息。'),
      schema: optionsAnswer,
      example: { sign_up: 'closed', oidc: { name: 'Example ID' }, password: { min_length: 12, max_length: 128 } },
    },
  },
};

export const sessionContract: Contract = {
  tag,
  summary: said('Show the session', '查看会话'),
  description: said(
    'Whose session it is, and its token against forged requests.',
    '当前会话所属账户，以及防伪造请求的令牌。',
  ),
  answers: { 200: { description: said('The session.', '会话。'), schema: sessionAnswer, example } },
  credential: 'session',
};

export const signOutContract: Contract = {
  tag,
  summary: said('Sign out', '退出登录'),
  description: said(
    'Ends the session of this browser; the very next request with it is refused.',
    '结束此浏览器的会话；此后使用该会话的请求立即被拒绝。',
  ),
  answers: { 204: { description: said('The session has ended.', '会话已结束。'), headers: cookieCleared } },
  credential: 'session',
};

export const signOutEverywhereContract: Contract = {
  tag,
  summary: said('Sign out everywhere', '在所有设备上退出登录'),
  description: said(
    'Ends all sessions of the account, at once and on every server; keys stay.',
    '立即结束该账户在所有服务器上的全部会话；密钥不受影响。',
  ),
  bodyExample: { keep_current: true },
  answers: {
    200: {
      description: said('They have ended.', '会话已全部结束。'),
      schema: signOutEverywhereAnswer,
      headers: cookieCleared,
      example: { ended: 3 },
    },
  },
  credential: 'session',
};
