import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAccount, updateAccountStatus } from '#accounts';
import { startApp, type TestApp } from '#test/app.ts';
import { type Browser, createBrowser, type Page } from '#test/browser.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type OidcProvider, startOidcProvider } from '#test/oidc-provider.ts';
import { signUp } from '#test/sessions.ts';

/** The address that people see; the tests' browser knows where it really is. */
const host = 'fanfold.example';
const publicUrl = `https://${host}`;
const clientSecret = 'a secret between the two of us';

const people = {
  ada: { email: 'Ada@Example.com', email_verified: true, name: 'Ada Lovelace', picture: 'https://cdn.example/ada.png' },
  bob: { email: 'bob@example.com', email_verified: true, name: 'Bob' },
  unverified: { email: 'carol@example.com', email_verified: false, name: 'Not Carol' },
  squatted: { email: 'dave@example.com', email_verified: true, name: 'Dave' },
  vouched: { email: 'eve@example.com', email_verified: true, name: 'Eve' },
  nameless: { email: 'frank@example.com', email_verified: true, name: '\u0000\u0007', picture: 'javascript:alert(1)' },
  silent: { name: 'No address' },
  odd: { email: 'root@localhost', email_verified: true, name: 'Root' },
  lookalike: { email: '\u212aim@example.com', email_verified: true, name: 'Kim' },
  newcomer: { email: 'newcomer@example.com', email_verified: true, name: 'New' },
};

let db: TestDatabase;
let provider: OidcProvider;
let app: TestApp;
let closed: TestApp;

before(async () => {
  db = await createTestDatabase();
  const redirectUri = `${publicUrl}/api/v1/auth/callback/oidc`;
  provider = await startOidcProvider({ clientId: 'fanfold', clientSecret, redirectUri, people });
  const settings = {
    FANFOLD_PUBLIC_URL: publicUrl,
    FANFOLD_OIDC_ISSUER: provider.issuer,
    FANFOLD_OIDC_CLIENT_ID: 'fanfold',
    FANFOLD_OIDC_CLIENT_SECRET: clientSecret,
    FANFOLD_OIDC_NAME: 'Example ID',
    FANFOLD_SIGNUP_CREDITS: '1',
  };
  app = await startApp(db.database, { settings: { ...settings, FANFOLD_SIGNUP: 'open' } });
  closed = await startApp(db.database, { settings: { ...settings, FANFOLD_SIGNUP: 'closed' } });
});

after(async () => {
  await app?.stop();
  await closed?.stop();
  await provider?.stop();
  await db?.drop();
});

const newBrowser = (at: TestApp = app) => createBrowser({ [host]: at.origin });

async function depart(browser: Browser, returnTo = '/projects?tab=1'): Promise<URL> {
  const page = await browser.step(`${publicUrl}/api/v1/auth/sign-in/oidc`, { json: { return_to: returnTo } });
  assert.equal(page.status, 200, page.text);
  return new URL(JSON.parse(page.text).url);
}

/** Signs in at the provider and consents; ends where our service sends the browser. */
async function signInAs(browser: Browser, person: keyof typeof people, url: URL): Promise<Page> {
  const login = await browser.visit(url.href);
  const consent = await browser.visit(login.url.href, { form: { prompt: 'login', login: person, password: 'x' } });
  return browser.visit(consent.url.href, { form: { prompt: 'consent' } });
}

async function enter(person: keyof typeof people, at: TestApp = app) {
  const browser = newBrowser(at);
  const page = await signInAs(browser, person, await depart(browser));
  return { browser, page, reason: page.url.searchParams.get('error') };
}

async function whoIs(browser: Browser) {
  const page = await browser.step(`${publicUrl}/api/v1/me`);
  return { status: page.status, account: JSON.parse(page.text) };
}

test('a new person signs in with code flow and PKCE, and gets an account, its credits and a session', async () => {
  const browser = newBrowser();
  const url = await depart(browser);
  const asked = Object.fromEntries(url.searchParams);
  assert.equal(url.origin, provider.issuer);
  assert.deepEqual(
    [asked['response_type'], asked['code_challenge_method'], asked['scope']],
    ['code', 'S256', 'openid email profile'],
  );
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked[name]?.length ?? 0) >= 32, name);
  const page = await signInAs(browser, 'ada', url);
  assert.equal(page.url.href, `${publicUrl}/projects?tab=1`);
  const { account } = await whoIs(browser);
  assert.deepEqual(
    [account.slug, account.email, account.email_verified, account.display_name, account.avatar_url, account.credits],
    ['ada', 'ada@example.com', true, 'Ada Lovelace', 'https://cdn.example/ada.png', { available: '1.000000' }],
  );
  assert.deepEqual([account.auth.identity_provider, account.auth.has_password], ['oidc', false]);
  assert.deepEqual([...browser.cookiesOf(host).keys()], ['__Host-fanfold_session'], 'the state is used up');
});

