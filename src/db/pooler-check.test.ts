import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '#test/database.ts';
import { startLossyPooler } from '#test/lossy-pooler.ts';
import { refuseLossyPooler } from './pooler-check.ts';

test('a pooler that loses prepared statements is refused in one line, however many connections it has', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  for (const servers of [1, 2, 3, 5]) {
    const pooler = await startLossyPooler(url, servers);
    await assert.rejects(refuseLossyPooler(pooler.url), {
      name: 'OperatorError',
      message:
        /^The connection pooler .* loses prepared statements\. With PgBouncer take 1\.21 or newer .* pool_mode = session\. \(127\.0\.0\.1:\d+\/test_\w+\)$/,
    });
    await pooler.close();
  }
});

test('PostgreSQL itself is accepted, and one that is unavailable is left to the connection itself', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  await refuseLossyPooler(url);
  await refuseLossyPooler('postgres://u:p@127.0.0.1:1/x');
});
