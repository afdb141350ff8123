/**
 * A server process whose calls are charged, to be killed: `node crash-worker.fixture.ts URL ACCOUNT...`. Every line it
 * prints is something a client has seen: `paid REQUEST MICRO`, `failed REQUEST` or `unknown REQUEST`.
 */
import { writeSync } from 'node:fs';
import { openDatabase } from '#db';
import { openTestServer } from '#test/money.ts';
import { callUntil, type Seen } from './random-calls.fixture.ts';

const [url, ...accounts] = process.argv.slice(2);
if (!url) throw new Error('usage: crash-worker.fixture.ts URL ACCOUNT...');
const database = await openDatabase({ url, maxConnections: 5 });
const server = openTestServer(database, { timing: { heartbeatMs: 50, reapMs: 100, deadAfterMs: 700 } });
server.calls.start();

function show(seen: Seen): void {
  // At once, as one write: a line that was begun is a line the client has.
  writeSync(1, `${[seen.outcome, seen.requestId, seen.outcome === 'paid' ? seen.micro : ''].join(' ').trim()}\n`);
}

await Promise.all(
  Array.from({ length: 24 }, () => callUntil(AbortSignal.timeout(600_000), { server, accounts, show })),
);
