import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startApp, type TestApp } from '#test/app.ts';
import { createBrowser } from '#test/browser.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type OidcProvider, startOidcProvider } from '#test/oidc-provider.ts';
import { signIn, signUp, testPassword } from '#test/sessions.ts';

const host = 'fanfold.example';
const clientSecret = 'a secret between the two of us';

let db: TestDatabase;
let provider: OidcProvider;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  provider = await startOidcProvider({
    clientId: 'fanfold',
    clientSecret,
    redirectUri: `https://${host}/api/v1/auth/callback/oidc`,
    people: { ada: { email: 'ada@example.com', email_verified: true, name: 'Ada' } },
  });
  app = await startApp(db.database, {
    settings: {
      FANFOLD_SIGNUP: 'open',
      FANFOLD_PUBLIC_URL: `https://${host}`,
      FANFOLD_OIDC_ISSUER: provider.issuer,
      FANFOLD_OIDC_CLIENT_ID: 'fanfold',
      FANFOLD_OIDC_CLIENT_SECRET: clientSecret,
    },
  });
});

after(async () => {
  await app?.stop();
  await provider?.stop();
  await db?.drop();
});

/** Every row of every table as text: what somebody reads who got hold of a dump. */
async function dump(): Promise<string> {
  const tables = await db.database.query<{ name: string }>(
    "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const rows = await Promise.all(
    tables.map(({ name }) => db.database.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`)),
  );
  return rows
    .flat()
    .map(({ row }) => row)
    .join('\n');
}

/** The spellings in which a secret could stand in a dump. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [secret, bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')];
  return encoded.map((text) => text.replace(/=+$/, '').toLowerCase());
}

test('a dump of the database holds no password, no session, no address of a visitor and nothing of the provider that works', async () => {
  const { cookie, csrf } = await signUp(app.origin, { email: 'bob@example.com' });
  const again = await signIn(app.origin, { email: 'bob@example.com', password: testPassword });
  await assert.rejects(signIn(app.origin, { email: 'bob@example.com', password: 'a guess of some length' }));
  const browser = createBrowser({ [host]: app.origin });
  const asked = await browser.step(`https://${host}/api/v1/auth/sign-in/oidc`, { json: {} });
  const url = new URL(JSON.parse(asked.text).url);
  const login = await browser.visit(url.href);
  const consent = await browser.visit(login.url.href, { form: { prompt: 'login', login: 'ada', password: 'x' } });
  await browser.visit(consent.url.href, { form: { prompt: 'consent' } });
  const sessions = [cookie, again.cookie, browser.cookiesOf(host).get('__Host-fanfold_session') ?? ''];
  const tokens = sessions.map((each) => each.split('=').at(-1) ?? '');
  for (const token of tokens) assert.match(token, /^[A-Za-z0-9]{32}$/);

  const text = (await dump()).toLowerCase();
  for (const token of tokens) {
    const digest = createHash('sha256').update(token).digest('hex');
    assert.ok(text.includes(digest), 'the dump is one of this database');
  }
  const { searchParams } = url;
  const ofProvider = [clientSecret, searchParams.get('state') ?? '', searchParams.get('nonce') ?? ''];
  const secrets = [...tokens, csrf, testPassword, 'a guess of some length', ...ofProvider, '127.0.0.1'];
  for (const secret of secrets) {
    assert.notEqual(secret, '');
    const issuerAside = text.replaceAll(provider.issuer, '');
    for (const spelling of spellings(secret))
      assert.ok(!issuerAside.includes(spelling), `the dump holds ${secret} as ${spelling}`);
  }
  assert.doesNotMatch(text, /eyj[\w-]{10,}\.eyj[\w-]{10,}\./, 'a token of the provider');
  const hashes = await db.database.query<{ hash: string }>(
    "select password_hash as hash from auth_identities where issuer = 'local'",
  );
  for (const { hash } of hashes) assert.match(hash, /^[0-9a-f]{32}:[0-9a-f]{128}$/, 'scrypt, with a salt of its own');
});

test('what somebody finds in a dump signs nobody in', async () => {
  const rows = await db.database.query<{ digest: Buffer; id: string }>(
    'select token_digest as digest, id from auth_sessions',
  );
  assert.ok(rows.length >= 3);
  for (const { digest, id } of rows)
    for (const token of [
      digest.toString('hex'),
      digest.toString('base64url'),
      digest.toString('hex').slice(0, 32),
      id,
    ]) {
      const headers = { cookie: `__Host-fanfold_session=${token}` };
      assert.equal((await fetch(`${app.origin}/api/v1/me`, { headers })).status, 401);
    }
});