test('who comes back is the same account, without another grant', async () => {
  const first = await whoIs((await enter('bob')).browser);
  const second = await whoIs((await enter('bob')).browser);
  assert.equal(second.account.id, first.account.id);
  assert.equal(second.account.credits.available, '1.000000');
});

test('who signs in with a provider has no password to change', async () => {
  const { browser } = await enter('bob');
  const session = JSON.parse((await browser.step(`${publicUrl}/api/v1/auth/session`)).text);
  const page = await browser.step(`${publicUrl}/api/v1/me/password`, {
    headers: { 'x-fnf-csrf': session.csrf_token },
    json: { current_password: 'x', new_password: 'quiet otters fold 7 paper fans' },
  });
  const { error } = JSON.parse(page.text);
  assert.deepEqual([page.status, error.code, error.details], [409, 'state_conflict', { reason: 'external_identity' }]);
});

test('an address leads to an account only when both sides have seen that it is the person’s own', async () => {
  await signUp(app.origin, { email: 'carol@example.com' });
  assert.equal((await enter('unverified')).reason, 'account_not_linked', 'the provider has not seen it');
  await signUp(app.origin, { email: 'dave@example.com' });
  assert.equal(
    (await enter('squatted')).reason,
    'account_not_linked',
    'we have not: anybody may have signed up with it',
  );
  const made = await createAccount(db.database, { slug: 'eve', email: 'eve@example.com', emailVerified: true });
  const { browser, reason } = await enter('vouched');
  assert.equal(reason, null);
  assert.equal((await whoIs(browser)).account.id, made.id, 'the operator made it for this person');
  const identities = await db.database.query<{ subject: string }>(
    "select subject from auth_identities where issuer <> 'local'",
  );
  const subjects = identities.map(({ subject }) => subject);
  assert.ok(subjects.includes('vouched') && !subjects.includes('unverified') && !subjects.includes('squatted'));
});

test('what a provider says is taken as far as it fits, and a look-alike of an address is none', async () => {
  const { account } = await whoIs((await enter('nameless')).browser);
  assert.deepEqual([account.display_name, account.avatar_url], ['frank', null]);
  for (const person of ['silent', 'odd', 'lookalike'] as const) {
    const { browser, reason } = await enter(person);
    assert.equal(reason, 'email_missing', person);
    assert.equal((await whoIs(browser)).status, 401);
  }
});

test('with sign-up closed only those who have an account come in', async () => {
  await enter('bob');
  assert.equal((await enter('bob', closed)).reason, null);
  const { browser, reason, page } = await enter('newcomer', closed);
  assert.deepEqual([reason, page.url.pathname], ['sign_up_closed', '/sign-in']);
  assert.equal((await whoIs(browser)).status, 401);
  assert.equal((await db.database.query("select from accounts where email = 'newcomer@example.com'")).length, 0);
});

test('a suspended account is told so on the page for signing in', async () => {
  const { account } = await whoIs((await enter('bob')).browser);
  await updateAccountStatus(db.database, account.id, 'suspended');
  const { browser, reason } = await enter('bob');
  assert.equal(reason, 'account_suspended');
  assert.equal(browser.cookiesOf(host).has('__Host-fanfold_session'), false);
  await updateAccountStatus(db.database, account.id, 'active');
});

