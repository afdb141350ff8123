import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';

await awayFromMidnight();

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

const run = promisify(execFile);

/** Runs the command line; resolves to the lines of what it prints, rejects when it fails. */
async function fanfold(...args: string[]): Promise<string[]> {
  const main = join(import.meta.dirname, '../main.ts');
  const { stdout } = await run(process.execPath, [main, ...args], {
    env: { ...process.env, DATABASE_URL: db.url },
    timeout: 180_000,
  });
  return stdout.trimEnd().split('\n').slice(1);
}

test('an operator limits a key and an account, sees it, and lifts it again', async () => {
  const { accountId, slug } = await seedAccount(db.database);
  const { keyId } = await seedKey(db.database, { accountId });
  const ofKey = ['keys', 'limit', keyId, '-a', slug];
  const [perMinute = '', concurrent = '', perDay = ''] = await fanfold(
    ...ofKey,
    '--requests-per-minute',
    '60',
    '--credits-per-day',
    '2.5',
  );
  assert.match(perMinute, /^requests per minute +60 +0$/);
  assert.match(concurrent, /^concurrent requests +none +0$/);
  assert.match(perDay, /^credits per day +2\.500000 +0\.000000$/);
  const lifted = await fanfold(...ofKey, '--requests-per-minute', 'none');
  assert.match(lifted[0] ?? '', / none +0$/);
  assert.match(lifted[2] ?? '', / 2\.500000 /);
  const account = await fanfold('accounts', 'limit', slug, '--concurrent-requests', '4');
  assert.match(account[1] ?? '', /^concurrent requests +4 +none +0$/);
  await db.database.query('update accounts set concurrent_requests = 2, requests_per_minute = 9 where id = $1', [
    accountId,
  ]);
  const both = await fanfold('accounts', 'limit', slug);
  assert.match(both[0] ?? '', /^requests per minute +none +9 +0$/);
  assert.match(both[1] ?? '', /^concurrent requests +4 +2 +0$/);
  assert.match(both[3] ?? '', /^MiB stored +none +0$/);
  const stored = await fanfold('accounts', 'limit', slug, '--storage-mib', '1000000');
  assert.match(stored[3] ?? '', /^MiB stored +1000000 +0$/);
  assert.match(stored[1] ?? '', /^concurrent requests +4 +2 +0$/);
  const free = await fanfold('accounts', 'limit', slug, '--storage-mib', 'none');
  assert.match(free[3] ?? '', /^MiB stored +none +0$/);
});

test('an operator makes a key with its limits, and sees them in the list of keys', async () => {
  const { slug } = await seedAccount(db.database);
  const created = ['keys', 'create', '-a', slug, '--name', 'shop', '--requests-per-minute', '60'];
  await fanfold(...created, '--credits-per-day', '2.5');
  await fanfold('keys', 'create', '-a', slug, '--name', 'free');
  const lines = await fanfold('keys', 'list', '-a', slug);
  assert.match(lines.find((line) => line.endsWith('shop')) ?? '', / 60 per minute, 2\.500000 credits per day +shop$/);
  assert.doesNotMatch(lines.find((line) => line.endsWith('free')) ?? 'per', /per/);
  await assert.rejects(
    fanfold('keys', 'create', '-a', slug, '--name', 'none', '--concurrent-requests', '0'),
    (error) => {
      assert.match(String(Reflect.get(Object(error), 'stderr')), /^A limit is a number from 1 to 10000, .*\n$/);
      return true;
    },
  );
  assert.equal((await fanfold('keys', 'list', '-a', slug)).length, lines.length);
});

test('a limit that cannot be and a key of somebody else are refused in one line', async () => {
  const [{ slug }, other] = [await seedAccount(db.database), await seedAccount(db.database)];
  const { keyId } = await seedKey(db.database, { accountId: other.accountId });
  for (const [args, line] of [
    [['keys', 'limit', keyId, '-a', slug], /^There is no such key\.\n$/],
    [
      ['accounts', 'limit', slug, '--requests-per-minute', '0'],
      /^A limit is a number from 1 to 1000000, or "none";.*\n$/,
    ],
    [['accounts', 'limit', slug, '--credits-per-day', 'much'], /^Credits are a number .*\n$/],
  ] as const)
    await assert.rejects(fanfold(...args), (error: Error & { stderr?: string }) => {
      assert.match(error.stderr ?? '', line);
      return true;
    });
});
