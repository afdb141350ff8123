import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedAccount } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type SignedIn, seedPassword, seedSession, signIn } from '#test/sessions.ts';

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

async function ask(method: string, path: string, { headers }: SignedIn) {
  const response = await fetch(`${app.origin}/api/v1/${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const statusOf = async (session: SignedIn) => (await ask('GET', 'me', session)).status;

test('the list of sessions shows where an account is signed in, and one of them is ended alone', async () => {
  const account = await seedAccount(db.database);
  const laptop = await seedSession(db.database, account);
  const phone = await seedSession(db.database, account);
  const foreign = await seedSession(db.database, await seedAccount(db.database));
  await db.database.query(`update auth_sessions set last_used_at = now() - interval '2 hours' where id = $1`, [
    phone.sessionId,
  ]);
  const { body } = await ask('GET', 'auth/sessions', laptop);
  const shown = body.data.map((row: { id: string; is_current: boolean }) => [row.id, row.is_current]);
  assert.deepEqual(shown, [
    [laptop.sessionId, true],
    [phone.sessionId, false],
  ]);
  const end = (session: SignedIn) => ask('DELETE', `auth/sessions/${session.sessionId}`, laptop);
  assert.deepEqual([(await end(foreign)).status, await statusOf(foreign)], [404, 200]);
  assert.deepEqual([(await end(phone)).status, await statusOf(phone), await statusOf(laptop)], [204, 401, 200]);
  assert.equal((await end(phone)).body.error.code, 'not_found');
});

test('a session shows the browser that signed in, cut to 400 characters', async () => {
  const account = await seedAccount(db.database);
  const person = await seedPassword(db.database, account);
  const response = await fetch(`${app.origin}/api/v1/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': `Browser/1.0 ${'x'.repeat(500)}` },
    body: JSON.stringify(person),
  });
  assert.equal(response.status, 200);
  const { body } = await ask('GET', 'auth/sessions', await signIn(app.origin, person));
  const agents = body.data.map((row: { user_agent: string | null }) => row.user_agent);
  assert.ok(agents.includes(`Browser/1.0 ${'x'.repeat(388)}`), String(agents));
});

test('use is noted also of a session whose end can be put off no more', async () => {
  const session = await seedSession(db.database, await seedAccount(db.database));
  await db.database.query(
    `update auth_sessions set created_at = now() - interval '89 days', expires_at = now() + interval '1 day',
       last_used_at = now() - interval '2 hours' where id = $1`,
    [session.sessionId],
  );
  assert.equal(await statusOf(session), 200);
  const isNoted = () =>
    db.database.query(
      `select from auth_sessions where id = $1 and last_used_at > now() - interval '1 minute'
         and expires_at < now() + interval '1 day'`,
      [session.sessionId],
    );
  while ((await isNoted()).length === 0) await sleep(5);
});
