import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { assault } from '#test/assault.ts';
import { createTestDatabase } from '#test/database.ts';
import { bodyOf, protocolRows } from '#test/protocols.ts';
import { startServerProcess } from '#test/server-process.ts';

const count = 10_000;
const seed = 20_260_102;
// Requests that claim more bytes than they send are cut off soon, so that ten thousand do not take hours.
const limits = { headersTimeoutMs: 600, requestTimeoutMs: 1_000 };

test(`${count} malformed requests: no 5xx, no crash, no stall, every error in its envelope, and the service goes on`, async (t) => {
  const db = await createTestDatabase();
  t.after(() => db.drop());
  const { accountId } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const { keyId: victim } = await seedKey(db.database, { accountId });

  const server = await startServerProcess(db.url, { limits });
  t.after(server.kill);
  const { origin } = server;

  const { statuses, failures } = await assault({
    port: Number(new URL(origin).port),
    key,
    count,
    seed,
    patienceMs: 120_000,
    targets: [
      { method: 'POST', path: '/api/v1/keys', body: { name: 'API key' } },
      { method: 'GET', path: '/api/v1/keys?limit=25' },
      { method: 'PATCH', path: `/api/v1/keys/${victim}/activate` },
      { method: 'PATCH', path: `/api/v1/keys/${victim}/deactivate`, body: {} },
      { method: 'DELETE', path: '/api/v1/keys/key_00000000000000000000000000' },
      ...protocolRows.map((row) => ({ method: 'POST', path: `/api/projects/o/p/${row.path}`, body: bodyOf(row) })),
      { method: 'POST', path: '/v1/embeddings', body: { model: 'm', input: 'a' } },
      { method: 'GET', path: '/healthz' },
    ],
  });
  t.diagnostic(`first answers by status: ${JSON.stringify(statuses)}`);
  assert.equal(failures.length, 0, failures.slice(0, 5).join('\n\n'));
  assert.ok(
    (statuses[400] ?? 0) > count / 10 && (statuses[415] ?? 0) > count / 100,
    'the attack does not reach the door',
  );

  assert.equal((await fetch(`${origin}/api/v1/keys`, { headers: bearer(key) })).status, 200);
  const { stallMs, exitCode } = await server.stop();
  t.diagnostic(`longest stall of the event loop: ${Math.round(stallMs)} ms`);
  assert.ok(stallMs < 1_000, `${stallMs} ms`);
  assert.equal(exitCode, 0);
});