test('a code that comes without its state, in another browser or a second time is worth nothing', async () => {
  const browser = newBrowser();
  const url = await depart(browser);
  const login = await browser.visit(url.href);
  const consent = await browser.visit(login.url.href, { form: { prompt: 'login', login: 'ada', password: 'x' } });
  let page = await browser.step(consent.url.href, { form: { prompt: 'consent' } });
  while (!page.response.headers.get('location')?.startsWith(publicUrl))
    page = await browser.step(new URL(page.response.headers.get('location') ?? '', page.url).href);
  const callback = page.response.headers.get('location') ?? '';
  const reasonOf = async (from: Browser, address: string) => (await from.visit(address)).url.searchParams.get('error');
  assert.equal(await reasonOf(newBrowser(), callback), 'state_mismatch', 'another browser');
  const withoutState = new URL(callback);
  withoutState.searchParams.delete('state');
  assert.equal(await reasonOf(newBrowser(), withoutState.href), 'state_mismatch', 'no state');
  const otherState = new URL(callback);
  otherState.searchParams.set('state', 'x'.repeat(32));
  const cookies = new Map(browser.cookiesOf(host));
  assert.equal(await reasonOf(browser, otherState.href), 'state_mismatch', 'another state');
  for (const [name, value] of cookies) browser.cookiesOf(host).set(name, value);
  assert.equal(await reasonOf(browser, callback), null);
  assert.equal((await whoIs(browser)).status, 200);
  const thief = newBrowser();
  for (const [name, value] of cookies) thief.cookiesOf(host).set(name, value);
  assert.equal(await reasonOf(thief, callback), 'sign_in_failed', 'a second time, even with the state');
  assert.equal((await whoIs(thief)).status, 401);
});

test('a sign-in that began on one replica ends on another', async () => {
  const hosts = { [host]: app.origin };
  const browser = createBrowser(hosts);
  await enter('bob');
  const url = await depart(browser);
  hosts[host] = closed.origin;
  assert.equal((await signInAs(browser, 'bob', url)).url.href, `${publicUrl}/projects?tab=1`);
  assert.equal((await whoIs(browser)).status, 200);
});

test('a person who declines comes back to the page for signing in, which prints no foreign words', async () => {
  const browser = newBrowser();
  const state = (await depart(browser)).searchParams.get('state') ?? '';
  const back = `${publicUrl}/api/v1/auth/callback/oidc?state=${state}&error=access_denied&error_description=${'Call 555-1234!'}`;
  assert.equal((await browser.visit(back)).url.href, `${publicUrl}/sign-in?error=access_denied`);
  const strange = await newBrowser().visit(`${publicUrl}/api/v1/auth/callback/oidc?error=%3Cscript%3E`);
  assert.equal(strange.url.href, `${publicUrl}/sign-in?error=state_mismatch`);
});

test('people are sent back to paths of this site only', async () => {
  const ask = (json: unknown, headers: Record<string, string> = {}) =>
    newBrowser().step(`${publicUrl}/api/v1/auth/sign-in/oidc`, { json, headers });
  for (const path of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '',
    '/a\nb',
    'a',
  ]) {
    const page = await ask({ return_to: path });
    assert.deepEqual([page.status, JSON.parse(page.text).error.param], [400, 'return_to'], path);
  }
  assert.equal((await ask({}, { origin: 'https://evil.example' })).status, 403);
  assert.equal((await ask({}, { origin: publicUrl })).status, 200);
});

test('a provider that does not answer is 503, and sign-in with a password goes on', async () => {
  const settings = {
    FANFOLD_PUBLIC_URL: publicUrl,
    FANFOLD_OIDC_ISSUER: 'http://127.0.0.1:9',
    FANFOLD_OIDC_CLIENT_ID: 'fanfold',
    FANFOLD_SIGNUP: 'open',
  };
  const lonely = await startApp(db.database, { settings });
  try {
    const page = await newBrowser(lonely).step(`${publicUrl}/api/v1/auth/sign-in/oidc`, { json: {} });
    assert.deepEqual([page.status, JSON.parse(page.text).error.code], [503, 'service_unavailable']);
    assert.ok(page.response.headers.get('retry-after'));
    await signUp(lonely.origin, { email: 'lonely@example.com' });
  } finally {
    await lonely.stop();
  }
});

test('the same subject at another provider is another person', async () => {
  const redirectUri = `${publicUrl}/api/v1/auth/callback/oidc`;
  const rogue = await startOidcProvider({
    clientId: 'fanfold',
    clientSecret,
    redirectUri,
    people: { bob: { email: 'bob@rogue.example', email_verified: true, name: 'Another Bob' } },
  });
  const settings = {
    FANFOLD_PUBLIC_URL: publicUrl,
    FANFOLD_OIDC_ISSUER: rogue.issuer,
    FANFOLD_OIDC_CLIENT_ID: 'fanfold',
    FANFOLD_OIDC_CLIENT_SECRET: clientSecret,
    FANFOLD_SIGNUP: 'oidc',
  };
  const moved = await startApp(db.database, { settings });
  try {
    const before = await whoIs((await enter('bob')).browser);
    const after = await whoIs((await enter('bob', moved)).browser);
    assert.equal(after.status, 200);
    assert.notEqual(after.account.id, before.account.id);
  } finally {
    await moved.stop();
    await rogue.stop();
  }
});
