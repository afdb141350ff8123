import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctor } from '#billing';
import type { Engine } from '#engine';
import { fault } from '#kernel';
import { createBackground } from '../background.ts';
import { boundOfBuild } from '../create-index.ts';
import { deleteSome, listOrphans } from '../documents.store.ts';
import { chargesOf, type IndexesServer, shop, someoneOn, startIndexesServer } from '../indexes-server.fixture.ts';
import { createScanner } from '../vectors/scanner.ts';
import { createVectorFiles } from '../vectors/vector-files.ts';
import { beginBuild } from './build.store.ts';
import { type BuildTaskOptions, buildIndex } from './build-task.ts';

/** Counts what is embedded, and can fail or wait before it is. */
const between: { texts: string[]; before: (batch: number) => Promise<void> | void } = { texts: [], before: () => {} };
let batches = 0;

function wrap(engine: Engine): Engine {
  return {
    ...engine,
    prepareEmbedding: async (inputs, signal) => {
      await between.before(++batches);
      between.texts.push(...inputs.texts);
      return engine.prepareEmbedding(inputs, signal);
    },
  };
}

let server: IndexesServer;
let options: BuildTaskOptions;

before(async () => {
  server = await startIndexesServer({ wrap, builds: false });
  const { database, folder, models, engine } = server.options;
  const files = createVectorFiles({ sql: database, folder, maxBytes: 1e9 });
  const scanner = createScanner(process.env);
  options = {
    ...server.options,
    search: { sql: database, scanner, files },
    embed: createBackground({ ...server.options, models: () => [] }),
    digestOf: (id) => models.find(id)?.installed?.sha256 ?? null,
    costOf: async (build) => {
      const version = { bytes: 0n, tokenStats: { min: 1, p50: 1, p95: 1, max: 1, total: 1_000 } };
      return { boundMicro: boundOfBuild({ engine }, { version, index: build }), describe: () => 'too few' };
    },
  };
  after(() => scanner.stop());
});
after(() => server.stop());

const run = (signal = new AbortController().signal) => ({ signal, isLastAttempt: false });

/** An index that waits to be built; nothing has been embedded for it. */
async function queued(products = 20) {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(products));
  const { json } = await me.ask('POST', '/dataset-indexes', { version_id: versionId, model: 'fanfold-tiny-embed' });
  between.texts = [];
  between.before = () => {};
  batches = 0;
  return { ...me, id: String(json.id), read: async () => (await me.ask('GET', `/dataset-indexes/${json.id}`)).json };
}

const holds = async () => (await server.db.database.query('select from calls where status is null')).length;

