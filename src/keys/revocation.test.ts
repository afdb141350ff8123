import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';

const rounds = 40;
const clientsPerReplica = 4;
const program = fileURLToPath(import.meta.resolve('#test/server-program.ts'));

type Replica = { origin: string; child: ChildProcess };

let db: TestDatabase;
let replicas: [Replica, Replica];
const agent = new Agent({ keepAlive: true });

async function startReplica(): Promise<Replica> {
  const child = spawn(process.execPath, [program, db.url], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { origin: String(line).trim(), child };
}

before(async () => {
  db = await createTestDatabase();
  replicas = [await startReplica(), await startReplica()];
});

after(async () => {
  agent.destroy();
  await Promise.all(
    replicas.map(({ child }) => {
      child.stdin?.end();
      return once(child, 'exit');
    }),
  );
  await db.drop();
});

function statusOf(method: string, url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers: bearer(key) }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });
}

type Seen = { startedMs: number; status: number };

/** Clients that call both replicas with a key, one request after the other each, and note what they got. */
function hammer(key: string) {
  const seen: Seen[] = [];
  const running = { now: true };
  const client = async (origin: string) => {
    while (running.now) {
      const startedMs = performance.now();
      const status = await statusOf('GET', `${origin}/api/v1/keys?limit=1`, key);
      seen.push({ startedMs, status });
    }
  };
  const clients = replicas.flatMap(({ origin }) => Array.from({ length: clientsPerReplica }, () => client(origin)));
  return {
    seen,
    stop: async () => {
      running.now = false;
      await Promise.all(clients);
    },
  };
}

/** Waits until each of the clients has asked at least once since then, and gives all that was asked. */
async function askedSince(seen: readonly Seen[], sinceMs: number): Promise<Seen[]> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const late = seen.filter(({ startedMs }) => startedMs > sinceMs);
    if (late.length >= 2 * clientsPerReplica) return late;
    await sleep(2);
  }
  throw new Error('The clients have stopped asking.');
}

async function owner() {
  const { accountId } = await seedAccount(db.database);
  return { accountId, ...(await seedKey(db.database, { accountId })) };
}

test('no request that starts after the answer to deactivate is served, none after activate refused, on both replicas', async () => {
  const { accountId, key: admin } = await owner();
  const { key, keyId } = await seedKey(db.database, { accountId });
  const { seen, stop } = hammer(key);
  const counts = { dead: 0, alive: 0 };
  for (let round = 0; round < rounds; round++) {
    const at = `${replicas[round % 2]?.origin}/api/v1/keys/${keyId}`;
    assert.equal(await statusOf('PATCH', `${at}/deactivate`, admin), 200);
    const dead = await askedSince(seen, performance.now());
    assert.equal(await statusOf('PATCH', `${at}/activate`, admin), 200);
    const alive = await askedSince(seen, performance.now());
    assert.ok(dead.every(({ status }) => status === 401));
    assert.ok(alive.every(({ status }) => status === 200));
    counts.dead += dead.length;
    counts.alive += alive.length;
    seen.length = 0;
  }
  await stop();
  assert.ok(Math.min(counts.dead, counts.alive) >= rounds * 2 * clientsPerReplica);
});

test('no request that starts after the answer to delete is served, on both replicas', async () => {
  const { accountId, key: admin } = await owner();
  let checked = 0;
  for (let round = 0; round < rounds; round++) {
    const { key, keyId } = await seedKey(db.database, { accountId });
    const { seen, stop } = hammer(key);
    await askedSince(seen, 0);
    assert.equal(await statusOf('DELETE', `${replicas[round % 2]?.origin}/api/v1/keys/${keyId}`, admin), 204);
    const late = await askedSince(seen, performance.now());
    await stop();
    assert.ok(late.every(({ status }) => status === 401));
    assert.ok(seen.some(({ status }) => status === 200));
    checked += late.length;
  }
  assert.ok(checked >= rounds * 2 * clientsPerReplica);
});
