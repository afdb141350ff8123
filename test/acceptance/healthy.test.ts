import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '#test/free-port.ts';

const program = path.join(import.meta.dirname, '../../deploy/healthy.mjs');

/** The exit code of a container's health check, in the environment of its server. */
function healthCheck(env: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program], { env }, () => resolve(child.exitCode ?? -1));
  });
}

/** Answers `/readyz` with a status; null where this machine does not have the address. */
async function listenAt(t: TestContext, host: string, status = 200): Promise<string | null> {
  const server = createServer(({ url }, response) => response.writeHead(url === '/readyz' ? status : 404).end());
  t.after(() => server.close());
  server.listen(0, host);
  const isThere = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  return isThere ? String((server.address() as AddressInfo).port) : null;
}

test('a container is healthy at whatever address its server listens', async (t) => {
  for (const host of ['127.0.0.1', '0.0.0.0', '127.0.0.2', '::1', '::']) {
    const port = await listenAt(t, host);
    if (port === null) {
      t.diagnostic(`there is no ${host} here`);
      continue;
    }
    assert.equal(await healthCheck({ HOST: host, PORT: port }), 0, host);
    const operator = { FANFOLD_OPERATOR_HOST: host, FANFOLD_OPERATOR_PORT: port };
    assert.equal(await healthCheck({ ...operator, HOST: '203.0.113.1' }), 0, `operator port on ${host}`);
  }
});

test('a container is not healthy while its server is not ready, or gone', async (t) => {
  const port = await listenAt(t, '127.0.0.1', 503);
  assert.ok(port);
  assert.equal(await healthCheck({ FANFOLD_OPERATOR_PORT: port }), 1);
  assert.equal(await healthCheck({ PORT: String(await freePort()) }), 1);
});
