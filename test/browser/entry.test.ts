import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import { type OidcProvider, startOidcProvider } from '#test/oidc-provider.ts';
import { seedPassword, testPassword } from '#test/sessions.ts';
import { assertAccessible } from './axe.ts';
import { hasValue, openStage, type Stage, seedOwner, settle } from './stage.ts';

const host = 'fanfold.example';
const clientSecret = 'a secret between the two of us';

let open: Stage;
let closed: Stage;
let provider: OidcProvider;

before(async () => {
  const redirectUri = `http://${host}/api/v1/auth/callback/oidc`;
  const people = { ada: { email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' } };
  provider = await startOidcProvider({ clientId: 'fanfold', clientSecret, redirectUri, people });
  open = await openStage({ settings: { FANFOLD_SIGNUP: 'open', FANFOLD_SIGNUP_CREDITS: '5' } });
  closed = await openStage({
    host,
    settings: {
      FANFOLD_PUBLIC_URL: `http://${host}`,
      FANFOLD_SIGNUP: 'oidc',
      FANFOLD_OIDC_ISSUER: provider.issuer,
      FANFOLD_OIDC_CLIENT_ID: 'fanfold',
      FANFOLD_OIDC_CLIENT_SECRET: clientSecret,
      FANFOLD_OIDC_NAME: 'Example ID',
    },
  });
});

after(async () => {
  await open?.close();
  await closed?.close();
  await provider?.stop();
});

test('one signs in with a password, after a wrong one too, and comes to the page that was asked for', async () => {
  const account = await seedAccount(open.database);
  const { email } = await seedPassword(open.database, account);
  const { page, go, leave } = await open.open({ expected: [/^401 .*sign-in\/email$/] });
  await go('/keys');
  assert.equal(new URL(page.url()).pathname, '/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await page.getByText('The address or the password is wrong.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.goto(`${open.origin}/sign-in`);
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await leave();
});

test('an address that leads nowhere says so, and leads home', async () => {
  const owner = await seedOwner(open.database);
  const { page, go, leave } = await open.open({ ...owner, expected: [/^404 \/nowhere$/] });
  await go('/nowhere');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await assertAccessible(page, 'nowhere');
  await page.getByRole('main').getByRole('link').click();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await leave();
});

test('an address of another site is no page to come to', async () => {
  const account = await seedAccount(open.database);
  const { email } = await seedPassword(open.database, account);
  const { page, go, leave } = await open.open();
  await go('/sign-in?next=//evil.example/');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  assert.ok(page.url().startsWith(open.origin));
  await leave();
});

test('where sign-up is open one opens an account, with a good password only', async () => {
  const { page, go, leave } = await open.open({ expected: [/^400 .*sign-up\/email$/] });
  await go('/sign-in');
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Create account' }).waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.locator('input[type="email"][aria-invalid="true"]:focus').waitFor();
  await page.getByLabel('Your name').fill('Grace Hopper');
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill('123456789012');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('It repeats or counts up a few characters.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Welcome, Grace Hopper.').waitFor();
  await page.getByText('5.00', { exact: true }).waitFor();
  await leave();
});

test('where the identity provider opens accounts the page says so, and its button leads in and back to the page', async () => {
  const { page, go, leave } = await closed.open({ expected: [/^(4|5).* http:\/\/127\.0\.0\.1/] });
  await go('/sign-up');
  await page.getByText('Accounts are created by signing in with Example ID.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await settle(page);
  assert.equal(await page.getByRole('link', { name: 'Create account' }).count(), 0);
  await go('/activity');
  await page.getByRole('button', { name: 'Continue with Example ID' }).click();
  await page.locator('input[name="login"]').fill('ada');
  await page.locator('input[name="password"]').fill('any');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('button', { name: /continue/i }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor();
  await leave();
});

test('what the identity provider refused is told in words', async () => {
  const { page, go, leave } = await closed.open();
  await go('/sign-in?error=account_not_linked');
  await page
    .getByRole('alert')
    .getByText(/not linked to the identity provider/)
    .waitFor();
  await go('/sign-in?error=%3Cscript%3E');
  await page.getByRole('alert').getByText('Sign-in failed. Try again.').waitFor();
  await leave();
});

test('a session that ends elsewhere ends on the page at the next request', async () => {
  const owner = await seedOwner(open.database);
  const { page, go, leave } = await open.open({ ...owner, expected: [/^401 /] });
  await go('/projects');
  await open.database.query('delete from auth_sessions where account_id = $1', [owner.accountId]);
  await page.getByRole('link', { name: 'API keys' }).click();
  await page
    .getByRole('alert')
    .getByText(/^Your session has ended/)
    .waitFor();
  assert.equal(new URL(page.url()).searchParams.get('next'), '/keys');
  await leave();
});

test('what is written in a dialog stands there again after the session has ended under it', async () => {
  const owner = await seedOwner(open.database);
  const { email } = await seedPassword(open.database, owner);
  const { page, go, leave } = await open.open({ ...owner, expected: [/^401 /] });
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel('Name', { exact: true });
  await go('/projects');
  await page.getByRole('button', { name: 'New project' }).first().click();
  await name.fill('Help desk');
  await dialog.getByLabel('Embedding').check();
  await open.database.query('delete from auth_sessions where account_id = $1', [owner.accountId]);
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'New project' }).first().click();
  await hasValue(name, 'Help desk');
  assert.ok(await dialog.getByLabel('Embedding').isChecked());
  // Closed by hand, it is given up as ever.
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New project' }).first().click();
  await hasValue(name, '');
  await leave();
});

test('a page whose code does not come is no reason to leave the app: it comes when the server does', async () => {
  const owner = await seedOwner(open.database);
  const { page, go, leave } = await open.open(owner);
  await go('/projects');
  const away = /\/assets\/activity-page|\/auth\/options$/;
  await page.route(away, (route) => route.abort());
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('The server could not be reached.').waitFor();
  await assertAccessible(page, 'unreachable');
  await page.getByRole('link', { name: 'Projects', exact: true }).click();
  await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('The server could not be reached.').waitFor();
  await page.unroute(away);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await leave();
});

test('signing out ends the session and leaves nothing of the account behind', async () => {
  const owner = await seedOwner(open.database);
  const { page, go, leave } = await open.open(owner);
  await go('/keys');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const sessions = await open.database.query('select from auth_sessions where account_id = $1', [owner.accountId]);
  assert.equal(sessions.length, 0);
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByText('First key').count(), 0);
  await leave();
});

test('the operator who comes first is told how to get in', async () => {
  const { page, go, leave } = await closed.open();
  await go('/');
  await page.getByText('Forgot your password, or new here?').click();
  await page.getByText('accounts set-password local').waitFor();
  await leave();
});
