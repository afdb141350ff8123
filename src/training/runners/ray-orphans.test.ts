import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { newId } from '#kernel';
import { submissionId } from './ray-client.ts';
import { createRayRunner } from './ray-runner.ts';

/** A cluster as far as it lists and stops submissions. */
async function openCluster(jobs: readonly { submission_id: string | null; status: string }[]) {
  const stopped: string[] = [];
  const server = createServer(({ method, url }, response) => {
    const [, id] = /^\/api\/jobs\/([^/]+)\/stop$/.exec(url ?? '') ?? [];
    if (id !== undefined) stopped.push(id);
    const isList = method === 'GET' && url === '/api/jobs/';
    response.end(JSON.stringify(isList ? jobs : { stopped: true }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  const shared = { here: '/nowhere', there: '/nowhere' };
  const runner = createRayRunner({
    url: `http://127.0.0.1:${port}`,
    token: null,
    shared,
    cpus: 1,
    gpus: 0,
    python: 'python3',
    pendingMs: 1,
  });
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { runner, stopped, close };
}

test('on a cluster, what still runs of attempts that are over is stopped, and nothing of others', async () => {
  const [over, live] = [newId('job'), newId('job')];
  const start = (jobId: string, attempt: number, restart: number, status = 'RUNNING') => ({
    submission_id: submissionId({ jobId, attempt, restart }),
    status,
  });
  const lost = [start(over, 1, 0), start(over, 1, 3, 'PENDING')];
  const { runner, stopped, close } = await openCluster([
    ...lost,
    ...[start(over, 2, 0), start(over, 1, 1, 'SUCCEEDED'), start(live, 1, 0)],
    ...[
      { submission_id: 'of somebody else', status: 'RUNNING' },
      { submission_id: null, status: 'RUNNING' },
    ],
  ]);
  await runner.sweep?.(async (asked) => {
    assert.deepEqual(new Set(asked.map(({ jobId }) => jobId)), new Set([over, live]));
    return asked.filter(({ jobId, attempt }) => jobId === over && attempt === 1);
  });
  assert.deepEqual(
    stopped,
    lost.map(({ submission_id }) => submission_id),
  );
  await close();
  await runner.sweep?.(() => assert.fail('a cluster that is away tells nothing'));
});
