import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { doctor } from '#billing';
import { startS3Server } from '#test/object-server.ts';
import { type Person, scriptedTrainer, startTraining, type TrainingServer } from '../training.fixture.ts';

/** An object store that can be unavailable, as in a network that fails. */
let objects: Awaited<ReturnType<typeof startS3Server>>;
let way: Awaited<ReturnType<typeof openWay>>;
let trainer: Awaited<ReturnType<typeof scriptedTrainer>>;
let server: TrainingServer;
let ada: Person;

before(async () => {
  objects = await startS3Server();
  way = await openWay(Number(new URL(objects.endpoint ?? '').port));
  trainer = await scriptedTrainer();
  const settings = {
    FANFOLD_TRAINING_PYTHON: trainer.program,
    FANFOLD_OBJECT_STORE: `s3://${objects.bucket}`,
    FANFOLD_S3_ENDPOINT: `http://127.0.0.1:${way.port}`,
    FANFOLD_S3_ACCESS_KEY_ID: 'S3RVER',
    FANFOLD_S3_SECRET_ACCESS_KEY: 'S3RVER',
    FANFOLD_ENGINE_THREADS: '1',
  };
  server = await startTraining({ settings });
  ada = await server.person();
});

after(async () => {
  await server?.stop();
  await trainer?.remove();
  await way?.close();
  await objects?.stop();
});

test('a job waits while the object store is unavailable, and then succeeds with one charge', async () => {
  const examples = Array.from({ length: 12 }, (_, n) => ({
    text: {
      messages: [
        { role: 'user', content: `Say ${n}` },
        { role: 'assistant', content: `It is ${n}.` },
      ],
    },
  }));
  const datasetId = await ada.dataset(examples);
  way.cut();
  const asked = { base_model: 'fanfold-tiny-chat', dataset_id: datasetId, hyperparameters: { max_steps: 2 } };
  const { id } = await ada.ok('POST', `${ada.project}/training-jobs`, asked);
  const said = async () => (await ada.ok('GET', `${ada.project}/training-jobs/${id}/logs?limit=100`)).data;
  const waits = 'A service that the work needs is unavailable; the attempt goes on later.';
  while (!(await said()).some(({ message }: { message: string }) => message === waits))
    assert.equal((await ada.ok('GET', `${ada.project}/training-jobs/${id}`)).finished_at, null);
  way.mend();
  const job = await ada.until(id, 'succeeded');
  assert.equal(job.attempt, 1);
  const charges = await server.database.query('select 1 from ledger where training_job_id = $1', [id]);
  assert.equal(charges.length, 1);
  assert.deepEqual(await doctor(server.database), []);
});

async function openWay(port: number) {
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const relay = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    if (isCut) return void socket.destroy();
    const other = net.connect(port, '127.0.0.1').on('error', () => socket.destroy());
    for (const each of [socket, other]) sockets.add(each.on('close', () => sockets.delete(each)));
    socket.pipe(other).pipe(socket);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  // as: it listens on a port.
  const { port: own } = relay.address() as net.AddressInfo;
  return {
    port: own,
    cut,
    mend: () => {
      isCut = false;
    },
    close: async () => {
      const closed = once(relay, 'close');
      relay.close();
      cut();
      await closed;
    },
  };
}
