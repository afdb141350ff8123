import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { signIn, testPassword } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

/** Runs the command line with this standard input. */
async function fanfold(input: string, ...args: string[]) {
  const main = join(import.meta.dirname, '../main.ts');
  const env = { ...process.env, DATABASE_URL: db.url };
  const child = spawn(process.execPath, [main, ...args], { env, timeout: 180_000 });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code: Number(code) };
}

test('an operator makes an account that can sign in, and its password is in no argument', async () => {
  const flags = ['--email', 'Ada@Example.com', '--admin', '--name', 'Ada', '--password-stdin'];
  const made = await fanfold(`${testPassword}\n`, 'accounts', 'create', 'ada', ...flags);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^acc_\w{26}\n$/);
  const { cookie } = await signIn(app.origin, { email: 'ada@example.com', password: testPassword });
  const answer = await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } });
  const account = Object(await answer.json());
  assert.deepEqual(
    [account.slug, account.role, account.email_verified, account.display_name, account.credits],
    ['ada', 'admin', true, 'Ada', { available: '0.000000' }],
  );
});

test('an account that cannot be is refused in one line, and nothing of it is kept', async () => {
  const cases: [string[], string, RegExp][] = [
    [['bob', '--email', 'ADA@example.com'], '', /^An account has this e-mail address already\.\n$/],
    [['bob', '--password-stdin'], 'password\n', /^password: this password has fewer than 12[^\n]+\n$/],
  ];
  for (const [args, input, message] of cases) {
    const { code, stderr } = await fanfold(input, 'accounts', 'create', ...args);
    assert.deepEqual([code, message.test(stderr)], [1, true], stderr);
  }
  assert.equal((await db.database.query("select from accounts where slug = 'bob'")).length, 0);
});

test('an account without address or password gets both, and setting a password ends its sessions', async () => {
  await seedAccount(db.database, { slug: 'local' });
  const set = await fanfold(testPassword, 'accounts', 'set-password', 'local');
  assert.match(
    set.stderr,
    /^local has no e-mail address to sign in with yet; [^\n]*"accounts set-email local <address>"\.\n$/,
  );
  assert.equal((await fanfold('', 'accounts', 'set-email', 'local', 'me@example.com')).code, 0);
  const { cookie } = await signIn(app.origin, { email: 'me@example.com', password: testPassword });
  const next = 'quiet otters fold 7 paper fans';
  assert.equal((await fanfold(`${next}\r\nmore`, 'accounts', 'set-password', 'local', '--password-stdin')).code, 0);
  assert.equal((await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } })).status, 401);
  await signIn(app.origin, { email: 'me@example.com', password: next });
});

test('a suspended account is shut out at once and let in again, and the list shows who is who', async () => {
  const { cookie } = await signIn(app.origin, { email: 'ada@example.com', password: testPassword });
  const status = async () => (await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } })).status;
  assert.equal((await fanfold('', 'accounts', 'suspend', 'ada')).stdout, 'ada is suspended.\n');
  assert.equal(await status(), 403);
  const { stdout } = await fanfold('', 'accounts', 'list');
  assert.match(stdout, /^SLUG +ID +EMAIL +ROLE +STATUS +CREDITS +CREATED\n/);
  assert.match(stdout, /\nada +acc_\w{26} +ada@example\.com +admin +suspended +0\.000000 /);
  assert.equal((await fanfold('', 'accounts', 'activate', 'ada')).stdout, 'ada is active.\n');
  assert.equal(await status(), 200);
});