test('a build whose process dies goes on where it was, embeds nothing twice and is charged once for all', async () => {
  const { id, read, accountId } = await queued();
  // Dies without a word at the third batch: its lease is taken by whoever goes on.
  const dead = Promise.withResolvers<void>();
  between.before = (batch) => (batch === 3 ? new Promise<void>((resolve) => dead.promise.then(resolve)) : undefined);
  const first = buildIndex(options, id, run());
  while (batches < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  const { progress, state } = await read();
  assert.equal(await holds(), 1);
  assert.deepEqual([state, (progress as { done: number }).done], ['building', 32]);
  between.before = () => {};
  await buildIndex({ ...options, embed: createBackground({ ...server.options, models: () => [] }) }, id, run());
  const index = await read();
  assert.deepEqual([index.state, index.documents], ['ready', 40]);
  // It wakes up again, and may write no more.
  dead.resolve();
  await first;
  assert.deepEqual(await read(), index);
  const documents = between.texts.filter((text) => !text.startsWith('Instruct'));
  // The batch that the dead one still had in its hands, after it woke up.
  assert.equal(documents.length - 8, new Set(documents).size);
  const charges = await chargesOf(server, accountId);
  assert.deepEqual(
    charges.map(({ type, outcome, active_ms }) => [type, outcome, Math.round(active_ms)]),
    [['index', 'succeeded', index.active_ms]],
  );
  assert.equal(await holds(), 0);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('a process that stood still before it collected texts takes nothing away from whoever builds by then', async () => {
  const { database } = options;
  const { id, read } = await queued();
  const [stands, wakes, embeds] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  assert.ok(stands && wakes && embeds);
  const stand = () => {
    stands.resolve();
    return wakes.promise;
  };
  const slow: typeof database = {
    ...database,
    query: async (text, ...more) => {
      if (text.includes('delete from index_documents')) await stand();
      return database.query(text, ...more);
    },
    transaction: async (work) => {
      await stand();
      return database.transaction(work);
    },
  };
  const first = buildIndex({ ...options, database: slow }, id, run());
  await stands.promise;
  between.before = (batch) => (batch === 2 ? embeds.promise : undefined);
  const second = buildIndex(options, id, run());
  while (batches < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  wakes.resolve();
  await first;
  embeds.resolve();
  await second;
  const index = await read();
  assert.deepEqual([index.state, index.documents], ['ready', 40]);
  const [kept] = await database.query(
    'select count(*)::integer as documents from index_documents where index_id = $1',
    [id],
  );
  assert.deepEqual(kept, { documents: 40 });
});

test('an evaluation whose end is lost is made again, and counts once', async () => {
  const { database } = options;
  const tokensOf = async (id: string) => {
    const [row] = await database.query<{ tokens: bigint; phase: string | null }>(
      'select prompt_tokens as tokens, phase from dataset_indexes where id = $1',
      [id],
    );
    return row;
  };
  const [smooth, shaken] = [await queued(3), await queued(3)];
  await buildIndex(options, smooth.id, run());
  let losses = 0;
  const losing: typeof database = {
    ...database,
    transaction: async (work) => {
      if ((await tokensOf(shaken.id))?.phase === 'evaluating' && losses++ === 0)
        throw new Error('The connection is lost.');
      return database.transaction(work);
    },
  };
  await assert.rejects(buildIndex({ ...options, database: losing }, shaken.id, run()), /connection is lost/);
  await buildIndex({ ...options, database: losing }, shaken.id, run());
  assert.deepEqual([(await shaken.read()).state, losses], ['ready', 2]);
  assert.equal((await tokensOf(shaken.id))?.tokens, (await tokensOf(smooth.id))?.tokens);
});

test('however many finish a build at once, there is one charge', async () => {
  const { id, read, accountId } = await queued(3);
  await Promise.allSettled(Array.from({ length: 4 }, () => buildIndex(options, id, run())));
  if ((await read()).state !== 'ready') await buildIndex(options, id, run());
  assert.equal((await read()).state, 'ready');
  assert.equal((await chargesOf(server, accountId)).length, 1);
  assert.equal(await holds(), 0);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('a build that is canceled pays for what ran, and its process writes nothing more', async () => {
  const { id, read, accountId, ask } = await queued();
  between.before = async (batch) => {
    if (batch === 2) await ask('POST', `/dataset-indexes/${id}/cancel`);
  };
  await buildIndex(options, id, run());
  const index = await read();
  assert.deepEqual([index.state, (index.progress as { done: number }).done], ['canceled', 16]);
  const [charge, ...others] = await chargesOf(server, accountId);
  // On the wire they are whole.
  const active = Math.round(charge?.active_ms ?? Number.NaN);
  assert.deepEqual([charge?.type, charge?.outcome, active], ['index', 'canceled', index.active_ms]);
  assert.ok(Number(index.active_ms) > 0 && Number(index.credits) > 0);
  assert.deepEqual(others, []);
  // Again: nothing changes.
  assert.deepEqual((await ask('POST', `/dataset-indexes/${id}/cancel`)).json, index);
  await buildIndex(options, id, run());
  assert.deepEqual(await read(), index);
  assert.equal(await holds(), 0);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('an index that is deleted while it is built pays for what ran, and leaves nothing', async () => {
  const { id, accountId, ask } = await queued();
  between.before = async (batch) => {
    if (batch === 2) assert.equal((await ask('DELETE', `/dataset-indexes/${id}`)).status, 204);
  };
  await buildIndex(options, id, run());
  assert.equal((await ask('GET', `/dataset-indexes/${id}`)).status, 404);
  const charges = await chargesOf(server, accountId);
  assert.deepEqual(
    charges.map(({ type, outcome }) => [type, outcome]),
    [['index', 'canceled']],
  );
  assert.ok((await listOrphans(server.db.database)).includes(id));
  while (await deleteSome(server.db.database, id, 30));
  assert.ok(!(await listOrphans(server.db.database)).includes(id));
  assert.equal(await holds(), 0);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('a build that waits is canceled for nothing', async () => {
  const { id, accountId, projectId, ask } = await queued(1);
  const running = () => server.indexes.work.countRunning(server.db.database, projectId);
  assert.equal(await running(), 1);
  const { json } = await ask('POST', `/dataset-indexes/${id}/cancel`);
  assert.equal(await running(), 0);
  assert.deepEqual([json.state, json.credits], ['canceled', '0.000000']);
  assert.deepEqual(await chargesOf(server, accountId), []);
});

test('what fails through no fault of the owner costs nothing, after tries that do not help', async () => {
  const { id, read, accountId } = await queued(20);
  between.before = (batch) => {
    if (batch > 1) throw fault('generation_failed', { message: 'The model answered nonsense.' });
  };
  for (let attempt = 0; attempt < 4; attempt++) await buildIndex(options, id, run()).catch(() => {});
  const index = await read();
  assert.equal(index.state, 'failed', JSON.stringify(index));
  assert.deepEqual([(index.error as { code: string }).code, index.credits], ['internal_error', '0.000000']);
  assert.deepEqual(await chargesOf(server, accountId), []);
  assert.equal(await holds(), 0);
});

test('a server that stops leaves a build to the next one, and that does not count as a try', async () => {
  const { id, read } = await queued(20);
  for (let attempt = 0; attempt < 6; attempt++) {
    const stopping = new AbortController();
    between.before = () => stopping.abort();
    await assert.rejects(buildIndex(options, id, run(stopping.signal)));
  }
  between.before = () => {};
  await buildIndex(options, id, run());
  assert.equal((await read()).state, 'ready');
});

test('a disk that is full for long is no lost server: the build goes on when there is room', async () => {
  const { id, read } = await queued();
  const { database } = server.options;
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const files = { ...options.search.files, open: () => Promise.reject(full) };
  for (let tries = 0; tries < 6; tries++)
    await assert.rejects(buildIndex({ ...options, search: { ...options.search, files } }, id, run()), full);
  assert.equal((await read()).state, 'building');
  const [row] = await database.query<{ tries: number }>('select tries from dataset_indexes where id = $1', [id]);
  assert.equal(row?.tries, 0);
  await buildIndex(options, id, run());
  assert.equal((await read()).state, 'ready');
});

test('an attempt that finds another one in its place was no loss of a server, and does not count as a try', async () => {
  const { id, read } = await queued();
  const goesOn = Promise.withResolvers<void>();
  between.before = () => goesOn.promise;
  const first = buildIndex(options, id, run());
  while (batches < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  // As when a server starts, and its queue tries again what was in flight when the one before died.
  await beginBuild(server.db.database, { id, lease: 'build_another' });
  goesOn.resolve();
  await first;
  const [row] = await server.db.database.query('select tries from dataset_indexes where id = $1', [id]);
  assert.deepEqual(row, { tries: 1 });
  await buildIndex(options, id, run());
  assert.equal((await read()).state, 'ready');
});

test('a version with more texts than an index may have fails with the reason', async () => {
  const { id, read } = await queued(3);
  await buildIndex({ ...options, maxDocuments: 5 }, id, run());
  const { state, error } = await read();
  assert.deepEqual([state, (error as { code: string }).code], ['failed', 'too_many_documents']);
});
