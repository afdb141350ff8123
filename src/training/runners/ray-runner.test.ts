import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OperatorError } from '#kernel';
import { pythonProgram } from '#test/python.ts';
import { RayClient } from './ray-client.ts';
import { installRay, type RayCluster, startRay } from './ray-cluster.fixture.ts';
import { createRayRunner, type RayRunnerOptions } from './ray-runner.ts';
import { openTail } from './ray-tail.ts';
import { eventsOf, follow, openAttempts, protocolTrainer, runnerSuite } from './runner.fixture.ts';
import { realAttempt } from './trained.fixture.ts';

const { bin, ...missing } = await installRay();

if (bin === null) {
  test('Ray could not be installed, so its runner is NOT TESTED', { skip: JSON.stringify(missing) }, () => {});
} else {
  let cluster: RayCluster;
  let attempts: Awaited<ReturnType<typeof openAttempts>>;
  let shared: string;
  let packageFolder: string;

  before(async () => {
    attempts = await openAttempts();
    shared = join(attempts.root, 'shared');
    packageFolder = join(attempts.root, 'package');
    await mkdir(shared);
    await mkdir(packageFolder);
    await copyFile(protocolTrainer, join(packageFolder, 'speak.py'));
    cluster = await startRay(bin);
  });
  after(async () => {
    await cluster?.stop();
    await attempts.remove();
  });

  const options = (): RayRunnerOptions => ({
    ...{ url: cluster.url, token: cluster.token, shared: { here: shared, there: shared }, python: cluster.python },
    ...{ cpus: 0.1, gpus: 0, pendingMs: 30_000, killAfterMs: 4_000, unreachableMs: 10_000 },
    ...{ packageFolder, entrypoint: `${cluster.python} speak.py` },
  });
  const open = (change: Partial<RayRunnerOptions> = {}) => createRayRunner({ ...options(), ...change });

  runnerSuite('ray', () => ({ open, attempts }));

  test('an attempt that finds no room is given up, a wrong token is told to the operator, and output comes by WebSocket', async () => {
    const crowded = await follow(open({ cpus: 99, pendingMs: 300 }), await attempts.attempt());
    assert.equal(crowded.outcome.kind, 'lost');
    assert.match(JSON.stringify(crowded.outcome), /no room for attempt 1/);
    await assert.rejects(follow(open({ token: 'another' }), await attempts.attempt()), (error) => {
      assert.ok(error instanceof OperatorError);
      assert.match(error.message, /FANFOLD_RAY_TOKEN/);
      return true;
    });
    const tail = openTail(new RayClient(cluster), 'fanfold-job1-a1');
    const pieces: Buffer[] = [];
    for (let piece = await tail.next(); piece !== null; piece = await tail.next()) pieces.push(piece);
    assert.match(Buffer.concat(pieces).toString(), /^@evt .*"finished"/m);
    const nowhere = await follow(open({ url: 'http://127.0.0.1:9', unreachableMs: 300 }), await attempts.attempt());
    assert.match(JSON.stringify(nowhere.outcome), /"lost".*cannot be reached/);
  });

  test('the trainer itself runs on workers that have nothing of this program but a folder', async (t) => {
    const run = await realAttempt('embedding');
    t.after(run.remove);
    const { packageFolder: _folder, entrypoint: _entrypoint, ...real } = options();
    const told = await follow(createRayRunner({ ...real, python: await pythonProgram('python') }), run);
    assert.deepEqual(told.outcome, { kind: 'exited', code: 0 }, JSON.stringify(told.lines.slice(-20)));
    assert.equal(eventsOf(told).at(-1)?.event, 'finished');
    const artifacts = eventsOf(told).filter((event) => event.event === 'artifact');
    for (const { path } of artifacts) await access(join(run.specFolder, 'out', path));
    assert.ok(artifacts.length > 0);
    assert.deepEqual(await readdir(join(shared, 'models')), [run.spec.base.sha256]);
  });

  test('behind a proxy without WebSockets the output comes all the same, and what a restart needs goes with it', async () => {
    const proxy = createServer((incoming, answer) => {
      const { method, url, headers } = incoming;
      const forward = request(`${cluster.url}${url}`, { method, headers }, (given) => {
        answer.writeHead(given.statusCode ?? 500, given.headers);
        given.pipe(answer);
      });
      incoming.pipe(forward);
    }).listen(0, '127.0.0.1');
    proxy.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    await once(proxy, 'listening');
    const address = proxy.address();
    assert.ok(typeof address === 'object' && address);

    const run = await attempts.attempt({ steps: 150 });
    const out = join(run.specFolder, 'out');
    for (const name of ['ckpt-000001', 'ckpt-000002']) {
      await mkdir(join(out, name), { recursive: true });
      await writeFile(join(out, name, 'state.json'), name);
    }
    const spec = { ...run.spec, resume_from: 'ckpt-000002', base: { ...run.spec.base, name: 'list' } };
    const told = await follow(open({ url: `http://127.0.0.1:${address.port}` }), { ...run, spec, restart: 1 });
    proxy.closeAllConnections();
    proxy.close();
    assert.deepEqual(told.outcome, { kind: 'exited', code: 0 });
    assert.equal(eventsOf(told).length, 153);
    const listed = told.lines.find((line) => 'text' in line && line.text.startsWith('OUT'));
    assert.deepEqual(listed && 'text' in listed && listed.text, 'OUT ckpt-000002');
    assert.ok(!(await readdir(join(shared, 'attempts'))).includes(run.jobId));
  });
}
